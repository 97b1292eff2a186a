/* The grid of a table without its lines: strips that stay free of words from row to row. Rows with
 * most cells define the strips; other rows narrow them, or are cells that span them. Runs in a
 * child process that exits afterwards, so nothing is freed. */
#include "documents/layout_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LOOSE_ROWS = 8,   /* from so many rows on, one in ten may disturb a strip */
    FIRST_ROWS = 4,   /* that may be further apart */
    LONE_MOST = 3,    /* rows of one cell in succession */
    BANDS_MOST = 400, /* of one table */
    CODES_SHARE = 3,  /* units and codes beside words from right to left */
    PROSE_WORDS = 6   /* words of a line of running text */
};

static const float strip_least = 0.1F; /* em, width of a strip */
static const float blank_most = 0.5F;  /* em, between words */
static const float first_gap = 2.6F;   /* em, between the first rows */
static const float gap_floor = 0.75F;  /* em: rows so close may always belong together */
static const float lone_floor = 0.6F;  /* the same for a row of one cell */
static const float lone_growth = 1.3F;
static const float gap_growth = 1.7F; /* of the largest gap so far */
static const float tail_gap = 0.5F;   /* em, to the last lines of the last row */
static const float prose_fill = 0.7F; /* of the width of a column: lines of running text */

struct strips {
    struct gutter items[GRID_COLUMNS_MAX];
    size_t count;
};

/* The most segments of a row, and the number of rows with several. */
static size_t most_segments(const struct band *bands, size_t count, size_t *split)
{
    size_t most = 0;

    *split = 0;
    for (size_t i = 0; i < count; i++) {
        most = bands[i].segment_count > most ? bands[i].segment_count : most;
        *split += bands[i].segment_count > 1;
    }
    return most;
}

/* Adds the strip between two columns if it is wide enough. */
static void add_strip(struct strips *strips, float left, float right, float em)
{
    if (right - left >= strip_least * em && strips->count < GRID_COLUMNS_MAX - 1)
        strips->items[strips->count++] = (struct gutter){left, right};
}

struct edge {
    float at;
    int step;
};

static int compare_edges(const void *a, const void *b)
{
    float left = ((const struct edge *)a)->at, right = ((const struct edge *)b)->at;

    return (left > right) - (left < right);
}

/* Strips that at most `tolerated` of the spans cover. */
static void sweep(struct edge *edges, size_t count, int tolerated, float em, struct strips *strips)
{
    int depth = 0;
    float open_at = 0;
    bool is_open = false, any = false;

    qsort(edges, count, sizeof *edges, compare_edges);
    for (size_t i = 0; i < count; i++) {
        int before = depth;

        depth += edges[i].step;
        if (before > tolerated && depth <= tolerated) {
            open_at = edges[i].at;
            is_open = any;
        } else if (before <= tolerated && depth > tolerated) {
            if (is_open)
                add_strip(strips, open_at, edges[i].at, em);
            is_open = false;
            any = true;
        }
    }
}

static size_t strips_of(const struct band *bands, size_t count, size_t least, float em,
                        struct strips *strips)
{
    struct edge *edges;
    size_t made = 0, rows = 0, all = 0;

    for (size_t i = 0; i < count; i++)
        all += bands[i].segment_count;
    edges = layout_memory(2 * all, sizeof *edges);
    for (size_t i = 0; i < count; i++) {
        if (bands[i].segment_count < least)
            continue;
        rows++;
        for (size_t j = 0; j < bands[i].segment_count; j++) {
            edges[made++] = (struct edge){bands[i].segments[j].left, 1};
            edges[made++] = (struct edge){bands[i].segments[j].right, -1};
        }
    }
    strips->count = 0;
    sweep(edges, made, rows >= LOOSE_ROWS ? (int)(rows / 10) : 0, em, strips);
    free(edges);
    return rows;
}

