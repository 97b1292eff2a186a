/* Headers, footers and page numbers: lines at the edges of pages that are the same, apart from
 * their figures, on most neighboring pages. Runs in a child process that exits afterwards, so
 * nothing is freed. */
#include "documents/layout_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { EDGE_LINES = 3, NEIGHBORS = 3, LINE_BYTES = 300 };

static const float edge_share = 0.14F; /* of the height of a page: where headers and footers are */

struct edge_line {
    char text[LINE_BYTES]; /* "#" in place of figures */
    float top, bottom;
    bool is_number; /* nothing but the number of the page */
    bool repeats;
};

struct edges {
    struct edge_line lines[2 * EDGE_LINES];
    size_t count;
};

static void normalize(const char *text, struct edge_line *line)
{
    size_t length = 0;
    bool figure = false;

    for (; *text && length + 2 < LINE_BYTES; text++) {
        bool digit = *text >= '0' && *text <= '9';

        if (!digit)
            line->text[length++] = *text;
        else if (!figure)
            line->text[length++] = '#';
        figure = digit;
    }
    line->text[length] = '\0';
}

/* "7", "- 7 -", "Page 7 of 9", "7/9": a number with at most two words. */
static bool is_page_number(const char *pattern)
{
    size_t letters = 0, figures = 0, words = 1;

    for (const char *at = pattern; *at; at++) {
        figures += *at == '#';
        words += *at == ' ';
        letters += ((unsigned char)*at | 32) >= 'a';
    }
    return figures && figures <= 2 && words <= 4 && letters <= 12;
}

static void add_edge(struct edges *edges, const struct band *band, const struct bands *bands)
{
    struct edge_line *line = &edges->lines[edges->count++];

    normalize(band_text(band, 0, band->count, bands->em, false), line);
    line->top = band->top;
    line->bottom = band->bottom;
    line->is_number = is_page_number(line->text);
}

static struct edges edges_of(struct word_page *page)
{
    struct bands bands = bands_make(page->words, page->count);
    struct edges edges = {.count = 0};
    size_t upper = 0, lower = bands.count;

    while (upper < bands.count && upper < EDGE_LINES &&
           bands.items[upper].bottom < edge_share * page->height)
        add_edge(&edges, &bands.items[upper++], &bands);
    while (lower > upper && bands.count - lower < EDGE_LINES &&
           bands.items[lower - 1].top > (1 - edge_share) * page->height)
        add_edge(&edges, &bands.items[--lower], &bands);
    return edges;
}

static bool has_line(const struct edges *edges, const struct edge_line *line)
{
    for (size_t i = 0; i < edges->count; i++) {
        const struct edge_line *other = &edges->lines[i];
        float height = line->bottom - line->top;

        if (fabsf(other->top - line->top) < height && strcmp(other->text, line->text) == 0)
            return true;
    }
    return false;
}

/* A line repeats when two of the pages near it have it, or the only other page. */
static void find_repeated(struct edges *edges, size_t count, size_t page)
{
    size_t first = page > NEIGHBORS ? page - NEIGHBORS : 0;
    size_t end = page + NEIGHBORS + 1 < count ? page + NEIGHBORS + 1 : count;

    for (size_t i = 0; i < edges[page].count; i++) {
        struct edge_line *line = &edges[page].lines[i];
        size_t same = 0;

        for (size_t other = first; other < end; other++)
            same += other != page && has_line(&edges[other], line);
        line->repeats = same >= 2 || (same == 1 && (count == 2 || line->is_number));
    }
}

static bool is_removed(const struct edges *edges, const struct word *word)
{
    float middle = (word->top + word->bottom) / 2;

    for (size_t i = 0; i < edges->count; i++)
        if (edges->lines[i].repeats && middle >= edges->lines[i].top &&
            middle <= edges->lines[i].bottom)
            return true;
    return false;
}

/* The lines of a page that has no other text are its text. */
static void remove_from(struct word_page *page, const struct edges *edges)
{
    size_t kept = 0, count = page->count;
    struct word *words = layout_memory(count, sizeof *words);

    for (size_t i = 0; i < count; i++)
        if (!is_removed(edges, &page->words[i]))
            words[kept++] = page->words[i];
    if (!kept) {
        free(words);
        return;
    }
    free(page->words);
    page->words = words;
    page->count = kept;
}

void margins_remove(struct word_pages *pages)
{
    struct edges *edges = layout_memory(pages->count, sizeof *edges);

    for (size_t i = 0; i < pages->count; i++)
        edges[i] = edges_of(&pages->items[i]);
    for (size_t i = 0; i < pages->count; i++)
        find_repeated(edges, pages->count, i);
    for (size_t i = 0; i < pages->count; i++)
        remove_from(&pages->items[i], &edges[i]);
    free(edges);
}
