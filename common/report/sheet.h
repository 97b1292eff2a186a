/*
 * Sheets of cells, written as CSV or as a workbook. Text that a spreadsheet would take for a
 * formula is defused in both.
 */
#ifndef ASSAY_REPORT_SHEET_H
#define ASSAY_REPORT_SHEET_H

#include "base/error.h"
#include "base/text.h"

enum { SHEET_NAME_MAX = 31, SHEET_CELL_CHARACTERS_MAX = 32000 };

enum cell_kind { CELL_TEXT, CELL_NUMBER, CELL_EMPTY, CELL_END_OF_ROW };

struct cell {
    enum cell_kind kind;
    bool bold;
    double number;
    const char *text;
};

struct sheet {
    struct arena *arena;
    const char *name;
    struct cell *cells;
    size_t count;
    size_t capacity;
};

void sheet_start(struct sheet *sheet, struct arena *arena, const char *name);
void sheet_text(struct sheet *sheet, const char *text); /* NULL = an empty cell */
void sheet_head(struct sheet *sheet, const char *text);
void sheet_number(struct sheet *sheet, double number);
void sheet_empty(struct sheet *sheet);
void sheet_end_row(struct sheet *sheet);

/* Rows with \n behind each; numbers as short as they read back. */
void sheet_write_csv(const struct sheet *sheet, struct text *out);

/* An XLSX file of all sheets. Text beyond SHEET_CELL_CHARACTERS_MAX characters of a cell is cut,
 * which an ellipsis shows. ERROR_SYSTEM when there is no room for temporary files. */
MUST_CHECK enum error sheets_write_workbook(const struct sheet *sheets, size_t count,
                                            bool right_to_left, struct text *out,
                                            struct problem *problem);

#endif