/* Whether a row has a cell on both sides of strip `at`, next to it. */
static bool has_both(const struct band *band, const struct strips *strips, size_t at)
{
    float left = at ? strips->items[at - 1].right : -INFINITY;
    float right = at + 1 < strips->count ? strips->items[at + 1].left : INFINITY;
    bool before = false, after = false;

    for (size_t i = 0; i < band->segment_count; i++) {
        const struct segment *segment = &band->segments[i];

        before |= segment->right <= strips->items[at].left + 0.01F && segment->right > left;
        after |= segment->left >= strips->items[at].right - 0.01F && segment->left < right;
    }
    return before && after;
}

/* Removes the narrowest strip that no row with most cells needs: cells of one column may stand left
 * and right of it. */
static bool remove_needless(const struct band *bands, size_t count, size_t least,
                            struct strips *strips)
{
    size_t best = strips->count;

    for (size_t at = 0; at < strips->count; at++) {
        bool needed = false;
        float width = strips->items[at].right - strips->items[at].left;

        for (size_t i = 0; i < count && !needed; i++)
            needed = bands[i].segment_count >= least && has_both(&bands[i], strips, at);
        if (!needed &&
            (best == strips->count || width < strips->items[best].right - strips->items[best].left))
            best = at;
    }
    if (best == strips->count)
        return false;
    strips->count--;
    memmove(strips->items + best, strips->items + best + 1,
            (strips->count - best) * sizeof *strips->items);
    return true;
}

/* A cell that begins within a strip belongs to the column on its right, as a head does whose
 * figures are aligned on the right, unless that column has another cell in the row. */
static void end_before_cell(const struct band *band, struct gutter *strip, float next, float em)
{
    for (size_t i = 0; i < band->segment_count; i++) {
        const struct segment *segment = &band->segments[i];
        bool is_alone = i + 1 == band->segment_count || segment[1].left >= next;

        if (segment->left < strip->left + strip_least * em || segment->right > strip->right)
            continue;
        if (is_alone)
            strip->right = segment->left;
        return;
    }
}

/* The free part of a strip in a row: the one before a word at the edge of the next column, else the
 * widest. False when no part is wider than a blank. */
static bool narrow(const struct band *band, struct gutter *strip, float next, float em)
{
    struct gutter best = {0, 0};
    float at, best_width = 0;

    end_before_cell(band, strip, next, em);
    at = strip->left;
    for (size_t i = 0; i <= band->count; i++) {
        bool is_last = i == band->count;
        float left = is_last ? INFINITY : band->words[i].left;
        float right = is_last ? INFINITY : band->words[i].right;
        float end = fminf(left, strip->right), width = end - at;

        if (right <= strip->left)
            continue;
        if (end > at && width >= strip_least * em) {
            bool touches = fabsf(end - strip->right) < 0.15F * em;
            float worth = touches ? width + 100 * em : width > blank_most * em ? width : 0;

            if (worth > best_width) {
                best_width = worth;
                best = (struct gutter){at, end};
            }
        }
        at = fmaxf(at, right);
        if (at >= strip->right)
            break;
    }
    if (best_width > 0)
        *strip = best;
    return best_width > 0;
}

bool grid_is_crossed(const struct band *band, const struct gutter *gutter, float em)
{
    for (size_t i = 0; i < band->count; i++) {
        const struct word *word = &band->words[i];
        float covered = fminf(word->right, gutter->right) - fmaxf(word->left, gutter->left);

        if (covered > fminf(0.1F * em, (gutter->right - gutter->left) * 0.5F))
            return true;
    }
    return false;
}

/* Whether the row is one cell across columns, such as the title of the rows below it. */
static bool is_across(const struct band *band, const struct strips *strips, float em)
{
    for (size_t i = 0; i < strips->count; i++)
        if (grid_is_crossed(band, &strips->items[i], em))
            return true;
    return false;
}

/* Narrows the strips by rows with fewer cells, those with most first. Returns how many rows leave
 * no part of a strip free. */
static size_t narrow_all(const struct band *bands, size_t count, size_t least, float em,
                         struct strips *strips)
{
    size_t across = 0;

