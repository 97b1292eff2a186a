/*
 * Writes a report document as PDF: title, contents where it is long, blocks, an outline, tags for
 * screen readers. The layout runs twice, or three times with contents, because the number of pages
 * and the positions of the headings are known only afterwards.
 */
#include "base/clock.h"
#include "report/pdf_writer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CONTENTS_FROM_PAGES = 6, FILE_BYTES_MAX = 32 * 1024 * 1024 };

#define CARD_HEIGHT 46.0
#define CARD_GAP 8.0

static const struct pdf_font title_font = {21, true, COLOUR_INK};
static const struct pdf_font subtitle_font = {10, false, COLOUR_QUIET};
static const struct pdf_font body_font = {9.5, false, COLOUR_INK};
static const struct pdf_font heading_fonts[] = {
    {14, true, COLOUR_INK}, {11, true, COLOUR_INK}, {9.5, true, COLOUR_INK}};
static const char *const heading_tags[] = {"H2", "H3", "H4"};

/* The bytes of the file. The buffer is reused for the next document. cairo writes while it holds
 * memory of its own, so the buffer cannot come from an arena. */
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

static void draw_heading(struct pdf *pdf, const struct block *block)
{
    const struct pdf_font *font = &heading_fonts[block->level - 1];

    pdf->y += pdf->y > PAGE_TOP ? font->size * 0.6 : 0;
    pdf_need(pdf, font->size * 4 + 30);
    if (pdf->heading_count < PAGE_HEADINGS_MAX)
        pdf->headings[pdf->heading_count++] =
            (struct pdf_heading){block->texts.items[0], block->level, pdf->page, pdf->y};
    pdf_paragraph(pdf, block->texts.items[0], font, 0, heading_tags[block->level - 1]);
    pdf->y += 4;
}

static void draw_item(struct pdf *pdf, const char *text)
{
    double left = pdf->document->right_to_left ? PAGE_WIDTH - PAGE_MARGIN - 5 : PAGE_MARGIN + 5;

    pdf_need(pdf, 16);
    pdf_colour(pdf, COLOUR_ACCENT);
    cairo_arc(pdf->cairo, left, pdf->y + 6.5, 1.6, 0, 2 * G_PI);
    cairo_fill(pdf->cairo);
    pdf_paragraph(pdf, text, &body_font, 16, "LI");
    pdf->y += 2;
}

static void draw_list(struct pdf *pdf, const struct block *block)
{
    for (size_t i = 0; i < block->texts.count && !pdf->full; i++)
        draw_item(pdf, block->texts.items[i]);
    if (!block->texts.count)
        draw_item(pdf, pdf->document->none);
    pdf->y += 4;
}

static void draw_card(struct pdf *pdf, const char *label, const char *value, double x, double width)
{
    static const struct pdf_font large = {14, true, COLOUR_INK}, small = {8, false, COLOUR_QUIET};
    const struct pdf_font *fonts[] = {&large, &small};
    const char *texts[] = {value, label};

    pdf_colour(pdf, COLOUR_RULE);
    cairo_set_line_width(pdf->cairo, 0.8);
    cairo_rectangle(pdf->cairo, x, pdf->y, width, CARD_HEIGHT);
    cairo_stroke(pdf->cairo);
    for (int i = 0; i < 2; i++) {
        PangoLayout *layout = pdf_layout(pdf, texts[i], fonts[i], width - 16);

        pango_layout_set_height(layout, -1);
        pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_END);
        pdf_begin(pdf, "P");
        pdf_colour(pdf, fonts[i]->colour);
        cairo_move_to(pdf->cairo, x + 8, pdf->y + (i ? 28 : 7));
        pango_cairo_show_layout(pdf->cairo, layout);
        pdf_end(pdf, "P");
        g_object_unref(layout);
    }
}

static void draw_cards(struct pdf *pdf, const struct block *block)
{
    size_t count = block->texts.count / 2;
    double width = (PAGE_INNER - CARD_GAP * ((double)count - 1)) / (double)count;

    pdf_need(pdf, CARD_HEIGHT + 12);
    for (size_t i = 0; i < count; i++) {
        size_t place = pdf->document->right_to_left ? count - 1 - i : i;

        draw_card(pdf, block->texts.items[2 * i], block->texts.items[2 * i + 1],
                  PAGE_MARGIN + (width + CARD_GAP) * (double)place, width);
    }
    pdf->y += CARD_HEIGHT + 12;
}

