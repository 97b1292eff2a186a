/* N-grams of a question in a hash table, and subsets of them as bits. */
#include "support/matching/ngram_overlap.h"

#include <math.h>
#include <stdbool.h>

/* The slot of an n-gram, or the free slot where it belongs. Half of the slots stay free. */
static size_t slot_of(const struct ngram_set *set, uint32_t ngram)
{
    size_t slot = ngram % NGRAM_SET_SLOTS;

    while (set->slots[slot] && set->ngrams[set->slots[slot] - 1] != ngram)
        slot = (slot + 1) % NGRAM_SET_SLOTS;
    return slot;
}

void ngram_set_add(struct ngram_set *set, const struct word *word)
{
    uint32_t ngrams[WORD_NGRAMS_MAX];
    size_t count = word_ngrams(word, true, ngrams);

    for (size_t i = 0; i < count && set->count < NGRAM_SET_MAX; i++) {
        size_t slot = slot_of(set, ngrams[i]);

        if (set->slots[slot])
            continue;
        set->ngrams[set->count++] = ngrams[i];
        set->slots[slot] = (uint16_t)set->count;
    }
}

struct ngram_matches ngram_matches_of(const struct ngram_set *set, const struct word *word)
{
    uint32_t ngrams[WORD_NGRAMS_MAX];
    size_t count = word_ngrams(word, true, ngrams);
    struct ngram_matches held = {{0}};

    for (size_t i = 0; i < count; i++) {
        size_t place = set->slots[slot_of(set, ngrams[i])];

        if (place)
            held.bits[(place - 1) / 64] |= UINT64_C(1) << (place - 1) % 64;
    }
    return held;
}

void ngram_matches_join(struct ngram_matches *all, const struct ngram_matches *more)
{
    for (size_t i = 0; i < NGRAM_SET_MAX / 64; i++)
        all->bits[i] |= more->bits[i];
}

static bool holds(const struct ngram_matches *held, size_t place)
{
    return held->bits[place / 64] >> place % 64 & 1;
}

double ngram_overlap(const struct ngram_set *set, const struct ngram_matches *held,
                     const struct ngram_matches *texts, size_t text_count)
{
    double sum = 0, all = 0;

    for (size_t i = 0; i < set->count; i++) {
        double holding = 0, weight;

        for (size_t j = 0; j < text_count; j++)
            holding += holds(&texts[j], i);
        weight = log1p(((double)text_count - holding + 0.5) / (holding + 0.5));
        all += weight;
        sum += holds(held, i) ? weight : 0;
    }
    return all > 0 ? sum / all : 0;
}
