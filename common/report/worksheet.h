/*
 * Worksheets, written as CSV or as a workbook. Text that a spreadsheet would interpret as a formula
 * is escaped in both.
 */
#ifndef ASSAY_REPORT_WORKSHEET_H
#define ASSAY_REPORT_WORKSHEET_H

#include "base/error.h"
#include "base/text.h"

enum { WORKSHEET_NAME_MAX = 31, WORKSHEET_CELL_CHARACTERS_MAX = 32000 };

enum cell_kind { CELL_TEXT, CELL_NUMBER, CELL_EMPTY, CELL_END_OF_ROW };

struct cell {
    enum cell_kind kind;
    bool bold;
    double number;
    const char *text;
};

struct worksheet {
    struct arena *arena;
    const char *name;
    struct cell *cells;
    size_t count;
};

void worksheet_start(struct worksheet *sheet, struct arena *arena, const char *name);
void worksheet_text(struct worksheet *sheet, const char *text); /* NULL = an empty cell */
void worksheet_head(struct worksheet *sheet, const char *text);
void worksheet_number(struct worksheet *sheet, double number);
void worksheet_empty(struct worksheet *sheet);
void worksheet_end_row(struct worksheet *sheet);

/* Rows end with \n; numbers are the shortest text that reads back exactly. */
void worksheet_write_csv(const struct worksheet *sheet, struct text *out);

/* Appends an XLSX file of all sheets. Text of a cell beyond WORKSHEET_CELL_CHARACTERS_MAX
 * characters is cut and ends with an ellipsis. ERROR_SYSTEM when there is no room for temporary
 * files. */
MUST_CHECK enum error workbook_write(const struct worksheet *sheets, size_t count,
                                     bool right_to_left, struct text *out, struct problem *problem);

#endif
