/*
 * Documents as PDF: title, contents where it is long, blocks one after the other, an outline, tags
 * for screen readers. Laid out twice, or three times with contents: only then the number of pages
 * and the places of the headings are known.
 */
#include "base/clock.h"
#include "report/pdf_paper.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CONTENTS_FROM_PAGES = 6, FILE_BYTES_MAX = 32 * 1024 * 1024 };

#define CARD_HEIGHT 46.0
#define CARD_GAP 8.0

static const struct paper_font title_font = {21, true, COLOUR_INK};
static const struct paper_font subtitle_font = {10, false, COLOUR_QUIET};
static const struct paper_font body_font = {9.5, false, COLOUR_INK};
static const struct paper_font heading_fonts[] = {
    {14, true, COLOUR_INK}, {11, true, COLOUR_INK}, {9.5, true, COLOUR_INK}};
static const char *const heading_tags[] = {"H2", "H3", "H4"};

/* The bytes of the file, kept from one document to the next: cairo writes them while it holds
 * memory of its own, so they cannot come from an arena. */
static struct {
    char *bytes;
    size_t length, capacity;
} file;

static cairo_status_t write_bytes(void *unused, const unsigned char *bytes, unsigned int length)
{
    (void)unused;
    if (file.length + length > FILE_BYTES_MAX)
        return CAIRO_STATUS_WRITE_ERROR;
    if (file.length + length > file.capacity) {
        size_t capacity = (file.length + length) * 2;
        char *more = realloc(file.bytes, capacity);

        if (!more)
            return CAIRO_STATUS_NO_MEMORY;
        file.bytes = more;
        file.capacity = capacity;
    }
    memcpy(file.bytes + file.length, bytes, length);
    file.length += length;
    return CAIRO_STATUS_SUCCESS;
}

static void draw_heading(struct paper *paper, const struct block *block)
{
    const struct paper_font *font = &heading_fonts[block->level - 1];

    paper->y += paper->y > PAPER_TOP ? font->size * 0.6 : 0;
    paper_need(paper, font->size * 4 + 30);
    if (paper->heading_count < PAPER_HEADINGS_MAX)
        paper->headings[paper->heading_count++] =
            (struct paper_heading){block->texts.items[0], block->level, paper->page, paper->y};
    paper_paragraph(paper, block->texts.items[0], font, 0, heading_tags[block->level - 1]);
    paper->y += 4;
}

static void draw_item(struct paper *paper, const char *text)
{
    double left =
        paper->document->right_to_left ? PAPER_WIDTH - PAPER_MARGIN - 5 : PAPER_MARGIN + 5;

    paper_need(paper, 16);
    paper_colour(paper, COLOUR_ACCENT);
    cairo_arc(paper->cairo, left, paper->y + 6.5, 1.6, 0, 2 * G_PI);
    cairo_fill(paper->cairo);
    paper_paragraph(paper, text, &body_font, 16, "LI");
    paper->y += 2;
}

static void draw_list(struct paper *paper, const struct block *block)
{
    for (size_t i = 0; i < block->texts.count && !paper->full; i++)
        draw_item(paper, block->texts.items[i]);
    if (!block->texts.count)
        draw_item(paper, paper->document->none);
    paper->y += 4;
}

static void draw_card(struct paper *paper, const char *label, const char *value, double x,
                      double width)
{
    static const struct paper_font large = {14, true, COLOUR_INK}, small = {8, false, COLOUR_QUIET};
    const struct paper_font *fonts[] = {&large, &small};
    const char *texts[] = {value, label};

    paper_colour(paper, COLOUR_RULE);
    cairo_set_line_width(paper->cairo, 0.8);
    cairo_rectangle(paper->cairo, x, paper->y, width, CARD_HEIGHT);
    cairo_stroke(paper->cairo);
    for (int i = 0; i < 2; i++) {
        PangoLayout *layout = paper_layout(paper, texts[i], fonts[i], width - 16);

        pango_layout_set_height(layout, -1);
        pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_END);
        paper_begin(paper, "P");
        paper_colour(paper, fonts[i]->colour);
        cairo_move_to(paper->cairo, x + 8, paper->y + (i ? 28 : 7));
        pango_cairo_show_layout(paper->cairo, layout);
        paper_end(paper, "P");
        g_object_unref(layout);
    }
}

