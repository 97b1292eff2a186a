/*
 * A text as its folded words with one blank between them, and phrases found in it. Characters of
 * scripts without spaces stand side by side, and phrases of them match anywhere.
 */
#ifndef ASSAY_TEXT_PLAIN_H
#define ASSAY_TEXT_PLAIN_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

/* From the arena; "" for a text without words. */
const char *text_plain(struct arena *arena, const char *text, size_t length);

/* The length of the longest phrase of a list that begins at `at` in the plain text and ends with a
 * word; 0 for none. Phrases are separated by `|`; `*` at the end of one stands for any rest of a
 * word. The list may be NULL. */
size_t plain_phrase_at(const char *at, const char *phrases);

/* Where the first phrase of the list is found in the plain text, at the beginning of a word; NULL
 * for none. Its length goes to `length`, which may be NULL. */
const char *plain_find(const char *plain, const char *phrases, size_t *length);

#endif
