/*
 * Index terms of a word: its stem and, for words of four letters and more, the character four-grams
 * of `^word`, which find compounds and inflections that stems miss. Terms are byte strings;
 * four-grams begin with a byte with which no word begins.
 */
#ifndef ASSAY_SEARCH_TERMS_H
#define ASSAY_SEARCH_TERMS_H

#include "text/language.h"
#include "text/words.h"

enum {
    TERM_BYTES_MAX = WORD_BYTES_MAX,
    TERM_GRAM_LENGTH = 4,  /* characters */
    TERM_GRAMS_MAX = 32,   /* of one word */
    TERM_GRAM_MARK = 0x01, /* first byte of a four-gram */
    TERM_GRAM_BYTES_MAX = 1 + 4 * TERM_GRAM_LENGTH,
    TERM_POSITION_MAX = 1 << 20 /* words of a chunk that are read */
};

struct term_gram {
    char bytes[TERM_GRAM_BYTES_MAX];
    size_t length;
};

/* Writes the stem of a word as stored in the index to `stem`; returns its length. */
size_t term_stem(enum text_language text_language, const struct word *word,
                 char stem[WORD_BYTES_MAX + 1]);

/* Writes the four-grams of a word, at most TERM_GRAMS_MAX; returns their number. Pairs and words
 * with digits have none: codes and numbers are found only exactly. */
size_t term_grams(const struct word *word, struct term_gram grams[TERM_GRAMS_MAX]);

#endif
