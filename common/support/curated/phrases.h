/* Extracts from an answer the phrases that a right answer must contain. */
#ifndef ASSAY_SUPPORT_CURATED_PHRASES_H
#define ASSAY_SUPPORT_CURATED_PHRASES_H

#include "base/arena.h"
#include "base/optional.h"

enum { PHRASES_MOST = 5 };

/* The words of a text: runs of letters and digits in lower case, in order. */
struct string_list phrase_tokens(struct arena *arena, const char *text);

/* The same words joined by single blanks, to compare texts without regard to punctuation. */
const char *phrase_token_form(struct arena *arena, const char *text);

/* The same without words of one letter or digit: the normalized form of phrases. */
const char *phrase_made_form(struct arena *arena, const char *text);

/* Up to five phrases of three words, then of two, that contain more than stop words. */
struct string_list phrases_of(struct arena *arena, const char *answer);

/* The marks in a reviewer's notes: `include: a | b`, `exclude: c`. */
struct phrase_marks {
    struct string_list contains, contains_not;
};
struct phrase_marks phrase_marks_of(struct arena *arena, const char *notes);

#endif
