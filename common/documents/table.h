/*
 * Private to common/documents: a table of a document as text. The text of cells that span rows or
 * columns is repeated in each of them, and the head rows become one line, so that every row can be
 * read on its own.
 */
#ifndef ASSAY_DOCUMENTS_TABLE_H
#define ASSAY_DOCUMENTS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum {
    TABLE_COLUMNS_MAX = 256,       /* further cells of a row are left out */
    TABLE_CELLS_MAX = 1000 * 1000, /* further rows are left out */
    TABLE_REPEATED_MAX = 300 /* bytes of a cell that is repeated; longer ones are written once */
};

struct table;

/* NULL when there is no memory. It lives until the process ends. */
struct table *table_create(void);

/* Begins a row; `is_head`: it is a head row. */
void table_row(struct table *table, bool is_head);

/* Marks the last row as a head row. */
void table_row_is_head(struct table *table);

/* Adds a cell; the text is kept, not copied. `heads_row`: it is the row's heading. */
void table_cell(struct table *table, char *text, size_t columns, size_t rows, bool heads_row);

/* Adds cells that continue those above them. */
void table_cell_continued(struct table *table, size_t columns);

/* Whether a text is the label of a field: it ends with a colon. */
bool table_is_label(const char *text);

/* Writes the cells of a row as items `- label: value`; the value is all that follows up to the next
 * label. */
void table_write_fields(const char *const *cells, size_t count, FILE *out);

/* Writes Markdown, or list items `name: value` when rows are headed and columns are not; one line
 * or more, and an empty line. */
void table_write(struct table *table, FILE *out);

#endif
