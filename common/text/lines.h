/*
 * How two lines of a wrapped paragraph are joined. Most are joined with a blank. Scripts without
 * blanks between words (such as Han, Kana and Thai, not Hangul) are joined with nothing. A word
 * that was cut with a hyphen loses it, unless the hyphen belongs to the word.
 */
#ifndef ASSAY_TEXT_LINES_H
#define ASSAY_TEXT_LINES_H

#include <stddef.h>

enum line_join { JOIN_BLANK, JOIN_NOTHING, JOIN_WITHOUT_HYPHEN };

struct line_text {
    const char *bytes;
    size_t length;
};

/* Both lines are trimmed and not empty. `whole` is the whole text: its other spellings of the word
 * decide whether the hyphen stays; if there are none, its language decides. */
enum line_join line_join(struct line_text before, struct line_text after, struct line_text whole);

#endif
