/*
 * Share of a question's character n-grams that a passage contains, over all words of the question.
 * A passage that answers a question often repeats its phrasing in other word forms; a passage on
 * the same topic only shares its names.
 */
#ifndef ASSAY_SUPPORT_MATCHING_NGRAM_OVERLAP_H
#define ASSAY_SUPPORT_MATCHING_NGRAM_OVERLAP_H

#include "support/matching/ngrams.h"

enum {
    NGRAM_SET_MAX = 512, /* number of distinct n-grams; the rest of a long text is ignored */
    NGRAM_SET_SLOTS = 2 * NGRAM_SET_MAX, /* slots of their hash table */
};

struct ngram_set {
    uint32_t ngrams[NGRAM_SET_MAX];
    size_t count;
    uint16_t slots[NGRAM_SET_SLOTS]; /* 0 = free, else the index of an n-gram, from 1 */
};

/* One bit for each n-gram of a set. */
struct ngram_matches {
    uint64_t bits[NGRAM_SET_MAX / 64];
};

/* Adds the n-grams of a word of the question. */
void ngram_set_add(struct ngram_set *set, const struct word *word);

/* The n-grams of the set that a word of a text contains. */
struct ngram_matches ngram_matches_of(const struct ngram_set *set, const struct word *word);

void ngram_matches_join(struct ngram_matches *all, const struct ngram_matches *more);

/* The weighted share of the set that matches, 0 to 1. The weight of an n-gram is higher if fewer of
 * the texts contain it, as in BM25. */
double ngram_overlap(const struct ngram_set *set, const struct ngram_matches *held,
                     const struct ngram_matches *texts, size_t text_count);

#endif
