/*
 * Random indexes of an array, many at a time, for resampling. One word of Philox (math/random.h)
 * gives as many indexes as fit into it, which makes resampling fast.
 */
#ifndef ASSAY_MATH_INDEX_DRAWS_H
#define ASSAY_MATH_INDEX_DRAWS_H

#include <stddef.h>
#include <stdint.h>

enum {
    INDEX_DRAWS_PER_WORD_MAX = 8,
    INDEX_DRAWS_SPARE = 4 * INDEX_DRAWS_PER_WORD_MAX, /* a block has four words */
};

struct index_draws {
    uint64_t key[2]; /* seed, stream */
    uint64_t counter[4];
};

struct index_draws index_draws_start(uint64_t seed, uint64_t stream);

/* Fills `places` with `count` numbers 0 .. bound - 1, each exactly equally likely. The array has
 * room for INDEX_DRAWS_SPARE more, which may be written. */
void index_draws_fill(struct index_draws *draws, uint32_t bound, uint32_t *places, size_t count);

#endif