    for (size_t cells = least; cells-- > 0;) {
        for (size_t i = 0; i < count; i++) {
            struct strips narrower = *strips;
            bool fits = true;

            if (bands[i].segment_count != cells)
                continue;
            for (size_t j = 0; j < strips->count && fits; j++)
                fits = narrow(&bands[i], &narrower.items[j],
                              j + 1 < strips->count ? strips->items[j + 1].left : INFINITY, em);
            if (fits)
                *strips = narrower;
            else
                across++;
        }
    }
    return across;
}

/* The strips of so many bands, by the rows with most cells that agree. */
static bool make_strips(const struct band *bands, size_t count, float em, struct strips *strips)
{
    size_t split, most = most_segments(bands, count, &split);

    for (size_t least = most; least >= 2 && split >= 2; least--) {
        size_t rows = strips_of(bands, count, least, em, strips), across;

        while (strips->count >= most && remove_needless(bands, count, least, strips))
            ;
        if (!strips->count || strips->count >= most)
            continue;
        across = narrow_all(bands, count, least, em, strips);
        if (rows >= 2 ? across * 5 <= count * 2 : across == 0)
            return true;
    }
    return false;
}

/* Whether the next band can belong to the table that ends before it. */
static bool is_near(const struct bands *bands, size_t first, size_t at, float *largest)
{
    bool is_lone = bands->items[at].segment_count < 2;
    float gap = bands->items[at].top - bands->items[at - 1].bottom;
    float floor = is_lone ? lone_floor : at - first < FIRST_ROWS ? first_gap : gap_floor;
    float limit = fmaxf(floor * bands->em, (is_lone ? lone_growth : gap_growth) * *largest);

    if (gap > limit)
        return false;
    *largest = fmaxf(*largest, gap);
    return true;
}

static void take(struct grid *grid, const struct strips *strips, size_t end)
{
    memcpy(grid->gutters, strips->items, strips->count * sizeof *strips->items);
    grid->count = strips->count;
    grid->end = end;
}

/* Whether a row whose cells have only blanks between them fits the columns; then adds it. */
static bool fits_columns(const struct bands *bands, struct grid *grid, size_t at)
{
    const struct band *band = &bands->items[at];
    struct strips strips = {.count = grid->count};
    size_t first, last;

    if (!grid->count)
        return false;
    memcpy(strips.items, grid->gutters, grid->count * sizeof *grid->gutters);
    for (size_t i = 0; i < strips.count; i++)
        if (!narrow(band, &strips.items[i],
                    i + 1 < strips.count ? strips.items[i + 1].left : INFINITY, bands->em))
            return false;
    first = grid_column(grid, band->words[0].left);
    last = grid_column(grid, band->words[band->count - 1].right);
    if (first == last)
        return false;
    take(grid, &strips, at + 1);
    return true;
}

/* Extends the table downwards while its strips stay. */
static bool extend(const struct bands *bands, struct grid *grid)
{
    float largest = 0;
    size_t lone = 0, across = 0;
    struct strips strips = {.count = 0};

    for (size_t at = grid->first + 1; at < bands->count && at - grid->first < BANDS_MOST; at++) {
        const struct band *band = &bands->items[at];

        if (!is_near(bands, grid->first, at, &largest))
            break;
        if (band->segment_count < 2 && fits_columns(bands, grid, at)) {
            lone = 0;
            continue;
        }
        if (band->segment_count < 2) {
            strips.count = grid->count;
            memcpy(strips.items, grid->gutters, grid->count * sizeof *grid->gutters);
            if (++lone > LONE_MOST || (lone > 1 && is_across(band, &strips, bands->em) &&
                                       is_across(band - 1, &strips, bands->em)))
                break;
            continue;
        }
        if (!make_strips(bands->items + grid->first, at + 1 - grid->first, bands->em, &strips)) {
            if (grid->count || at - grid->first > 2)
                break;
            continue;
        }
        if (strips.count < grid->count || (is_across(band, &strips, bands->em) && ++across > 1))
            break;
        if (is_across(band, &strips, bands->em))
            continue;
        across = 0;
        lone = 0;
        take(grid, &strips, at + 1);
    }
    return grid->count > 0;
}