static void draw_notice(struct pdf *pdf, const struct block *block)
{
    bool high = strcmp(block->texts.items[0], "high") == 0;
    double top, x = pdf->document->right_to_left ? PAGE_WIDTH - PAGE_MARGIN : PAGE_MARGIN;
    int page;

    pdf_need(pdf, 20);
    top = pdf->y, page = pdf->page;
    pdf_paragraph(pdf, block->texts.items[1], &body_font, 10, "P");
    if (page == pdf->page) {
        pdf_colour(pdf, high ? COLOUR_ACCENT : COLOUR_QUIET);
        cairo_set_line_width(pdf->cairo, 2.5);
        cairo_move_to(pdf->cairo, x, top);
        cairo_line_to(pdf->cairo, x, pdf->y);
        cairo_stroke(pdf->cairo);
    }
    pdf->y += 6;
}

static void draw_block(struct pdf *pdf, const struct block *block)
{
    switch (block->kind) {
    case BLOCK_HEADING:
        draw_heading(pdf, block);
        break;
    case BLOCK_TEXT:
        pdf_paragraph(pdf, block->texts.items[0], &body_font, 0, "P");
        pdf->y += 6;
        break;
    case BLOCK_LIST:
        draw_list(pdf, block);
        break;
    case BLOCK_CARDS:
        draw_cards(pdf, block);
        break;
    case BLOCK_NOTICE:
        draw_notice(pdf, block);
        break;
    case BLOCK_FACTS:
    case BLOCK_TABLE:
        pdf_table(pdf, block);
        break;
    case BLOCK_CHART:
        pdf_drawing(pdf, block->drawing);
        break;
    case BLOCK_PAGE:
        pdf_new_page(pdf);
        break;
    }
}

static void draw_title(struct pdf *pdf)
{
    pdf->y = PAGE_MARGIN;
    pdf_colour(pdf, COLOUR_ACCENT);
    cairo_rectangle(pdf->cairo, PAGE_MARGIN, pdf->y, PAGE_INNER, 4);
    cairo_fill(pdf->cairo);
    pdf->y += 16;
    pdf_paragraph(pdf, pdf->document->title, &title_font, 0, "H1");
    pdf->y += 4;
    if (pdf->document->subtitle)
        pdf_paragraph(pdf, pdf->document->subtitle, &subtitle_font, 0, "P");
    pdf->y += 12;
}

/* A line of the contents: the heading, and its page number on the other side. */
static void draw_entry(struct pdf *pdf, const struct pdf_heading *heading)
{
    const struct pdf_font font = {9.5, heading->level == 1, COLOUR_INK};
    double indent = 14.0 * (heading->level - 1), width, height;
    bool mirrored = pdf->document->right_to_left;
    PangoLayout *number;
    char text[16];

    pdf_need(pdf, 16);
    snprintf(text, sizeof text, "%d", heading->page);
    number = pdf_layout(pdf, text, &font, -1);
    pdf_measure(number, &width, &height);
    pdf_colour(pdf, COLOUR_QUIET);
    cairo_move_to(pdf->cairo, mirrored ? PAGE_MARGIN : PAGE_WIDTH - PAGE_MARGIN - width, pdf->y);
    pango_cairo_show_layout(pdf->cairo, number);
    g_object_unref(number);
    pdf_paragraph(pdf, heading->text, &font, indent, "P");
    pdf->y += 2;
}

static void draw_contents(struct pdf *pdf, const struct pdf *known)
{
    pdf_paragraph(pdf, pdf->document->contents, &heading_fonts[0], 0, "H2");
    pdf->y += 6;
    for (size_t i = 0; i < known->heading_count; i++)
        if (known->headings[i].level < 3)
            draw_entry(pdf, &known->headings[i]);
    pdf_new_page(pdf);
}

