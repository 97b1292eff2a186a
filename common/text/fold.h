/* Case folding, which makes texts equal that differ only by case, width or composition, and
 * conversion to lower case. */
#ifndef ASSAY_TEXT_FOLD_H
#define ASSAY_TEXT_FOLD_H

#include "base/arena.h"

#include <stdbool.h>

/* The text in Unicode's compatibility case folding (NFKC_Casefold, UAX 31), for case-insensitive
 * search and sorting in every script. Text that is not UTF-8 is returned unchanged. From the
 * arena. */
const char *text_fold(struct arena *arena, const char *text);

/* The text with every letter in lower case by Unicode's simple mapping, independent of language.
 * Text that is not UTF-8 is returned unchanged. From the arena. */
const char *text_lower(struct arena *arena, const char *text);

/* Whether it holds control, format, space or private characters of any script, or is no UTF-8: in a
 * name nobody sees them, or sees the same. */
bool text_has_invisible(const char *text);

#endif
