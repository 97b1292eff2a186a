/* Letters and their case: text made comparable, so that what differs only by case, width or
 * composition becomes the same, and text in lower case. */
#ifndef ASSAY_TEXT_FOLD_H
#define ASSAY_TEXT_FOLD_H

#include "base/arena.h"

/* The text in Unicode's compatibility case folding (NFKC_Casefold, UAX 31), for searching and
 * sorting without regard to case in every script. Text that is not UTF-8 comes back as it is. From
 * the arena. */
const char *text_fold(struct arena *arena, const char *text);

/* The text with every letter in lower case by Unicode's simple mapping, in no particular language.
 * Text that is not UTF-8 comes back as it is. From the arena. */
const char *text_lower(struct arena *arena, const char *text);

#endif