bool grid_is_from_right(const struct bands *bands, const struct grid *grid)
{
    size_t count = 0;

    for (size_t i = grid->first; i < grid->end; i++)
        count += bands->items[i].count;
    return words_are_from_right(bands->items[grid->first].words, count, CODES_SHARE);
}

/* Adds the last lines of the cells of the last row. */
static void add_tail(const struct bands *bands, struct grid *grid)
{
    struct strips strips = {.count = grid->count};

    memcpy(strips.items, grid->gutters, grid->count * sizeof *grid->gutters);
    while (grid->end < bands->count) {
        const struct band *band = &bands->items[grid->end];

        if (band->segment_count > 1 || band->top - band[-1].bottom > tail_gap * bands->em ||
            is_across(band, &strips, bands->em) ||
            grid_column(grid, band->words[0].left) ==
                (grid_is_from_right(bands, grid) ? grid->count : 0))
            break;
        grid->end++;
    }
}

size_t grid_column(const struct grid *grid, float at)
{
    size_t column = 0;

    while (column < grid->count &&
           at > (grid->gutters[column].left + grid->gutters[column].right) / 2)
        column++;
    return column;
}

struct measure {
    size_t lines, words, labels;
    float left, right, sum;
};

static void measure_columns(const struct bands *bands, const struct grid *grid,
                            struct measure sides[2])
{
    for (size_t i = grid->first; i < grid->end; i++) {
        const struct band *band = &bands->items[i];

        for (size_t j = 0; j < band->segment_count; j++) {
            const struct segment *segment = &band->segments[j];
            struct measure *side =
                &sides[grid_column(grid, (segment->left + segment->right) / 2) > 0];

            for (size_t word = segment->first; word + 1 < segment->end; word++) {
                const char *text = band->words[word].text;

                side->labels += text[0] && text[strlen(text) - 1] == ':';
            }
            side->left = side->lines ? fminf(side->left, segment->left) : segment->left;
            side->right = side->lines ? fmaxf(side->right, segment->right) : segment->right;
            side->sum += segment->right - segment->left;
            side->words += segment->end - segment->first;
            side->lines++;
        }
    }
}

static bool is_prose(const struct measure *side, size_t bands)
{
    return side->lines * 10 >= bands * 8 && side->words >= side->lines * PROSE_WORDS &&
           side->sum >= prose_fill * (float)side->lines * (side->right - side->left);
}

/* Two texts side by side: running text, or lines that each have their own label. */
static bool is_text(const struct bands *bands, const struct grid *grid)
{
    struct measure sides[2] = {{0}, {0}};

    if (grid->count != 1)
        return false;
    measure_columns(bands, grid, sides);
    return (is_prose(&sides[0], grid->end - grid->first) &&
            is_prose(&sides[1], grid->end - grid->first)) ||
           sides[1].labels * 2 > sides[1].lines;
}

/* Removes rows across columns from the end: text that follows the table. */
static void trim(const struct bands *bands, struct grid *grid)
{
    struct strips strips = {.count = grid->count};

    memcpy(strips.items, grid->gutters, grid->count * sizeof *grid->gutters);
    while (grid->end > grid->first + 1 &&
           is_across(&bands->items[grid->end - 1], &strips, bands->em))
        grid->end--;
}

bool grid_find(const struct bands *bands, size_t first, struct grid *grid)
{
    *grid = (struct grid){.first = first, .end = first + 1};
    if (bands->items[first].segment_count < 2 || !extend(bands, grid))
        return false;
    trim(bands, grid);
    if (grid->end - grid->first < 2)
        return false;
    add_tail(bands, grid);
    grid->is_text = is_text(bands, grid);
    return true;
}
