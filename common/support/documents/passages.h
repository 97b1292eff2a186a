/*
 * The passages of a chunk: the smallest pieces of it that can be quoted by themselves. A passage is
 * a paragraph, a group of its sentences when it is long, a list with the line that leads to it, or
 * a row of a table under the table's head. The same chunk always gives the same passages.
 */
#ifndef ASSAY_SUPPORT_DOCUMENTS_PASSAGES_H
#define ASSAY_SUPPORT_DOCUMENTS_PASSAGES_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    PASSAGE_LENGTH_MAX = 480, /* code points of a group of sentences; one may be longer */
    PASSAGE_LIST_MAX = 900 /* code points of a list; longer ones are cut, each part with its lead */
};

struct passage {
    const char *text; /* wrapped lines joined; items of a list on lines of their own */
    size_t length;
    const char *head; /* the nearest heading above it, "" when there is none */
    int paragraph;    /* passages of one paragraph carry the same number */
};

struct passage_list {
    struct passage *items;
    size_t count;
};

/* Everything is the arena's. */
struct passage_list passages_of(struct arena *arena, const char *body, size_t length);

#endif
