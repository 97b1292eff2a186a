/* Tables: a grid of borrowed texts, and its output. Runs in a child process that exits afterwards,
 * so nothing is freed. */
#include "documents/table.h"

#include <stdlib.h>
#include <string.h>

struct row {
    const char **cells;
    size_t count, capacity;
    bool is_head;
    bool is_headed;  /* its first cell is a row heading */
    size_t wide;     /* cells in it that span columns */
    size_t rows;     /* the largest row span of its cells */
    bool is_section; /* one cell over all columns */
};

struct table {
    struct row *rows;
    size_t count, capacity, cells, columns;
    struct {
        const char *text;
        size_t left; /* rows that remain of the span */
    } spans[TABLE_COLUMNS_MAX];
    bool full;
};

struct table *table_create(void)
{
    return calloc(1, sizeof(struct table));
}

static struct row *current(struct table *table)
{
    return table->count && !table->full ? &table->rows[table->count - 1] : NULL;
}

/* A child without memory ends like one killed for it. */
static void *grow(void *items, size_t count, size_t size)
{
    void *more = realloc(items, count * size);

    if (!more)
        abort();
    return more;
}

static void put(struct table *table, struct row *row, const char *text)
{
    if (row->count == row->capacity) {
        row->capacity = row->capacity ? 2 * row->capacity : 8;
        row->cells = grow((void *)row->cells, row->capacity, sizeof *row->cells);
    }
    row->cells[row->count++] = text;
    if (row->count > table->columns)
        table->columns = row->count;
    table->cells++;
}

/* Adds cells of rows above that span this row. */
static void put_spanned(struct table *table, struct row *row)
{
    while (row->count < TABLE_COLUMNS_MAX && table->spans[row->count].left) {
        table->spans[row->count].left--;
        put(table, row, table->spans[row->count].text);
    }
}

static void end_row(struct table *table)
{
    struct row *row = current(table);

    for (size_t i = row ? row->count : TABLE_COLUMNS_MAX; i < TABLE_COLUMNS_MAX; i++) {
        if (!table->spans[i].left)
            continue;
        while (row->count < i)
            put(table, row, "");
        put_spanned(table, row);
    }
}

void table_row(struct table *table, bool is_head)
{
    end_row(table);
    if (table->cells >= TABLE_CELLS_MAX)
        table->full = true;
    if (table->full)
        return;
    if (table->count == table->capacity) {
        table->capacity = table->capacity ? table->capacity * 2 : 64;
        table->rows = grow(table->rows, table->capacity, sizeof *table->rows);
    }
    table->rows[table->count++] = (struct row){.is_head = is_head};
}

void table_row_is_head(struct table *table)
{
    if (current(table))
        current(table)->is_head = true;
}

/* Joins the lines of a cell into one. */
static void squeeze(char *text)
{
    char *to = text;
    bool blank = false;

    for (const char *from = text; *from; from++) {
        if (strchr(" \t\r\n\f\v", *from)) {
            blank = to > text;
            continue;
        }
        if (blank)
            *to++ = ' ';
        blank = false;
        *to++ = *from;
    }
    *to = '\0';
}

void table_cell(struct table *table, char *text, size_t columns, size_t rows, bool heads_row)
{
    struct row *row = current(table);
    const char *again;

    if (!row)
        return;
    put_spanned(table, row);
    squeeze(text);
    again = strlen(text) <= TABLE_REPEATED_MAX ? text : "";
    row->is_headed |= heads_row && row->count == 0;
    row->wide += columns > 1;
    row->rows = rows > row->rows ? rows : row->rows;
    for (size_t i = 0; i < columns && row->count < TABLE_COLUMNS_MAX; i++) {
        table->spans[row->count].text = again;
        table->spans[row->count].left = rows - 1;
        put(table, row, i ? again : text);
    }
    row->is_section = columns > 1 && columns == row->count;
}

void table_cell_continued(struct table *table, size_t columns)
{
    struct row *row = current(table), *above = row && table->count > 1 ? row - 1 : NULL;

    for (size_t i = 0; row && i < columns && row->count < TABLE_COLUMNS_MAX; i++) {
        const char *text = above && row->count < above->count ? above->cells[row->count] : "";

        put(table, row, strlen(text) <= TABLE_REPEATED_MAX ? text : "");
    }
}

static const char *cell_of(const struct row *row, size_t column)
{
    return column < row->count ? row->cells[column] : "";
}

/* Whether a row is one cell over all columns, the title of the rows below it. */
static bool is_section(const struct table *table, const struct row *row)
{
    return row->is_section && row->count == table->columns;
}

/* The number of head rows: those marked as such, else the first row with the rows that its cells
 * span. */
static size_t head_rows(const struct table *table, size_t from)
{
    const struct row *first = &table->rows[from];
    size_t count = 0;

    while (from + count < table->count && table->rows[from + count].is_head &&
           !is_section(table, &table->rows[from + count]))
        count++;
    if (count == 0)
        count = first->wide ? (first->rows > 2 ? first->rows : 2) : 1;
    if (from + count >= table->count)
        count = 1; /* a head without rows below has only one row */
    return count;
}

