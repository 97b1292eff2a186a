/*
 * Private to common/documents: a sheet of cells as text. Rows without text separate tables; rows
 * with one cell are lines. Everything lives until the process ends.
 */
#ifndef ASSAY_DOCUMENTS_SHEET_H
#define ASSAY_DOCUMENTS_SHEET_H

#include <stddef.h>
#include <stdio.h>

enum {
    SHEET_ROWS_MAX = 1000 * 1000, /* further rows are left out */
    SHEET_COLUMNS_MAX = 64,       /* further columns are left out */
    SHEET_CELLS_MAX = 2 * 1000 * 1000
};

struct sheet;

struct sheet *sheet_create(void);

/* Sets a cell; rows and columns are counted from 0. The text is kept. */
void sheet_put(struct sheet *sheet, size_t row, size_t column, char *text);

/* Makes one cell of an area whose first cell has the text. */
void sheet_merge(struct sheet *sheet, size_t row, size_t column, size_t rows, size_t columns);

void sheet_write(struct sheet *sheet, FILE *out);

#endif