/* Writes the headings as the outline that PDF viewers show beside the pages. */
static void write_outline(const struct pdf *pdf)
{
    int parent = CAIRO_PDF_OUTLINE_ROOT;

    for (size_t i = 0; i < pdf->heading_count; i++) {
        const struct pdf_heading *heading = &pdf->headings[i];
        char place[64];
        int made;

        snprintf(place, sizeof place, "page=%d pos=[0 %d]", heading->page, (int)heading->y);
        made = cairo_pdf_surface_add_outline(
            pdf->surface, heading->level == 1 ? CAIRO_PDF_OUTLINE_ROOT : parent, heading->text,
            place, heading->level == 1 ? CAIRO_PDF_OUTLINE_FLAG_OPEN : 0);
        if (heading->level == 1)
            parent = made;
    }
}

static void open_paper(struct pdf *pdf, bool kept)
{
    pdf->surface = cairo_pdf_surface_create_for_stream(kept ? write_bytes : NULL, NULL, PAGE_WIDTH,
                                                       PAGE_HEIGHT);
    cairo_pdf_surface_restrict_to_version(pdf->surface, CAIRO_PDF_VERSION_1_5);
    pdf->cairo = cairo_create(pdf->surface);
    pdf->context = pango_cairo_create_context(pdf->cairo);
    pango_context_set_base_dir(pdf->context, pdf->document->right_to_left ? PANGO_DIRECTION_RTL
                                                                          : PANGO_DIRECTION_LTR);
    pango_context_set_language(pdf->context, pango_language_from_string(pdf->document->language));
}

static cairo_status_t close_paper(struct pdf *pdf)
{
    cairo_status_t status;

    g_object_unref(pdf->context);
    cairo_destroy(pdf->cairo);
    cairo_surface_finish(pdf->surface);
    status = cairo_surface_status(pdf->surface);
    cairo_surface_destroy(pdf->surface);
    return status;
}

/* One layout pass; `known` is the result of an earlier pass; it includes contents if they are
 * wanted. */
static cairo_status_t lay_out(struct pdf *pdf, const struct pdf *known, bool contents, bool kept)
{
    const struct report_document *document = pdf->document;

    open_paper(pdf, kept);
    pdf->pages = kept ? known->page : 0;
    pdf_new_page(pdf);
    draw_title(pdf);
    if (contents)
        draw_contents(pdf, known);
    for (size_t i = 0; i < document->count && !pdf->full; i++)
        draw_block(pdf, &document->blocks[i]);
    if (kept) {
        cairo_pdf_surface_set_metadata(pdf->surface, CAIRO_PDF_METADATA_TITLE, document->title);
        cairo_pdf_surface_set_metadata(pdf->surface, CAIRO_PDF_METADATA_AUTHOR, document->mark);
        write_outline(pdf);
    }
    pdf_end_page(pdf);
    return close_paper(pdf);
}

static size_t text_size(const struct report_document *document)
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

static enum error explain(const struct pdf *pdf, cairo_status_t status, struct problem *problem)
{
    if (pdf->late)
        return problem_set(problem, ERROR_TOO_LARGE, "report_too_slow",
                           "The report takes longer than %lld seconds",
                           (long long)pdf->limits->seconds);
    if (pdf->page > pdf->limits->pages)
        return too_large(problem, "pages", pdf->limits->pages);
    if (status != CAIRO_STATUS_SUCCESS)
        return problem_set(problem, ERROR_SYSTEM, "pdf_failed", "the PDF cannot be written: %s",
                           cairo_status_to_string(status));
    return ERROR_NONE;
}

enum error document_write_pdf(const struct report_document *document,
                              const struct report_limits *limits, struct text *out,
                              struct problem *problem)
{
    const struct pdf blank = {.document = document,
                              .limits = limits,
                              .deadline =
                                  clock_monotonic_microseconds() + limits->seconds * 1000000};
    struct pdf *first = ARENA_NEW(document->arena, struct pdf);
    struct pdf *second = ARENA_NEW(document->arena, struct pdf);
    struct pdf *final = ARENA_NEW(document->arena, struct pdf);
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
    if (!error && contents) { /* the contents move the headings to later pages */
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
