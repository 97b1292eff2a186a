/* Private to common/text: the lists of function words, one string of blank-separated folded words
 * per language, NULL where there is none. */
#ifndef ASSAY_TEXT_STOP_WORDS_H
#define ASSAY_TEXT_STOP_WORDS_H

#include "text/language.h"

extern const char *const stop_word_lists[TEXT_LANGUAGE__MAX];
extern const char *const stop_characters;

#endif
