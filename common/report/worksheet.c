/* Worksheets, and their output as CSV. */
#include "report/worksheet.h"
#include "base/list.h"
#include "base/number.h"
#include "report/csv.h"

#include <math.h>

void worksheet_start(struct worksheet *sheet, struct arena *arena, const char *name)
{
    *sheet = (struct worksheet){.arena = arena, .name = name};
}

static void add(struct worksheet *sheet, struct cell cell)
{
    *ARRAY_ADD(sheet->arena, sheet->cells, sheet->count) = cell;
}

void worksheet_text(struct worksheet *sheet, const char *text)
{
    add(sheet, (struct cell){.kind = text ? CELL_TEXT : CELL_EMPTY, .text = text});
}

void worksheet_head(struct worksheet *sheet, const char *text)
{
    add(sheet, (struct cell){.kind = CELL_TEXT, .bold = true, .text = text});
}

void worksheet_number(struct worksheet *sheet, double number)
{
    add(sheet,
        (struct cell){.kind = isfinite(number) ? CELL_NUMBER : CELL_EMPTY, .number = number});
}

void worksheet_empty(struct worksheet *sheet)
{
    add(sheet, (struct cell){.kind = CELL_EMPTY});
}

void worksheet_end_row(struct worksheet *sheet)
{
    add(sheet, (struct cell){.kind = CELL_END_OF_ROW});
}

/* Writes whole numbers without a fraction. */
static void append_number(struct text *out, bool first, double number)
{
    char text[NUMBER_TEXT_MAX];

    if (!first)
        text_append_byte(out, ',');
    if (floor(number) == number && fabs(number) < 0x1p53)
        integer_format((int64_t)number, text);
    else
        number_format(number, text);
    text_append_string(out, text);
}

void worksheet_write_csv(const struct worksheet *sheet, struct text *out)
{
    bool first = true;

    for (size_t i = 0; i < sheet->count; i++) {
        const struct cell *cell = &sheet->cells[i];

        if (cell->kind == CELL_END_OF_ROW)
            text_append_byte(out, '\n');
        else if (cell->kind == CELL_NUMBER)
            append_number(out, first, cell->number);
        else
            csv_append_cell(out, first, cell->text);
        first = cell->kind == CELL_END_OF_ROW;
    }
}
