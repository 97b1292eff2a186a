/* From lines to rows: wrapped cells are joined, first cells that span rows are repeated. The lines
 * of a cell are closer to each other than rows are; where all are equally close, a line without a
 * first cell continues the row above. Runs in a child process that exits afterwards, so nothing is
 * freed. */
#include "documents/layout_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SPANS_ROWS_MAX = 400, SHIFTED_MAX = 3 /* lines */ };

static const float close_lines = 0.45F; /* em, between the lines of a cell at most */
static const float jump_least = 0.08F;  /* em, between the gaps within cells and between rows */
static const float interleaved = -0.1F; /* em: lines of cells beside each other overlap */
static const float even_span = 0.3F; /* of a row's height: how exactly a label is in the middle */

char *rows_append(char *text, const char *line)
{
    size_t length = text ? strlen(text) : 0;
    char *joined = layout_memory(length + strlen(line) + 2, 1);

    if (length)
        memcpy(joined, text, length);
    if (length > 1 && text[length - 1] == '-' && ((unsigned char)text[length - 2] | 32) >= 'a' &&
        *line >= 'a' && *line <= 'z')
        length--;
    else if (length &&
             !(word_is_unspaced(word_last_point(text)) && word_is_unspaced(word_first_point(line))))
        joined[length++] = ' ';
    memcpy(joined + length, line, strlen(line) + 1);
    free(text);
    return joined;
}

static void put_cell(struct table_row *row, const struct bands *bands, const struct band *band,
                     size_t column, size_t columns, size_t first, size_t end, bool from_right)
{
    struct cell *cell = &row->cells[column];

    *cell = (struct cell){band_text(band, first, end, bands->em, from_right),
                          columns,
                          band->words[first].left,
                          band->words[end - 1].right,
                          band->top,
                          band->bottom};
    row->filled++;
}

/* The words of a line by columns. Columns are counted in reading direction. */
static void read_line(struct table_row *row, const struct bands *bands, const struct grid *grid,
                      const struct band *band, bool from_right)
{
    size_t first = 0;

    while (first < band->count) {
        const struct word *word = &band->words[first];
        size_t column = grid_column(grid, (word->left + word->right) / 2), last = column;
        size_t end = first + 1;

        for (; end < band->count; end++) {
            size_t next = grid_column(grid, (band->words[end].left + band->words[end].right) / 2);
            bool crosses = next > last;

            for (size_t gutter = last; gutter < next && crosses; gutter++)
                crosses = grid_is_crossed(band, &grid->gutters[gutter], bands->em) &&
                          band->words[end].left - band->words[end - 1].right < 0.85F * bands->em;
            if (next > last && !crosses)
                break;
            last = next > last ? next : last;
        }
        put_cell(row, bands, band, from_right ? grid->count - last : column, last - column + 1,
                 first, end, from_right);
        first = end;
    }
    row->is_section = row->filled == 1 && band->segment_count == 1;
}

struct table_rows rows_of_lines(const struct bands *bands, const struct grid *grid)
{
    struct table_rows rows = {
        .columns = grid->count + 1, .em = bands->em, .from_right = grid_is_from_right(bands, grid)};

    rows.items = layout_memory(grid->end - grid->first, sizeof *rows.items);
    for (size_t i = grid->first; i < grid->end; i++) {
        struct table_row *row = &rows.items[rows.count++];

        row->cells = layout_memory(rows.columns, sizeof *row->cells);
        row->top = bands->items[i].top;
        row->bottom = bands->items[i].bottom;
        row->line = i - grid->first;
        read_line(row, bands, grid, &bands->items[i], rows.from_right);
        if (row->is_section) {
            row->is_section = false;
            for (size_t j = 0; j < rows.columns; j++)
                row->is_section |= row->cells[j].text && row->cells[j].columns > 1;
        }
    }
    return rows;
}

static bool share_column(const struct table_row *a, const struct table_row *b, size_t columns)
{
    for (size_t i = 0; i < columns; i++)
        if (a->cells[i].text && b->cells[i].text)
            return true;
    return false;
}

