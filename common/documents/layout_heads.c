/* The heads of a table: which rows they are, and which columns each of them spans. Runs in a child
 * process that exits afterwards, so nothing is freed. */
#include "documents/layout_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const float apart = 0.5F;     /* em: a head so far above the next line is a row of its own */
static const float skip_cost = 3.0F; /* em, of a column without a head above it */
static const float extra_cost = 0.15F; /* em, of each further column that a head spans */

static bool is_year(const char *text)
{
    return strlen(text) == 4 && strspn(text, "0123456789") == 4 &&
           (memcmp(text, "19", 2) == 0 || memcmp(text, "20", 2) == 0);
}

static bool is_value(const struct cell *cell)
{
    return cell->text && layout_is_figure(cell->text) && !is_year(cell->text);
}

static bool begins_with_letter(const char *text)
{
    return ((unsigned char)*text | 32) >= 'a' && (unsigned char)*text != 0xc2 &&
           (unsigned char)*text != 0xe2; /* signs of currencies */
}

/* Whether most cells of a column, from row `first` on, are figures. */
static bool has_figures(const struct table_rows *rows, size_t column, size_t first)
{
    size_t cells = 0, figures = 0;

    for (size_t i = first; i < rows->count; i++) {
        const struct cell *cell = &rows->items[i].cells[column];

        if (!cell->text || rows->items[i].is_section)
            continue;
        cells++;
        figures += layout_is_figure(cell->text);
    }
    return cells && figures * 10 >= cells * 6;
}

/* Whether the cells of a column below a row mostly begin with their figures: a head such as
 * "Tram 4" or "Q1" does not. */
static bool is_named_figure(const struct table_rows *rows, size_t column, size_t row)
{
    const char *text = rows->items[row].cells[column].text;
    size_t cells = 0, named = 0;

    for (size_t i = row + 1; i < rows->count; i++) {
        const char *below = rows->items[i].cells[column].text;

        if (below && !rows->items[i].is_section && layout_is_figure(below)) {
            cells++;
            named += begins_with_letter(below);
        }
    }
    return text && begins_with_letter(text) && named * 10 < cells * 3;
}

static bool is_head(const struct table_rows *rows, size_t row)
{
    size_t against = 0, evidence = 0, figures = 0;

    for (size_t i = 0; i < rows->columns; i++) {
        const struct cell *cell = &rows->items[row].cells[i];
        bool is_figure;

        if (!has_figures(rows, i, row + 1))
            continue;
        figures++;
        is_figure = is_value(cell) && !is_named_figure(rows, i, row);
        against += is_figure;
        evidence += cell->text && !is_figure;
    }
    if (figures)
        return evidence > against;
    for (size_t i = 0; i < rows->columns; i++)
        against += is_value(&rows->items[row].cells[i]);
    return against == 0;
}

/* A second row of heads below cells that span columns, or below others with gaps. */
static bool is_second_head(const struct table_rows *rows)
{
    const struct table_row *first = &rows->items[0], *second = &rows->items[1];
    bool spans = false;
    size_t figures = 0;

    if (rows->count < 3 || second->is_section || second->filled <= 1 || !is_head(rows, 1))
        return false;
    for (size_t i = 0; i < rows->columns; i++) {
        spans |= first->cells[i].text && first->cells[i].columns > 1;
        figures += has_figures(rows, i, 2);
    }
    return spans || (first->filled < rows->columns && second->filled + 1 >= first->filled &&
                     (figures || !second->cells[0].text));
}

size_t rows_heads(const struct table_rows *rows)
{
    if (rows->count < 2 || rows->items[0].is_section || !is_head(rows, 0))
        return 0;
    return is_second_head(rows) ? 2 : 1;
}

struct extents {
    float left[GRID_COLUMNS_MAX], right[GRID_COLUMNS_MAX];
    float text[GRID_COLUMNS_MAX]; /* where the head below begins */
};

static struct extents column_extents(const struct table_rows *lines, const struct grid *grid,
                                     bool from_right)
{
    struct extents columns;
    float left = INFINITY, right = -INFINITY;

    for (size_t i = 0; i < lines->count; i++) {
        for (size_t j = 0; j < lines->columns; j++) {
            if (!lines->items[i].cells[j].text)
                continue;
            left = fminf(left, lines->items[i].cells[j].left);
            right = fmaxf(right, lines->items[i].cells[j].right);
        }
    }
    for (size_t i = 0; i < lines->columns; i++) {
        size_t column = from_right ? lines->columns - 1 - i : i;
        const struct gutter *before = i ? &grid->gutters[i - 1] : NULL;
        const struct gutter *after = i < grid->count ? &grid->gutters[i] : NULL;

        columns.left[column] = before ? (before->left + before->right) / 2 : left;
        columns.right[column] = after ? (after->left + after->right) / 2 : right;
    }
    return columns;
}

