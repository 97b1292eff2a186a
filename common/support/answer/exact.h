/*
 * Exact things of a question: which of its numbers are quantities, and which identify something.
 * A number that identifies must occur with its name.
 */
#ifndef ASSAY_SUPPORT_ANSWER_EXACT_H
#define ASSAY_SUPPORT_ANSWER_EXACT_H

#include "support/answer/evidence.h"

/* Marks quantities and comparisons among the terms and fills in the ids. */
void exact_read(struct question *question, struct arena *arena);

/* A code of the question as it is written there. From the arena. */
const char *exact_name(struct arena *arena, const struct question *question, const char *code);

/* The id of the question that none of the chunks contains with its name; NULL when there is none.
 * From the arena. */
const char *exact_missing(struct arena *arena, const struct question *question,
                          const struct found_chunk *chunks, size_t count);

#endif
