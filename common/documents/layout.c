/* Pages as text: columns first, in them tables, and between tables paragraphs, list items and
 * headings. Runs in a child process that exits afterwards, so nothing is freed. */
#include "documents/layout.h"
#include "documents/formats.h"
#include "documents/layout_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_DEEP = 6, HEADING_BYTES = 160, HEADING_SIZES = 3 };

static const float paragraph_gap = 0.55F;  /* em, more than within a paragraph */
static const float block_gap = 0.3F;       /* em, between blocks of the program */
static const float heading_height = 1.17F; /* of the usual height of words in the document */

struct page_writer {
    FILE *out;
    float body;                 /* usual height of words in the document */
    float sizes[HEADING_SIZES]; /* heights of its headings, the largest first */
    struct table_memory memory; /* the last table */
    bool at_top;                /* nothing has been written on this page */
    bool after_table;           /* the last that was written is a table */
};

/* Unlike layout_em(), of lines: the height of a line is that of most of its words. */
static float height_of(const struct band *band)
{
    return layout_em(band->words, band->count);
}

/* The level of a heading; 0 for other lines. */
static int heading_level(const struct page_writer *writer, const struct band *band)
{
    float height = height_of(band);

    if (height < heading_height * writer->body || band->segment_count > 1)
        return 0;
    for (int i = 0; i < HEADING_SIZES; i++)
        if (height > writer->sizes[i] * 0.96F)
            return i + 1;
    return HEADING_SIZES;
}

/* An item's mark as Markdown, and the text after it. */
static const char *item_text(const char *text, bool *is_item)
{
    static const char *const marks[] = {
        "- ",           "* ",           "\xe2\x80\xa2", "\xe2\x80\x93 ",
        "\xe2\x97\xa6", "\xe2\x96\xaa", "\xe2\x97\x8f", "\xef\x82\xb7",
        "\xe2\x97\x8b", "\xe2\x96\xa0", "\xe2\x88\x99"};

    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        size_t length = strlen(marks[i]);

        /* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): texts of words are never NULL */
        if (strncmp(text, marks[i], length) == 0) {
            *is_item = true;
            text += length;
            return text + strspn(text, " ");
        }
    }
    *is_item = false;
    return text;
}

static bool ends_paragraph(const struct band *before, const struct band *band, float em)
{
    float gap = band->top - before->bottom;

    return gap > paragraph_gap * em ||
           (gap > block_gap * em && before->words[0].block != band->words[0].block) ||
           fabsf(height_of(before) - height_of(band)) > 0.2F * em;
}

static void write_line(struct page_writer *writer, const struct bands *bands,
                       const struct band *band, int level)
{
    bool is_item;
    char *line = NULL;
    bool from_right = words_are_from_right(band->words, band->count, 1);

    for (size_t i = 0; i < band->segment_count; i++) {
        const struct segment *segment =
            &band->segments[from_right ? band->segment_count - 1 - i : i];

        line =
            rows_append(line, band_text(band, segment->first, segment->end, bands->em, from_right));
    }
    if (level) {
        fprintf(writer->out, "%.*s %s", level, "####", line);
        return;
    }
    line = (char *)item_text(line, &is_item);
    fprintf(writer->out, "%s%s", is_item ? "- " : "", line);
}

/* Lines that are no table. */
static void write_text(struct page_writer *writer, const struct bands *bands, size_t first,
                       size_t end)
{
    int last_level = 0;

    for (size_t i = first; i < end; i++) {
        const struct band *band = &bands->items[i];
        int level = heading_level(writer, band);

        if (i > first && level && level == last_level &&
            band->top - band[-1].bottom < 0.5F * height_of(band)) {
            fputc(' ', writer->out); /* a heading of two lines */
            write_line(writer, bands, band, 0);
            continue;
        }
        if (i > first)
            fputs(level || last_level || ends_paragraph(band - 1, band, bands->em) ? "\n\n" : "\n",
                  writer->out);
        write_line(writer, bands, band, level);
        last_level = level;
    }
    if (end > first) {
        fputs("\n\n", writer->out);
        writer->at_top = writer->after_table = false;
    }
}

static void write_words(struct page_writer *writer, struct word *words, size_t count, int depth);

/* Moves the words that are on one side to the front; returns their number. */
static size_t part(struct word *words, size_t count, float gutter)
{
    size_t moved = 0;

    for (size_t i = 0; i < count; i++) {
        struct word kept = words[i];

        if ((kept.left + kept.right) / 2 >= gutter)
            continue;
        words[i] = words[moved];
        words[moved++] = kept;
    }
    return moved;
}