/* How badly a head fits above columns `from` to `to`. */
static float misfit(const struct cell *cell, const struct extents *columns, size_t from, size_t to,
                    float em)
{
    float left = fminf(columns->left[from], columns->left[to]);
    float right = fmaxf(columns->right[from], columns->right[to]);
    float outside = fmaxf(0, left - cell->left) + fmaxf(0, cell->right - right);
    float off_center = fabsf((cell->left + cell->right) / 2 - (left + right) / 2);
    float off_left = fabsf(cell->left - fminf(columns->text[from], columns->text[to])) + 0.1F * em;
    float off = fminf(off_center, off_left);

    return off + 2 * outside + extra_cost * em * (float)(to - from);
}

/* Distributes the heads of a line over the columns, at the least cost (dynamic programming). */
static void spread(const struct table_row *line, const struct extents *columns, size_t count,
                   float em, bool must_cover, size_t owner[GRID_COLUMNS_MAX])
{
    size_t heads[GRID_COLUMNS_MAX], made = 0;
    float best[GRID_COLUMNS_MAX + 1][GRID_COLUMNS_MAX + 1];
    size_t choice[GRID_COLUMNS_MAX + 1][GRID_COLUMNS_MAX + 1];
    float skip = must_cover ? skip_cost * em : 0;

    for (size_t i = 0; i < count; i++)
        if (line->cells[i].text)
            heads[made++] = i;
    for (size_t column = 0; column <= count; column++) {
        for (size_t head = 0; head <= made; head++) {
            best[column][head] = column || head ? INFINITY : 0;
            choice[column][head] = 0;
            if (column && best[column - 1][head] + (column > 1 ? skip : 0) < best[column][head]) {
                best[column][head] = best[column - 1][head] + (column > 1 ? skip : 0);
                choice[column][head] = 0;
            }
            for (size_t wide = 1; head && wide <= column; wide++) {
                float cost =
                    best[column - wide][head - 1] +
                    misfit(&line->cells[heads[head - 1]], columns, column - wide, column - 1, em);

                if (cost < best[column][head]) {
                    best[column][head] = cost;
                    choice[column][head] = wide;
                }
            }
        }
    }
    for (size_t column = count, head = made; column;) {
        size_t wide = isfinite(best[column][head]) ? choice[column][head] : 0;

        if (!wide) {
            owner[--column] = SIZE_MAX;
            continue;
        }
        head--;
        while (wide--)
            owner[--column] = heads[head];
    }
}

/* The line with the most heads tells what the columns are; the lowest of several. */
static size_t fullest(const struct table_rows *lines, size_t end)
{
    size_t best = 0;

    for (size_t i = 1; i < end; i++)
        if (lines->items[i].filled >= lines->items[best].filled)
            best = i;
    return best;
}

/* Whether heads repeat in a line: then those above them tell them apart. */
static bool has_equal_heads(const struct table_row *line, size_t columns)
{
    for (size_t i = 0; i < columns; i++)
        for (size_t j = i + 1; j < columns; j++)
            if (line->cells[i].text && line->cells[j].text &&
                strcmp(line->cells[i].text, line->cells[j].text) == 0)
                return true;
    return false;
}

static void add_text(char **head, const char *text)
{
    if (text)
        *head = rows_append(*head, text);
}

char **rows_head_texts(const struct table_rows *lines, const struct table_rows *rows,
                       const struct grid *grid, size_t heads)
{
    size_t end = heads < rows->count ? rows->items[heads].line : lines->count;
    size_t full = fullest(lines, end), owner[GRID_COLUMNS_MAX];
    struct extents columns = column_extents(lines, grid, lines->from_right);
    char **texts = layout_memory(lines->columns, sizeof *texts);

    for (size_t i = 0; i < lines->columns; i++)
        columns.text[i] =
            lines->items[full].cells[i].text ? lines->items[full].cells[i].left : columns.left[i];

    for (size_t i = 0; i < end; i++) {
        const struct table_row *line = &lines->items[i];
        bool is_apart = i < full && (lines->items[full].top - line->bottom > apart * lines->em ||
                                     has_equal_heads(&lines->items[full], lines->columns));

        if (i < full && line->filled < lines->items[full].filled)
            spread(line, &columns, lines->columns, lines->em, is_apart, owner);
        else
            for (size_t j = 0; j < lines->columns; j++)
                owner[j] = j;
        for (size_t j = 0; j < lines->columns; j++)
            add_text(&texts[j], owner[j] < lines->columns ? line->cells[owner[j]].text : NULL);
    }
    return texts;
}
