/*
 * Private to layout*.c: the rows of a table, made of the lines in its grid, and its heads.
 */
#ifndef ASSAY_DOCUMENTS_LAYOUT_ROWS_H
#define ASSAY_DOCUMENTS_LAYOUT_ROWS_H

#include "documents/layout_parts.h"

struct cell {
    char *text;     /* NULL = empty */
    size_t columns; /* that it spans, 1 or more */
    float left, right, top, bottom;
};

struct table_row {
    struct cell *cells; /* by column */
    size_t filled;      /* cells with text */
    float top, bottom;
    size_t line;     /* its first line in the grid */
    bool is_section; /* one cell across columns */
};

struct table_rows {
    struct table_row *items;
    size_t count, columns;
    float em;
    bool from_right; /* columns are counted from the right */
};

/* Each line of the grid as a row. */
struct table_rows rows_of_lines(const struct bands *bands, const struct grid *grid);

/* Joins the lines of cells that are wrapped. */
void rows_join(struct table_rows *rows);

/* How many rows are heads; 0 when the first row has values as the others. */
size_t rows_heads(const struct table_rows *rows);

/* The heads of the columns, from the lines that belong to the first `heads` rows. */
char **rows_head_texts(const struct table_rows *lines, const struct table_rows *rows,
                       const struct grid *grid, size_t heads);

/* Repeats the first cells that span rows in each of them, from row `first` on. */
void rows_fill(struct table_rows *rows, size_t first);

/* Writes the rows below `heads` (NULL = the columns have none), or as `field: value` if they are a
 * form; true when it is a table. */
bool rows_write(struct table_rows *rows, char **heads, size_t head_count, FILE *out);

/* Appends a line to the text of a cell. */
char *rows_append(char *text, const char *line);

#endif
