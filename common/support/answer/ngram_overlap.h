/*
 * How much of a question's wording a passage repeats: of the pieces of all its words, those that
 * say nothing by themselves included. A text that answers often says the thing as the question
 * does, in other forms of the words and in their company; one that is on the same topic only shares
 * its names.
 */
#ifndef ASSAY_SUPPORT_ANSWER_NGRAM_OVERLAP_H
#define ASSAY_SUPPORT_ANSWER_NGRAM_OVERLAP_H

#include "support/answer/ngrams.h"

enum {
    NGRAM_SET_MAX = 512, /* different pieces; the rest of a long text is not looked at */
    NGRAM_SET_SLOTS = 2 * NGRAM_SET_MAX, /* of their hash table */
};

struct ngram_set {
    uint32_t pieces[NGRAM_SET_MAX];
    size_t count;
    uint16_t slots[NGRAM_SET_SLOTS]; /* 0 = free, else the place of a piece, from 1 */
};

/* A bit for each piece of a wording. */
struct ngram_matches {
    uint64_t bits[NGRAM_SET_MAX / 64];
};

/* Adds the pieces of a word of the question. */
void ngram_set_add(struct ngram_set *wording, const struct word *word);

/* The pieces of the wording that a word of a text has. */
struct ngram_matches ngram_matches_of(const struct ngram_set *wording, const struct word *word);

void ngram_matches_join(struct ngram_matches *all, const struct ngram_matches *more);

/* The share of the wording that is held, 0 to 1, where each piece weighs the more the fewer of
 * the texts found hold it, as in BM25. */
double ngram_overlap(const struct ngram_set *wording, const struct ngram_matches *held,
                     const struct ngram_matches *texts, size_t text_count);

#endif
