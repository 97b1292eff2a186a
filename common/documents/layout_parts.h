/*
 * Private to layout*.c: words in bands, one band for each line across the page or column, and what
 * is found in them. Lengths are given in `em`, the usual height of a word of the page. Everything
 * lives until the process ends.
 */
#ifndef ASSAY_DOCUMENTS_LAYOUT_PARTS_H
#define ASSAY_DOCUMENTS_LAYOUT_PARTS_H

#include "documents/positioned.h"

#include <stdint.h>

enum { GRID_COLUMNS_MAX = 64 };

/* Words without a wide gap between them, numbered within their band. */
struct segment {
    size_t first, end;
    float left, right;
};

struct band {
    struct word *words; /* from left to right */
    size_t count;
    struct segment *segments;
    size_t segment_count;
    float top, bottom;
};

struct bands {
    struct band *items;
    size_t count;
    float em;
};

/* Memory for so many items; a child without memory ends like one killed for it. */
void *layout_memory(size_t count, size_t size);

/* The usual height of the words; 1 when there are none. */
float layout_em(const struct word *words, size_t count);

/* Whether more than one in `share` + 1 of the words with letters is written from right to left. */
bool words_are_from_right(const struct word *words, size_t count, size_t share);

/* Groups words into bands, from the top. Reorders `words`, which the bands refer to. */
struct bands bands_make(struct word *words, size_t count);

/* The words from `first` to `end` of a band as text in reading order. `from_right`: the direction
 * of the text around it. */
char *band_text(const struct band *band, size_t first, size_t end, float em, bool from_right);

/* Whether a text is a number, an amount or a date, with its unit. */
bool layout_is_figure(const char *text);

/* Whether the words stand in columns of running text: then `gutter` is the middle between two of
 * them, and from `top` to `bottom` no line crosses it. */
bool columns_find(const struct word *words, size_t count, float em, float *gutter, float *top,
                  float *bottom);

/* The columns of a table: the vertical strips between them that its rows leave free. */
struct gutter {
    float left, right;
};
struct grid {
    struct gutter gutters[GRID_COLUMNS_MAX];
    size_t count;      /* of gutters; there is one more column */
    size_t first, end; /* its bands */
    bool is_text;      /* the columns are texts of their own, not cells of rows */
};

/* Whether a table, or texts side by side, begin with band `first`. */
bool grid_find(const struct bands *bands, size_t first, struct grid *grid);

/* Whether the columns are read from the right. */
bool grid_is_from_right(const struct bands *bands, const struct grid *grid);

/* The column of a position. */
size_t grid_column(const struct grid *grid, float at);

/* Whether a word of the band lies in a gutter. */
bool grid_is_crossed(const struct band *band, const struct gutter *gutter, float em);

/* What the last table leaves to one that continues it on the next page. */
struct table_memory {
    char **head; /* NULL = none */
    size_t columns;
    float middles[GRID_COLUMNS_MAX]; /* of the gutters */
};

/* Writes the table. `is_continued`: nothing stands before it on its page, and nothing stood after
 * the one in `memory`, which then holds this table. */
void grid_write(const struct bands *bands, const struct grid *grid, struct table_memory *memory,
                bool is_continued, FILE *out);

/* Removes the lines that repeat at the top and bottom of pages, and page numbers. */
void margins_remove(struct word_pages *pages);

#endif
