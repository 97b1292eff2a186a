/*
 * The words of a text with numbers, units and model names in one form each, as an index and its
 * questions need them: "18V" is "18" and "v" as "18 V" is; "1,299.00", "1.299" and "1 299" are
 * "1299", "2,50" is "2.5"; "XR500" is "xr" and "500" as "XR-500" is. Digits of all scripts are
 * ASCII digits. Dates, versions and times stay separate words.
 */
#ifndef ASSAY_TEXT_EXACT_WORDS_H
#define ASSAY_TEXT_EXACT_WORDS_H

#include "text/words.h"

/* As word_next(). */
bool exact_word_next(struct word_reader *reader, struct word *word);

/* Whether a folded word is a unit that is written right after its number. */
bool exact_is_unit(const char *word, size_t length);

#endif
