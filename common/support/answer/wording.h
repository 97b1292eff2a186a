/*
 * How much of a question's wording a passage repeats: of the pieces of all its words, those that
 * say nothing by themselves included. A text that answers often says the thing as the question
 * does, in other forms of the words and in their company; one that is on the same topic only shares
 * its names.
 */
#ifndef ASSAY_SUPPORT_ANSWER_WORDING_H
#define ASSAY_SUPPORT_ANSWER_WORDING_H

#include "support/answer/pieces.h"

enum {
    WORDING_MAX = 512, /* different pieces; the rest of a long text is not looked at */
    WORDING_SLOTS = 2 * WORDING_MAX, /* of their hash table */
};

struct wording {
    uint32_t pieces[WORDING_MAX];
    size_t count;
    uint16_t slots[WORDING_SLOTS]; /* 0 = free, else the place of a piece, from 1 */
};

/* A bit for each piece of a wording. */
struct wording_held {
    uint64_t bits[WORDING_MAX / 64];
};

/* Adds the pieces of a word of the question. */
void wording_add(struct wording *wording, const struct word *word);

/* The pieces of the wording that a word of a text has. */
struct wording_held wording_of(const struct wording *wording, const struct word *word);

void wording_join(struct wording_held *all, const struct wording_held *more);

/* The share of the wording that is held, 0 to 1, where each piece weighs the more the fewer of
 * the texts found hold it, as in BM25. */
double wording_share(const struct wording *wording, const struct wording_held *held,
                     const struct wording_held *texts, size_t text_count);

#endif
