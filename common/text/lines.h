/*
 * How two lines of a wrapped paragraph become one. Most take a blank. Scripts without blanks
 * between words (Han, Kana, Thai and their like, not Hangul) take nothing. A word that was cut with
 * a hyphen loses it, unless the hyphen belongs to the word.
 */
#ifndef ASSAY_TEXT_LINES_H
#define ASSAY_TEXT_LINES_H

#include <stddef.h>

enum line_join { JOIN_BLANK, JOIN_NOTHING, JOIN_WITHOUT_HYPHEN };

struct line_text {
    const char *bytes;
    size_t length;
};

/* Both lines are trimmed and not empty. `whole` is the text they stand in: how it writes a word
 * elsewhere decides over its hyphen, then its language. */
enum line_join line_join(struct line_text before, struct line_text after, struct line_text whole);

#endif