static int compare_floats(const void *a, const void *b)
{
    float left = *(const float *)a, right = *(const float *)b;

    return (left > right) - (left < right);
}

/* The gap between a line and the nearest one above it that has a cell in the same column, since
 * cells beside each other may be shifted; without such a line, the gap to all above it. */
static float gap_before(const struct table_rows *rows, size_t at)
{
    const struct table_row *row = &rows->items[at];
    float bottom = row[-1].bottom;

    for (size_t back = 1; back <= at && back <= SHIFTED_MAX; back++)
        if (share_column(row - back, row, rows->columns))
            return row->top - row[-(ptrdiff_t)back].bottom;
    if (at > 1)
        bottom = fmaxf(bottom, row[-2].bottom);
    return row->top - bottom;
}

/* Whether two lines have most cells, or figures, in the same columns, as rows have. */
static bool is_full_below(const struct table_row *row, const struct table_row *above,
                          size_t columns)
{
    size_t shared = 0, figures = 0;

    for (size_t i = 0; i < columns; i++) {
        const char *text = row->cells[i].text, *upper = above->cells[i].text;

        shared += text && upper;
        figures += text && upper && layout_is_figure(text) && layout_is_figure(upper);
    }
    return figures > 0 || (shared >= 2 && shared * 10 >= columns * 6);
}

/* Whether most lines that are this close to the one above look like lines of the same row. */
static bool is_plausible(const struct table_rows *rows, float limit)
{
    size_t close = 0, full = 0;

    for (size_t i = 1; i < rows->count; i++) {
        const struct table_row *row = &rows->items[i], *above = row - 1;

        if (gap_before(rows, i) > limit)
            continue;
        close++;
        full += is_full_below(row, above, rows->columns);
    }
    return close > 0 && full * 3 < close;
}

/* The largest gap within cells; -INFINITY when gaps do not tell. */
static float largest_close_gap(const struct table_rows *rows)
{
    float *gaps = layout_memory(rows->count, sizeof *gaps), limit = -INFINITY, jump = 0;
    size_t count = rows->count - 1;

    for (size_t i = 1; i < rows->count; i++)
        gaps[i - 1] = gap_before(rows, i);
    qsort(gaps, count, sizeof *gaps, compare_floats);
    for (size_t i = 0; i + 1 < count; i++) {
        float step = gaps[i + 1] - fmaxf(gaps[i], -0.3F * rows->em);

        if (gaps[i] <= close_lines * rows->em && step > jump) {
            jump = step;
            limit = (gaps[i] + gaps[i + 1]) / 2;
        }
    }
    free(gaps);
    return jump >= jump_least * rows->em && is_plausible(rows, limit) ? limit : -INFINITY;
}

static bool begins_small(const char *text)
{
    return (*text >= 'a' && *text <= 'z') || *text == '(' || *text == '/';
}

/* Whether a line without gaps that tell continues the row above. */
static bool continues_by_cells(const struct table_rows *rows, size_t at)
{
    const struct table_row *row = &rows->items[at], *above = row - 1;
    size_t figures = 0, below = 0;

    if (row->is_section || above->is_section || !share_column(row, above, rows->columns))
        return false;
    if (row->cells[0].text)
        return row->filled == 1 && rows->columns > 1 && begins_small(row->cells[0].text);
    for (size_t i = 1; i < rows->columns; i++) {
        const char *text = row->cells[i].text, *upper = above->cells[i].text;
        bool is_figure = text && layout_is_figure(text);

        figures += is_figure;
        below += is_figure && upper && layout_is_figure(upper);
    }
    if (below && row->filled == below + 1) /* a label and its figures, such as a total */
        return false;
    return row->filled * 2 < rows->columns || (!figures && row->filled < above->filled);
}

/* Whether a line beside the middle of a first cell begins a row: the line above that cell has the
 * same columns, and is not close. */
static bool is_shifted_row(const struct table_rows *rows, size_t at, float gap, float limit)
{
    const struct table_row *row = &rows->items[at];

    if (at < 2 || !share_column(row - 2, row, rows->columns) ||
        row[-1].top > row[-2].bottom + interleaved * rows->em)
        return false;
    return isfinite(limit) ? gap > limit : row->filled >= 2 || gap > close_lines * rows->em;
}

