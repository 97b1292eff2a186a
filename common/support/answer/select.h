/*
 * Selects the passages of an answer: the best one, others that cover terms it does not contain, the
 * rest of a paragraph that was cut, and one with a duration when the question asks how long.
 */
#ifndef ASSAY_SUPPORT_ANSWER_SELECT_H
#define ASSAY_SUPPORT_ANSWER_SELECT_H

#include "support/answer/evidence.h"

enum { SELECTION_MAX = 4 };

struct selected {
    const struct found_chunk *chunk;
    const struct found_passage *passage;
};

struct selection {
    struct selected items[SELECTION_MAX];
    size_t count;
};

/* Chunks in any order. Nothing is selected when no passage holds a term of the question. */
struct selection select_passages(const struct question *question, struct arena *arena,
                                 const struct found_chunk *chunks, size_t count);

#endif
