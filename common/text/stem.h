/* Word stems by the Snowball algorithms (libstemmer), for the languages that have one. */
#ifndef ASSAY_TEXT_STEM_H
#define ASSAY_TEXT_STEM_H

#include "text/language.h"
#include "text/words.h"

/* The language whose stemmer is right for a word in a text of `language`: the word's script counts
 * first, so that English names in a Russian text are stemmed as English. TEXT_UNKNOWN where
 * words are not stemmed at all. */
enum text_language stem_language(enum text_language language, const struct word *word);

/* The stem of a folded word in the given language, NUL-terminated, in `stem`; its length. Words
 * with digits, pairs, and words of languages without a stemmer stay as they are. */
size_t stem_word(enum text_language language, const struct word *word,
                 char stem[WORD_BYTES_MAX + 1]);

#endif
