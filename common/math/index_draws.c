/* Random indexes from words of Philox. */
#include "math/index_draws.h"

#include "math/random.h"

/* A word gives as many draws as keep the product of their bounds below this: then at most one word
 * in 256 is rejected. */
#define BOUNDS_MAX (UINT64_C(1) << 56)

struct index_draws index_draws_start(uint64_t seed, uint64_t stream)
{
    return (struct index_draws){.key = {seed, stream}};
}

/* How a word is divided into draws. */
struct cut {
    uint32_t bound;
    size_t draws;       /* per word */
    uint64_t threshold; /* 2^64 mod bound^draws */
};

static struct cut cut_for(uint32_t bound)
{
    uint64_t power = bound;
    size_t draws = 1;

    while (draws < INDEX_DRAWS_PER_WORD_MAX && power <= BOUNDS_MAX / bound) {
        power *= bound;
        draws++;
    }
    return (struct cut){.bound = bound, .draws = draws, .threshold = -power % power};
}

/* Batched ranged draws (Brackett-Rozinsky and Lemire 2024). The word is a fraction; its digits in
 * base `bound` are the draws. The remainder decides, as for a single draw (Lemire 2019), whether
 * the word must be rejected to keep all results equally likely. Returns the number of draws, 0 when
 * the word is rejected. */
static size_t cut_word(const struct cut *cut, uint64_t word, uint32_t *places)
{
    for (size_t i = 0; i < cut->draws; i++) {
        unsigned __int128 product = (unsigned __int128)word * cut->bound;

        places[i] = (uint32_t)(product >> 64);
        word = (uint64_t)product;
    }
    return word >= cut->threshold ? cut->draws : 0;
}

void index_draws_fill(struct index_draws *draws, uint32_t bound, uint32_t *places, size_t count)
{
    const struct cut cut = cut_for(bound);
    size_t filled = 0;

    while (filled < count) {
        uint64_t words[4];

        draws->counter[0]++;
        random_philox(draws->counter, draws->key, words);
        for (int i = 0; i < 4; i++)
            filled += cut_word(&cut, words[i], places + filled);
    }
}
