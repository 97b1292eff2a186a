/*
 * How many of a question's character n-grams a passage repeats, over all words of the question. A
 * passage that answers a question often repeats its phrasing in other forms of the words; a passage
 * that is only on the same topic shares its names.
 */
#ifndef ASSAY_SUPPORT_ANSWER_NGRAM_OVERLAP_H
#define ASSAY_SUPPORT_ANSWER_NGRAM_OVERLAP_H

#include "support/answer/ngrams.h"

enum {
    NGRAM_SET_MAX = 512,                 /* different ones; the rest of a long text is ignored */
    NGRAM_SET_SLOTS = 2 * NGRAM_SET_MAX, /* of their hash table */
};

struct ngram_set {
    uint32_t ngrams[NGRAM_SET_MAX];
    size_t count;
    uint16_t slots[NGRAM_SET_SLOTS]; /* 0 = free, else the position of an n-gram, from 1 */
};

/* A bit for each n-gram of a set. */
struct ngram_matches {
    uint64_t bits[NGRAM_SET_MAX / 64];
};

/* Adds the n-grams of a word of the question. */
void ngram_set_add(struct ngram_set *set, const struct word *word);

/* The n-grams of the set that a word of a text has. */
struct ngram_matches ngram_matches_of(const struct ngram_set *set, const struct word *word);

void ngram_matches_join(struct ngram_matches *all, const struct ngram_matches *more);

/* The weighted share of the set that matches, 0 to 1. An n-gram weighs the more the fewer of the
 * texts found hold it, as in BM25. */
double ngram_overlap(const struct ngram_set *set, const struct ngram_matches *held,
                     const struct ngram_matches *texts, size_t text_count);

#endif