static void draw_cards(struct paper *paper, const struct block *block)
{
    size_t count = block->texts.count / 2;
    double width = (PAPER_INNER - CARD_GAP * ((double)count - 1)) / (double)count;

    paper_need(paper, CARD_HEIGHT + 12);
    for (size_t i = 0; i < count; i++) {
        size_t place = paper->document->right_to_left ? count - 1 - i : i;

        draw_card(paper, block->texts.items[2 * i], block->texts.items[2 * i + 1],
                  PAPER_MARGIN + (width + CARD_GAP) * (double)place, width);
    }
    paper->y += CARD_HEIGHT + 12;
}

static void draw_notice(struct paper *paper, const struct block *block)
{
    bool high = strcmp(block->texts.items[0], "high") == 0;
    double top, x = paper->document->right_to_left ? PAPER_WIDTH - PAPER_MARGIN : PAPER_MARGIN;
    int page;

    paper_need(paper, 20);
    top = paper->y, page = paper->page;
    paper_paragraph(paper, block->texts.items[1], &body_font, 10, "P");
    if (page == paper->page) {
        paper_colour(paper, high ? COLOUR_ACCENT : COLOUR_QUIET);
        cairo_set_line_width(paper->cairo, 2.5);
        cairo_move_to(paper->cairo, x, top);
        cairo_line_to(paper->cairo, x, paper->y);
        cairo_stroke(paper->cairo);
    }
    paper->y += 6;
}

static void draw_block(struct paper *paper, const struct block *block)
{
    switch (block->kind) {
    case BLOCK_HEADING:
        draw_heading(paper, block);
        break;
    case BLOCK_TEXT:
        paper_paragraph(paper, block->texts.items[0], &body_font, 0, "P");
        paper->y += 6;
        break;
    case BLOCK_LIST:
        draw_list(paper, block);
        break;
    case BLOCK_CARDS:
        draw_cards(paper, block);
        break;
    case BLOCK_NOTICE:
        draw_notice(paper, block);
        break;
    case BLOCK_FACTS:
    case BLOCK_TABLE:
        paper_table(paper, block);
        break;
    case BLOCK_CHART:
        paper_drawing(paper, block->drawing);
        break;
    case BLOCK_PAGE:
        paper_new_page(paper);
        break;
    }
}

static void draw_title(struct paper *paper)
{
    paper->y = PAPER_MARGIN;
    paper_colour(paper, COLOUR_ACCENT);
    cairo_rectangle(paper->cairo, PAPER_MARGIN, paper->y, PAPER_INNER, 4);
    cairo_fill(paper->cairo);
    paper->y += 16;
    paper_paragraph(paper, paper->document->title, &title_font, 0, "H1");
    paper->y += 4;
    if (paper->document->subtitle)
        paper_paragraph(paper, paper->document->subtitle, &subtitle_font, 0, "P");
    paper->y += 12;
}

/* A line of the contents: the heading, its page on the other side. */
static void draw_entry(struct paper *paper, const struct paper_heading *heading)
{
    const struct paper_font font = {9.5, heading->level == 1, COLOUR_INK};
    double indent = 14.0 * (heading->level - 1), width, height;
    bool mirrored = paper->document->right_to_left;
    PangoLayout *number;
    char text[16];

    paper_need(paper, 16);
    snprintf(text, sizeof text, "%d", heading->page);
    number = paper_layout(paper, text, &font, -1);
    paper_measure(number, &width, &height);
    paper_colour(paper, COLOUR_QUIET);
    cairo_move_to(paper->cairo, mirrored ? PAPER_MARGIN : PAPER_WIDTH - PAPER_MARGIN - width,
                  paper->y);
    pango_cairo_show_layout(paper->cairo, number);
    g_object_unref(number);
    paper_paragraph(paper, heading->text, &font, indent, "P");
    paper->y += 2;
}

static void draw_contents(struct paper *paper, const struct paper *known)
{
    paper_paragraph(paper, paper->document->contents, &heading_fonts[0], 0, "H2");
    paper->y += 6;
    for (size_t i = 0; i < known->heading_count; i++)
        if (known->headings[i].level < 3)
            draw_entry(paper, &known->headings[i]);
    paper_new_page(paper);
}

/* Headings as the outline that readers show beside the pages. */
static void write_outline(const struct paper *paper)
{
    int parent = CAIRO_PDF_OUTLINE_ROOT;

    for (size_t i = 0; i < paper->heading_count; i++) {
        const struct paper_heading *heading = &paper->headings[i];
        char place[64];
        int made;

        snprintf(place, sizeof place, "page=%d pos=[0 %d]", heading->page, (int)heading->y);
        made = cairo_pdf_surface_add_outline(
            paper->surface, heading->level == 1 ? CAIRO_PDF_OUTLINE_ROOT : parent, heading->text,
            place, heading->level == 1 ? CAIRO_PDF_OUTLINE_FLAG_OPEN : 0);
        if (heading->level == 1)
            parent = made;
    }
}

