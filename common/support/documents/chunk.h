/*
 * Splits the text of a document into chunks: at headings or changes of subject first, then at blank
 * lines, lines, sentences, blanks and characters, in this order, until every chunk fits. Sizes are
 * in code points. A chunk stores the headings above it. A chunk that begins within a table also has
 * the table's header.
 */
#ifndef ASSAY_SUPPORT_DOCUMENTS_CHUNK_H
#define ASSAY_SUPPORT_DOCUMENTS_CHUNK_H

#include "support/documents/subjects.h"

enum { CHUNK_HEADINGS = 4, CHUNK_HEADER_MAX = 200 /* code points */ };

struct chunk {
    const char *body; /* trimmed, NUL-terminated, with its heading lines */
    size_t length;
    const char
        *headings[CHUNK_HEADINGS]; /* titles of the headings above it, outermost first; or NULL */
    int page;                      /* counted from 1; 0 = none */
};

struct chunk_list {
    struct chunk *items;
    size_t count;
};

struct chunk_options {
    int size, overlap;
    bool structural; /* cut at headings */
    /* Cut where the subject changes; NULL = not. Headings take precedence. */
    const struct subject_meter *subjects;
};

/* Adds the chunks of a text (of one page, or of the whole document with page 0). All memory is from
 * the arena. */
void chunk_text(struct arena *arena, const char *text, size_t length, int page,
                const struct chunk_options *options, struct chunk_list *list);

/* In parent-child mode chunks are parents: the search uses their children, the answer uses the
 * parent. The same body always has the same children, at least one. */
enum {
    CHUNK_PARENT = 1200,
    CHUNK_PARENT_OVERLAP = 200,
    CHUNK_CHILD = 300,
    CHUNK_CHILD_OVERLAP = 50
};
struct chunk_list chunk_children(struct arena *arena, const char *body, size_t length);

/* "name › heading › heading › 3": context that is indexed together with the chunk's text. */
const char *chunk_header(struct arena *arena, const char *name, const struct chunk *chunk);

/* The title of a heading line (`#` one to four times, a blank or the end), its level in `level`;
 * NULL for other lines. `line` need not end with NUL. */
const char *heading_of_line(struct arena *arena, const char *line, size_t length, int *level);

#endif
