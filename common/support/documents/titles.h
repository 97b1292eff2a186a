/*
 * The titles in a chunk: its heading lines, and questions in a line of their own, as an FAQ writes
 * them. A customer's question is often nearer to such a title than to the text below it, so each
 * title has a vector of its own. The same chunk always gives the same titles.
 */
#ifndef ASSAY_SUPPORT_DOCUMENTS_TITLES_H
#define ASSAY_SUPPORT_DOCUMENTS_TITLES_H

#include "support/documents/passages.h"

enum {
    TITLES_MAX = 24,       /* of a chunk; further ones are found by the text alone */
    TITLE_LENGTH_MAX = 160 /* code points; a longer line is text */
};

struct title_list {
    const char *items[TITLES_MAX]; /* without `#`, numbers, "Q:" and marks of emphasis */
    size_t count;
};

void titles_of(struct arena *arena, const char *body, size_t length, struct title_list *titles);

/* Whether a passage stands below that title. */
bool title_is_above(const char *title, const struct passage *passage);

#endif
