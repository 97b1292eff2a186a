/* Sheets: rows of texts, cut into tables at rows and columns without text. Runs in a child process
 * that exits afterwards, so nothing is freed. */
#include "documents/sheet.h"
#include "documents/layout_rows.h"

#include <stdlib.h>
#include <string.h>

enum { MERGED_ROWS_MAX = 10000, TITLE_BYTES_MAX = 100 };

struct sheet_row {
    struct cell *cells;  /* SHEET_COLUMNS_MAX; NULL = none */
    size_t filled, last; /* cells with text; one more than the last of them */
};

struct sheet {
    struct sheet_row *rows;
    size_t count, capacity, cells;
};

struct sheet *sheet_create(void)
{
    return layout_memory(1, sizeof(struct sheet));
}

static struct sheet_row *row_at(struct sheet *sheet, size_t row)
{
    if (row >= SHEET_ROWS_MAX)
        return NULL;
    if (row >= sheet->capacity) {
        size_t capacity = row < 64 ? 128 : row * 2;
        struct sheet_row *rows = layout_memory(capacity, sizeof *rows);

        if (sheet->count)
            memcpy(rows, sheet->rows, sheet->count * sizeof *rows);
        free(sheet->rows);
        sheet->rows = rows;
        sheet->capacity = capacity;
    }
    if (row >= sheet->count)
        sheet->count = row + 1;
    return &sheet->rows[row];
}

/* Lines of a cell become one. */
static void join_lines(char *text)
{
    for (; *text; text++) {
        if (strchr("\t\r\n", *text))
            *text = ' ';
        if (*text == '|')
            *text = '/';
    }
}

void sheet_put(struct sheet *sheet, size_t row, size_t column, char *text)
{
    struct sheet_row *at =
        column < SHEET_COLUMNS_MAX && sheet->cells < SHEET_CELLS_MAX ? row_at(sheet, row) : NULL;

    if (!at || !text || strspn(text, " \t\r\n") == strlen(text))
        return;
    if (!at->cells)
        at->cells = layout_memory(SHEET_COLUMNS_MAX, sizeof *at->cells);
    join_lines(text);
    at->filled += at->cells[column].text == NULL;
    at->cells[column] = (struct cell){.text = text, .columns = 1};
    at->last = column >= at->last ? column + 1 : at->last;
    sheet->cells++;
}

void sheet_merge(struct sheet *sheet, size_t row, size_t column, size_t rows, size_t columns)
{
    struct sheet_row *first = row < sheet->count ? &sheet->rows[row] : NULL;
    char *text =
        first && first->cells && column < SHEET_COLUMNS_MAX ? first->cells[column].text : NULL;

    if (!text)
        return;
    columns = columns < SHEET_COLUMNS_MAX - column ? columns : SHEET_COLUMNS_MAX - column;
    for (size_t i = 0; i < rows && i < MERGED_ROWS_MAX && row + i < sheet->count; i++) {
        if (i)
            sheet_put(sheet, row + i, column, strdup(text));
        /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): the process ends before long */
        if (!sheet->rows[row + i].cells || !sheet->rows[row + i].cells[column].text)
            return;
        sheet->rows[row + i].cells[column].columns = columns;
        if (column + columns > sheet->rows[row + i].last)
            sheet->rows[row + i].last = column + columns;
    }
}

/* The heads of a table, cells that span columns repeated. */
static char **heads_of(const struct table_rows *rows, size_t count)
{
    char **texts = layout_memory(rows->columns, sizeof *texts);

    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < rows->columns; j++) {
            const struct cell *cell = &rows->items[i].cells[j];

            for (size_t k = j; cell->text && k < j + cell->columns && k < rows->columns; k++)
                if (!texts[k] || strcmp(texts[k], cell->text) != 0)
                    texts[k] = rows_append(texts[k], cell->text);
        }
    }
    return texts;
}

/* Writes rows `first` to `end` as a table. */
static void write_table(const struct sheet *sheet, size_t first, size_t end, FILE *out)
{
    size_t left = SHEET_COLUMNS_MAX, right = 0, heads;
    struct table_rows rows = {.count = end - first, .em = 1};

    for (size_t i = first; i < end; i++) {
        const struct sheet_row *row = &sheet->rows[i];
        size_t column = 0;

        while (column < row->last && !row->cells[column].text)
            column++;
        left = column < left ? column : left;
        right = row->last > right ? row->last : right;
    }
    rows.columns = right - left;
    rows.items = layout_memory(rows.count, sizeof *rows.items);
    for (size_t i = first; i < end; i++) {
        struct table_row *row = &rows.items[i - first];

        *row = (struct table_row){.cells = sheet->rows[i].cells + left,
                                  .filled = sheet->rows[i].filled,
                                  .top = (float)i,
                                  .bottom = (float)i + 1};
        for (size_t j = 0; j < rows.columns; j++)
            row->is_section |= row->filled == 1 && row->cells[j].text && row->cells[j].columns > 1;
    }
    heads = rows_heads(&rows);
    (void)rows_write(&rows, heads ? heads_of(&rows, heads) : NULL, heads, out);
    fputc('\n', out);
}

/* Whether the row is a line of text, not part of a table: a title above one, or alone. */
static bool is_line(const struct sheet *sheet, size_t row, size_t first)
{
    const struct sheet_row *next = row + 1 < sheet->count ? &sheet->rows[row + 1] : NULL;

    return sheet->rows[row].filled == 1 && (row == first || !next || next->filled < 2);
}

/* Whether a line is a title: short, without the end of a sentence, and above others. */
static bool is_title(const struct sheet *sheet, size_t row, const char *text)
{
    size_t length = strlen(text);

    return row + 1 < sheet->count && length <= TITLE_BYTES_MAX && !layout_is_figure(text) &&
           !strchr(".:;,!?", text[length - 1]);
}

void sheet_write(struct sheet *sheet, FILE *out)
{
    for (size_t row = 0; row < sheet->count;) {
        size_t first = row;

        while (row < sheet->count && sheet->rows[row].filled && !is_line(sheet, row, first))
            row++;
        if (row > first) {
            write_table(sheet, first, row, out);
            continue;
        }
        for (size_t i = 0; i < sheet->rows[row].last; i++)
            if (sheet->rows[row].cells[i].text)
                fprintf(out, "%s%s\n\n",
                        is_title(sheet, row, sheet->rows[row].cells[i].text) ? "## " : "",
                        sheet->rows[row].cells[i].text);
        row++;
    }
}