static void write_head_cell(const struct row *rows, size_t count, size_t column, FILE *out)
{
    const char *last = "";

    fputc('|', out);
    for (size_t i = 0; i < count; i++) {
        const char *text = cell_of(&rows[i], column);

        if (*text && strcmp(text, last) != 0)
            fprintf(out, " %s", text);
        last = *text ? text : last;
    }
    fputc(' ', out);
}

static void write_head(const struct table *table, size_t from, size_t count, FILE *out)
{
    for (size_t column = 0; column < table->columns; column++)
        write_head_cell(table->rows + from, count, column, out);
    fputs("|\n", out);
    for (size_t column = 0; column < table->columns; column++)
        fputs("|---", out);
    fputs("|\n", out);
}

static void write_row(const struct table *table, const struct row *row, const char *section,
                      FILE *out)
{
    for (size_t column = 0; column < table->columns; column++) {
        fputs("| ", out);
        if (column == 0 && *section)
            fprintf(out, "%s: ", section);
        fprintf(out, "%s ", cell_of(row, column));
    }
    fputs("|\n", out);
}

/* Whether rows are headed by their first cells and columns have no heads. */
static bool is_list(const struct table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        if (!table->rows[i].is_headed || table->rows[i].is_head)
            return false;
    }
    return table->columns > 1;
}

static void write_list(const struct table *table, FILE *out)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct row *row = &table->rows[i];

        fprintf(out, "- %s:", cell_of(row, 0));
        for (size_t column = 1; column < row->count; column++)
            fprintf(out, "%s %s", column > 1 ? "," : "", row->cells[column]);
        fputc('\n', out);
    }
}

bool table_is_label(const char *text)
{
    size_t length = strlen(text);

    return (length && text[length - 1] == ':') ||
           (length >= 3 && memcmp(text + length - 3, "\xef\xbc\x9a", 3) == 0);
}

void table_write_fields(const char *const *cells, size_t count, FILE *out)
{
    bool any = false, is_label = false;

    for (size_t i = 0; i < count; i++) {
        if (!*cells[i])
            continue;
        fputs(!any ? "- " : table_is_label(cells[i]) ? "\n- " : is_label ? " " : ": ", out);
        fputs(cells[i], out);
        is_label = table_is_label(cells[i]) || any;
        any = true;
    }
    if (any)
        fputc('\n', out);
}

/* Whether it is a form: pairs of a label, which ends with a colon, and a value. */
static bool is_form(const struct table *table)
{
    size_t labels = 0, rows = 0;

    for (size_t i = 0; i < table->count; i++) {
        if (table->rows[i].is_head)
            return false;
        rows += *cell_of(&table->rows[i], 0) != 0;
        labels += table_is_label(cell_of(&table->rows[i], 0));
    }
    return rows && labels * 10 >= rows * 6;
}

/* Whether two columns are names and values without heads: the first value is a figure, others are
 * not all. */
static bool is_pairs(const struct table *table)
{
    const char *first = cell_of(&table->rows[0], 1);

    for (size_t i = 0; i < table->count; i++)
        if (table->rows[i].is_head || table->rows[i].wide || table->rows[i].rows > 1)
            return false;
    return table->columns == 2 && *first >= '0' && *first <= '9' && table->count > 1;
}

static void write_form(const struct table *table, FILE *out)
{
    for (size_t i = 0; i < table->count; i++)
        table_write_fields(table->rows[i].cells, table->rows[i].count, out);
    fputc('\n', out);
}

static void write_lines(const struct table *table, size_t from, FILE *out)
{
    for (size_t i = from; i < table->count; i++)
        if (*cell_of(&table->rows[i], 0))
            fprintf(out, "%s\n\n", cell_of(&table->rows[i], 0));
}

void table_write(struct table *table, FILE *out)
{
    size_t from = 0, head;
    const char *section = "";

    end_row(table);
    for (; from < table->count && is_section(table, &table->rows[from]); from++)
        fprintf(out, "%s\n\n", cell_of(&table->rows[from], 0)); /* a title */
    if (from == table->count || table->columns < 2) {
        write_lines(table, from, out);
        return;
    }
    if (from == 0 && (is_form(table) || is_pairs(table))) {
        write_form(table, out);
        return;
    }
    if (is_list(table)) {
        write_list(table, out);
        fputc('\n', out);
        return;
    }
    if (from + 1 == table->count) { /* it has no rows below */
        write_row(table, &table->rows[from], "", out);
        fputc('\n', out);
        return;
    }
    head = head_rows(table, from);
    write_head(table, from, head, out);
    for (size_t i = from + head; i < table->count; i++) {
        if (is_section(table, &table->rows[i]))
            section = cell_of(&table->rows[i], 0);
        else
            write_row(table, &table->rows[i], section, out);
    }
    fputc('\n', out);
}
