/*
 * Private to common/documents: a table of a document as text. Cells that span rows or columns stand
 * in each of them, rows of the head are one line, so that every row can be read by itself.
 */
#ifndef ASSAY_DOCUMENTS_TABLE_H
#define ASSAY_DOCUMENTS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum {
    TABLE_COLUMNS_MAX = 256,       /* further cells of a row are left out */
    TABLE_CELLS_MAX = 1000 * 1000, /* further rows are left out */
    TABLE_REPEATED_MAX = 300       /* bytes of a cell that is repeated; longer ones stand once */
};

struct table;

/* NULL when there is no memory. It lives until the process ends. */
struct table *table_create(void);

/* Begins a row; `is_head`: it is one of the head. */
void table_row(struct table *table, bool is_head);

/* The row that was begun last is one of the head. */
void table_row_is_head(struct table *table);

/* Adds a cell; the text is kept, not copied. `heads_row`: it names its row. */
void table_cell(struct table *table, char *text, size_t columns, size_t rows, bool heads_row);

/* Adds cells that go on with those above them. */
void table_cell_continued(struct table *table, size_t columns);

/* As Markdown, or as list items `name: value` when rows are headed and columns are not; one line or
 * more, and an empty line. */
void table_write(struct table *table, FILE *out);

#endif
