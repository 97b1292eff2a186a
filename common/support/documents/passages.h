/*
 * The passages of a chunk: the smallest parts that can be quoted alone. A passage is a paragraph, a
 * group of its sentences when it is long, a list with its introducing line, or a table row with the
 * table's header. Three or more lines "field: value" make a list. A question in a line of its own
 * is part of the passage that answers it. The same chunk always gives the same passages.
 */
#ifndef ASSAY_SUPPORT_DOCUMENTS_PASSAGES_H
#define ASSAY_SUPPORT_DOCUMENTS_PASSAGES_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    PASSAGE_LENGTH_MAX =
        480, /* code points of a group of sentences; a single sentence may be longer */
    PASSAGE_LIST_MAX =
        900 /* code points of a list; longer lists are split, each part with the introducing line */
};

struct passage {
    const char *text; /* wrapped lines joined; list items on separate lines */
    size_t length;
    const char *head; /* the nearest heading above it, "" when there is none */
    int paragraph;    /* passages of one paragraph carry the same number */
};

struct passage_list {
    struct passage *items;
    size_t count;
};

/* All memory is from the arena. */
struct passage_list passages_of(struct arena *arena, const char *body, size_t length);

#endif
