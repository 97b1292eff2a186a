/* Character n-grams of a word, to match related words with different stems. */
#ifndef ASSAY_SUPPORT_MATCHING_NGRAMS_H
#define ASSAY_SUPPORT_MATCHING_NGRAMS_H

#include "text/words.h"

#include <stdbool.h>
#include <stdint.h>

enum { WORD_NGRAMS_MAX = 2 * (WORD_BYTES_MAX + 2) }; /* per word */

/* The n-grams of a word as hashes, at most WORD_NGRAMS_MAX: the trigrams of "^word", or with
 * `ended` of "^word$", then the bigrams of the same without "^"; of a two-letter word its two
 * characters. Returns how many. */
size_t word_ngrams(const struct word *word, bool ended, uint32_t *ngrams);

#endif
