/* Words that are written like names. */
#ifndef ASSAY_SUPPORT_ANSWER_NAMES_H
#define ASSAY_SUPPORT_ANSWER_NAMES_H

#include "text/words.h"

#include <stdbool.h>

/* Whether a word of the text is written with a capital: its first character is another one when
 * folded. */
bool name_is_capital(const char *text, const struct word *word);

#endif