static bool continues(const struct table_rows *rows, size_t at, float limit)
{
    const struct table_row *row = &rows->items[at];
    float gap = gap_before(rows, at);

    if (row->is_section || row[-1].is_section)
        return false;
    if (row->top - row[-1].bottom < interleaved * rows->em &&
        !share_column(row, row - 1, rows->columns))
        return !is_shifted_row(rows, at, gap, limit);
    if (isfinite(limit))
        return gap <= limit;
    return continues_by_cells(rows, at);
}

static void merge(struct table_row *row, const struct table_row *line, size_t columns)
{
    for (size_t i = 0; i < columns; i++) {
        struct cell *cell = &row->cells[i];
        const struct cell *more = &line->cells[i];

        if (!more->text)
            continue;
        if (!cell->text) {
            *cell = *more;
            cell->text = rows_append(NULL, more->text);
            row->filled++;
            continue;
        }
        cell->text = rows_append(cell->text, more->text);
        cell->bottom = more->bottom;
        cell->columns = more->columns > cell->columns ? more->columns : cell->columns;
    }
    row->bottom = fmaxf(row->bottom, line->bottom);
}

void rows_join(struct table_rows *rows)
{
    struct table_row *joined = layout_memory(rows->count, sizeof *joined);
    float limit = rows->count > 2 ? largest_close_gap(rows) : -INFINITY;
    size_t count = 0;

    for (size_t i = 0; i < rows->count; i++) {
        if (i && continues(rows, i, limit)) {
            merge(&joined[count - 1], &rows->items[i], rows->columns);
            continue;
        }
        joined[count] = rows->items[i];
        joined[count].cells = layout_memory(rows->columns, sizeof *joined->cells);
        for (size_t j = 0; j < rows->columns; j++) {
            joined[count].cells[j] = rows->items[i].cells[j];
            if (rows->items[i].cells[j].text)
                joined[count].cells[j].text = rows_append(NULL, rows->items[i].cells[j].text);
        }
        count++;
    }
    rows->items = joined;
    rows->count = count;
}

static float center(const struct table_row *row)
{
    return (row->top + row->bottom) / 2;
}

/* Whether each first cell is in the middle of the rows it spans; then `spans` has the last row of
 * each. */
static bool find_centered(const struct table_rows *rows, size_t first, size_t *spans)
{
    size_t start = first;

    for (size_t i = first; i < rows->count; i++) {
        const struct cell *label = &rows->items[i].cells[0];
        float middle = (label->top + label->bottom) / 2, best = INFINITY;
        size_t last = i;

        if (!label->text)
            continue;
        for (size_t end = i; end < rows->count && (end == i || !rows->items[end].cells[0].text);
             end++) {
            float off =
                fabsf(middle - (center(&rows->items[start]) + center(&rows->items[end])) / 2);

            if (off < best) {
                best = off;
                last = end;
            }
        }
        if (start > i || best > even_span * (rows->items[i].bottom - rows->items[i].top))
            return false;
        for (; start <= last; start++)
            spans[start] = i;
    }
    return start == rows->count;
}

static bool lacks_first_cell(const struct table_row *row, size_t columns)
{
    return !row->cells[0].text && row->cells[1].text && !row->is_section && row->filled >= 2 &&
           row->filled * 2 >= columns;
}

void rows_fill(struct table_rows *rows, size_t first)
{
    size_t spans[SPANS_ROWS_MAX], lacking = 0;
    bool centered;

    for (size_t i = first; i < rows->count; i++)
        lacking += lacks_first_cell(&rows->items[i], rows->columns);
    if (!lacking || rows->count > SPANS_ROWS_MAX)
        return;
    centered = find_centered(rows, first, spans);
    for (size_t i = first; i < rows->count; i++) {
        struct table_row *row = &rows->items[i];
        size_t from = centered ? spans[i] : i - 1;

        if (lacks_first_cell(row, rows->columns) && (centered || i > first)) {
            row->cells[0] = rows->items[from].cells[0];
            row->cells[0].columns = 1;
        }
    }
}
