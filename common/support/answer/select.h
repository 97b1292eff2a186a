/*
 * Selects the passages of an answer: the best one, others that cover missing terms, the rest of a
 * split paragraph, and one with a duration when the question asks for one.
 */
#ifndef ASSAY_SUPPORT_ANSWER_SELECT_H
#define ASSAY_SUPPORT_ANSWER_SELECT_H

#include "support/answer/evidence.h"

enum { SELECTION_MAX = 16 }; /* table rows; at most four other passages */

struct selected {
    const struct found_chunk *chunk;
    const struct found_passage *passage;
};

struct selection {
    struct selected items[SELECTION_MAX];
    size_t count;
    bool by_section; /* the name of its section is written before each passage */
};

/* Chunks in any order. Selects nothing when no passage contains a term of the question. */
struct selection select_passages(const struct question *question, struct arena *arena,
                                 const struct found_chunk *chunks, size_t count);

#endif
