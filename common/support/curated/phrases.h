/* Extracts from an answer the phrases that a right answer must contain. */
#ifndef ASSAY_SUPPORT_CURATED_PHRASES_H
#define ASSAY_SUPPORT_CURATED_PHRASES_H

#include "base/arena.h"
#include "base/optional.h"

enum { PHRASES_MOST = 5 };

/* Runs of letters and digits in lower case, in their order. */
struct string_list phrase_tokens(struct arena *arena, const char *text);

/* The same with one blank between: what two texts have in common whatever their punctuation. */
const char *phrase_token_form(struct arena *arena, const char *text);

/* The same without words of one letter or digit: the form in which phrases are made. */
const char *phrase_made_form(struct arena *arena, const char *text);

/* Up to five phrases of three words, then of two, that are not stop words alone. */
struct string_list phrases_of(struct arena *arena, const char *answer);

/* What a reviewer has marked in his notes: `include: a | b`, `exclude: c`. */
struct phrase_marks {
    struct string_list contains, contains_not;
};
struct phrase_marks phrase_marks_of(struct arena *arena, const char *notes);

#endif