static void write_sides(struct page_writer *writer, struct word *words, size_t count, float gutter,
                        int depth, bool from_right)
{
    size_t left = part(words, count, gutter);

    if (from_right)
        write_words(writer, words + left, count - left, depth + 1);
    write_words(writer, words, left, depth + 1);
    if (!from_right)
        write_words(writer, words + left, count - left, depth + 1);
}

static void write_grid(struct page_writer *writer, const struct bands *bands,
                       const struct grid *grid, int depth)
{
    const struct band *first = &bands->items[grid->first];
    size_t count = 0;

    if (!grid->is_text || depth >= COLUMNS_DEEP) {
        grid_write(bands, grid, &writer->memory, writer->at_top && writer->after_table,
                   writer->out);
        writer->at_top = false;
        writer->after_table = true;
        return;
    }
    for (size_t i = grid->first; i < grid->end; i++)
        count += bands->items[i].count;
    write_sides(writer, first->words, count, (grid->gutters[0].left + grid->gutters[0].right) / 2,
                depth, grid_is_from_right(bands, grid));
}

static void write_bands(struct page_writer *writer, const struct bands *bands, int depth)
{
    size_t text = 0;
    struct grid grid;

    for (size_t i = 0; i < bands->count;) {
        if (heading_level(writer, &bands->items[i]) || !grid_find(bands, i, &grid)) {
            i++;
            continue;
        }
        write_text(writer, bands, text, i);
        write_grid(writer, bands, &grid, depth);
        text = i = grid.end;
    }
    write_text(writer, bands, text, bands->count);
}

/* Moves the words above a height to the front; returns their number. */
static size_t part_above(struct word *words, size_t count, float height)
{
    size_t moved = 0;

    for (size_t i = 0; i < count; i++) {
        struct word kept = words[i];

        if ((kept.top + kept.bottom) / 2 >= height)
            continue;
        words[i] = words[moved];
        words[moved++] = kept;
    }
    return moved;
}

static void write_words(struct page_writer *writer, struct word *words, size_t count, int depth)
{
    float gutter, top, bottom;
    struct bands bands;
    size_t above, within;

    if (!count)
        return;
    if (depth >= COLUMNS_DEEP ||
        !columns_find(words, count, layout_em(words, count), &gutter, &top, &bottom)) {
        bands = bands_make(words, count);
        write_bands(writer, &bands, depth);
        return;
    }
    above = part_above(words, count, top);
    within = part_above(words + above, count - above, bottom);
    write_words(writer, words, above, depth + 1);
    write_sides(writer, words + above, within, gutter, depth,
                words_are_from_right(words + above, within, 1));
    write_words(writer, words + above + within, count - above - within, depth + 1);
}

static int compare_floats(const void *a, const void *b)
{
    float left = *(const float *)a, right = *(const float *)b;

    return (left > right) - (left < right);
}

/* The usual height of words, and the heights of headings. */
static void measure(struct page_writer *writer, const struct word_pages *pages)
{
    size_t count = 0, sizes = 0;
    float *heights;

    for (size_t i = 0; i < pages->count; i++)
        count += pages->items[i].count;
    heights = layout_memory(count, sizeof *heights);
    count = 0;
    for (size_t i = 0; i < pages->count; i++)
        for (size_t j = 0; j < pages->items[i].count; j++)
            heights[count++] = pages->items[i].words[j].bottom - pages->items[i].words[j].top;
    qsort(heights, count, sizeof *heights, compare_floats);
    writer->body = count ? heights[count / 2] : 1;
    for (size_t i = count; i-- && sizes < HEADING_SIZES;) {
        if (heights[i] < heading_height * writer->body)
            break;
        if (!sizes || heights[i] < 0.93F * writer->sizes[sizes - 1])
            writer->sizes[sizes++] = heights[i];
    }
    free(heights);
}

void layout_write(struct word_pages *pages, FILE *out)
{
    struct page_writer writer = {.out = out};

    margins_remove(pages);
    measure(&writer, pages);
    for (size_t i = 0; i < pages->count; i++) {
        writer.at_top = true;
        write_words(&writer, pages->items[i].words, pages->items[i].count, 0);
        fputc('\f', out);
    }
}

enum format_result format_read_words(FILE *in, FILE *out, bool is_scan)
{
    struct word_pages pages = positioned_read(in, is_scan);

    layout_write(&pages, out);
    return fflush(out) == 0 ? FORMAT_READ : FORMAT_DAMAGED;
}
