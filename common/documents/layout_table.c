/* Writes tables found by the positions of words. A table of two columns without heads, and rows of
 * labels that end with a colon, are fields of a form. Runs in a child process that exits
 * afterwards, so nothing is freed. */
#include "documents/layout_rows.h"
#include "documents/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const float same_place = 2.0F; /* em: how far gutters of a continued table may differ */

static bool is_form(const struct table_rows *rows)
{
    size_t labels = 0, firsts = 0;

    for (size_t i = 0; i < rows->count; i++) {
        firsts += rows->items[i].cells[0].text != NULL;
        labels += rows->items[i].cells[0].text && table_is_label(rows->items[i].cells[0].text);
    }
    return firsts && labels * 10 >= firsts * 6;
}

static void write_form(const struct table_rows *rows, FILE *out)
{
    const char **cells = layout_memory(rows->columns, sizeof *cells);

    for (size_t i = 0; i < rows->count; i++) {
        for (size_t j = 0; j < rows->columns; j++)
            cells[j] = rows->items[i].cells[j].text ? rows->items[i].cells[j].text : "";
        table_write_fields(cells, rows->columns, out);
    }
    free((void *)cells);
    fputc('\n', out);
}

static void put_heads(struct table *table, char **heads, size_t columns)
{
    table_row(table, true);
    for (size_t i = 0; i < columns; i++)
        table_cell(table, heads && heads[i] ? heads[i] : strdup(""), 1, 1, false);
}

static void put_section(struct table *table, const struct table_row *row, size_t columns)
{
    for (size_t i = 0; i < columns; i++)
        if (row->cells[i].text)
            table_cell(table, row->cells[i].text, columns, 1, false);
}

static void put_row(struct table *table, const struct table_row *row, size_t columns)
{
    table_row(table, false);
    if (row->is_section) {
        put_section(table, row, columns);
        return;
    }
    for (size_t i = 0; i < columns;) {
        const struct cell *cell = &row->cells[i];
        size_t wide = cell->text && cell->columns > 1 ? cell->columns : 1;

        table_cell(table, strdup(cell->text ? cell->text : ""), wide, 1, false);
        i += wide;
    }
}

static bool same_texts(char **a, char **b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(a[i] ? a[i] : "", b[i] ? b[i] : "") != 0)
            return false;
    return true;
}

/* Whether the table goes on where the one on the page before ended. */
static bool continues(const struct table_memory *memory, const struct grid *grid, float em)
{
    if (!memory->head || memory->columns != grid->count + 1)
        return false;
    for (size_t i = 0; i < grid->count; i++) {
        float middle = (grid->gutters[i].left + grid->gutters[i].right) / 2;

        if (fabsf(middle - memory->middles[i]) > same_place * em)
            return false;
    }
    return true;
}

static void remember(struct table_memory *memory, const struct grid *grid, char **head)
{
    memory->head = head;
    memory->columns = grid->count + 1;
    for (size_t i = 0; i < grid->count; i++)
        memory->middles[i] = (grid->gutters[i].left + grid->gutters[i].right) / 2;
}

/* A title or subtitle between rows is a section: one cell in the first column, above full rows. */
static void find_sections(struct table_rows *rows, size_t first)
{
    for (size_t i = first; i + 1 < rows->count; i++) {
        struct table_row *row = &rows->items[i];

        if (row->filled == 1 && row->cells[0].text && rows->columns > 2 && row[1].filled > 1)
            row->is_section = true;
    }
}

bool rows_write(struct table_rows *rows, char **heads, size_t head_count, FILE *out)
{
    struct table *table = table_create();

    if (is_form(rows) || (!heads && rows->columns == 2)) {
        rows_fill(rows, 0);
        write_form(rows, out);
        return false;
    }
    find_sections(rows, head_count);
    rows_fill(rows, head_count);
    if (!table)
        abort();
    put_heads(table, heads, rows->columns);
    for (size_t i = head_count; i < rows->count; i++)
        put_row(table, &rows->items[i], rows->columns);
    table_write(table, out);
    return true;
}

void grid_write(const struct bands *bands, const struct grid *grid, struct table_memory *memory,
                bool is_continued, FILE *out)
{
    struct table_rows lines = rows_of_lines(bands, grid), rows = lines;
    size_t heads;
    char **texts;

    rows_join(&rows);
    heads = rows_heads(&rows);
    texts = heads ? rows_head_texts(&lines, &rows, grid, heads) : NULL;
    if (is_continued && continues(memory, grid, bands->em) &&
        !(texts && same_texts(texts, memory->head, rows.columns))) {
        texts = memory->head;
        heads = 0;
    }
    if (rows_write(&rows, texts, heads, out))
        remember(memory, grid, texts);
}
