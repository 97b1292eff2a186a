/* Word stems by the Snowball algorithms (libstemmer), for the languages that have one. */
#ifndef ASSAY_TEXT_STEM_H
#define ASSAY_TEXT_STEM_H

#include "text/language.h"
#include "text/words.h"

/* The language of the stemmer for a word in a text of `language`. The word's script takes
 * precedence, so that English names in a Russian text are stemmed as English. TEXT_UNKNOWN if the
 * word is not stemmed. */
enum text_language stem_language(enum text_language language, const struct word *word);

/* Writes the stem of a folded word in the given language, NUL-terminated, to `stem`; returns its
 * length. Words with digits, pairs, and words of languages without a stemmer stay as they are. */
size_t stem_word(enum text_language language, const struct word *word,
                 char stem[WORD_BYTES_MAX + 1]);

#endif