static void open_paper(struct paper *paper, bool kept)
{
    paper->surface = cairo_pdf_surface_create_for_stream(kept ? write_bytes : NULL, NULL,
                                                         PAPER_WIDTH, PAPER_HEIGHT);
    cairo_pdf_surface_restrict_to_version(paper->surface, CAIRO_PDF_VERSION_1_5);
    paper->cairo = cairo_create(paper->surface);
    paper->context = pango_cairo_create_context(paper->cairo);
    pango_context_set_base_dir(
        paper->context, paper->document->right_to_left ? PANGO_DIRECTION_RTL : PANGO_DIRECTION_LTR);
    pango_context_set_language(paper->context,
                               pango_language_from_string(paper->document->language));
}

static cairo_status_t close_paper(struct paper *paper)
{
    cairo_status_t status;

    g_object_unref(paper->context);
    cairo_destroy(paper->cairo);
    cairo_surface_finish(paper->surface);
    status = cairo_surface_status(paper->surface);
    cairo_surface_destroy(paper->surface);
    return status;
}

/* One pass; `known` is what an earlier one came to, with contents when they are wanted. */
static cairo_status_t lay_out(struct paper *paper, const struct paper *known, bool contents,
                              bool kept)
{
    const struct folio *document = paper->document;

    open_paper(paper, kept);
    paper->pages = kept ? known->page : 0;
    paper_new_page(paper);
    draw_title(paper);
    if (contents)
        draw_contents(paper, known);
    for (size_t i = 0; i < document->count && !paper->full; i++)
        draw_block(paper, &document->blocks[i]);
    if (kept) {
        cairo_pdf_surface_set_metadata(paper->surface, CAIRO_PDF_METADATA_TITLE, document->title);
        cairo_pdf_surface_set_metadata(paper->surface, CAIRO_PDF_METADATA_AUTHOR, document->mark);
        write_outline(paper);
    }
    paper_end_page(paper);
    return close_paper(paper);
}

static size_t text_size(const struct folio *document)
{
    size_t size = strlen(document->title);

    for (size_t i = 0; i < document->count; i++)
        for (size_t j = 0; j < document->blocks[i].texts.count; j++)
            size += strlen(document->blocks[i].texts.items[j]) + 1;
    return size;
}

static enum error too_large(struct problem *problem, const char *what, int64_t most)
{
    return problem_set(problem, ERROR_TOO_LARGE, "report_too_large",
                       "The report has more than %lld %s", (long long)most, what);
}

static enum error explain(const struct paper *paper, cairo_status_t status, struct problem *problem)
{
    if (paper->late)
        return problem_set(problem, ERROR_TOO_LARGE, "report_too_slow",
                           "The report takes longer than %lld seconds",
                           (long long)paper->limits->seconds);
    if (paper->page > paper->limits->pages)
        return too_large(problem, "pages", paper->limits->pages);
    if (status != CAIRO_STATUS_SUCCESS)
        return problem_set(problem, ERROR_SYSTEM, "pdf_failed", "the PDF cannot be written: %s",
                           cairo_status_to_string(status));
    return ERROR_NONE;
}

enum error folio_write_pdf(const struct folio *document, const struct folio_limits *limits,
                           struct text *out, struct problem *problem)
{
    const struct paper blank = {.document = document,
                                .limits = limits,
                                .deadline =
                                    clock_monotonic_microseconds() + limits->seconds * 1000000};
    struct paper *first = ARENA_NEW(document->arena, struct paper);
    struct paper *second = ARENA_NEW(document->arena, struct paper);
    struct paper *final = ARENA_NEW(document->arena, struct paper);
    cairo_status_t status;
    enum error error;
    bool contents;

    if (text_size(document) > (size_t)limits->text_bytes)
        return too_large(problem, "bytes of text", limits->text_bytes);
    file.length = 0;
    *first = *second = *final = blank;
    status = lay_out(first, NULL, false, false);
    contents = first->page >= CONTENTS_FROM_PAGES && first->heading_count > 2;
    error = explain(first, status, problem);
    if (!error && contents) { /* what the contents push back */
        status = lay_out(second, first, true, false);
        error = explain(second, status, problem);
    }
    if (!error) {
        status = lay_out(final, contents ? second : first, contents, true);
        error = explain(final, status, problem);
    }
    if (!error)
        text_append(out, file.bytes, file.length);
    return error;
}
