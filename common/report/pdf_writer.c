/* Text and pages of a PDF. */
#include "report/pdf_writer.h"
#include "base/clock.h"

#include <stdio.h>
#include <string.h>

/* Debian's fonts-dejavu-core has Latin, Cyrillic and Arabic, fonts-droid-fallback the rest. */
static const char families[] = "DejaVu Sans, Droid Sans Fallback, Noto Sans CJK SC, sans-serif";

void pdf_colour(struct pdf *pdf, enum colour colour)
{
    const struct rgb *rgb = &colours[colour];

    cairo_set_source_rgb(pdf->cairo, rgb->red / 255.0, rgb->green / 255.0, rgb->blue / 255.0);
}

/* All text is aligned to the side where the language begins, whatever its own direction; pango
 * swaps left and right for text in the opposite direction. */
static PangoAlignment side_of(PangoLayout *layout)
{
    PangoDirection direction = pango_layout_get_line_readonly(layout, 0)->resolved_dir;

    return direction == PANGO_DIRECTION_RTL ? PANGO_ALIGN_RIGHT : PANGO_ALIGN_LEFT;
}

PangoLayout *pdf_layout(struct pdf *pdf, const char *text, const struct pdf_font *font,
                        double width)
{
    PangoLayout *layout = pango_layout_new(pdf->context);
    PangoFontDescription *description = pango_font_description_from_string(families);

    pango_font_description_set_absolute_size(description, font->size * PANGO_SCALE);
    if (font->bold)
        pango_font_description_set_weight(description, PANGO_WEIGHT_BOLD);
    pango_layout_set_font_description(layout, description);
    pango_font_description_free(description);
    pango_layout_set_wrap(layout, PANGO_WRAP_WORD_CHAR);
    if (width > 0)
        pango_layout_set_width(layout, (int)(width * PANGO_SCALE));
    pango_layout_set_text(layout, text, -1);
    if (width > 0)
        pango_layout_set_alignment(layout, side_of(layout));
    return layout;
}

void pdf_measure(PangoLayout *layout, double *width, double *height)
{
    int x, y;

    pango_layout_get_size(layout, &x, &y);
    *width = (double)x / PANGO_SCALE;
    *height = (double)y / PANGO_SCALE;
}

void pdf_begin(struct pdf *pdf, const char *tag)
{
    if (pdf->pages && tag)
        cairo_tag_begin(pdf->cairo, tag, NULL);
}

void pdf_end(struct pdf *pdf, const char *tag)
{
    if (pdf->pages && tag)
        cairo_tag_end(pdf->cairo, tag);
}

void pdf_rule(struct pdf *pdf, double x, double y, double width)
{
    pdf_colour(pdf, COLOUR_RULE);
    cairo_set_line_width(pdf->cairo, 0.7);
    cairo_move_to(pdf->cairo, x, y);
    cairo_line_to(pdf->cairo, x + width, y);
    cairo_stroke(pdf->cairo);
}

static void show_at(struct pdf *pdf, PangoLayout *layout, double x, double y)
{
    cairo_move_to(pdf->cairo, x, y);
    pango_cairo_show_layout(pdf->cairo, layout);
}

/* Draws the footer: the owner on one side, the page number on the other. */
static void draw_foot(struct pdf *pdf)
{
    const struct pdf_font font = {8, false, COLOUR_QUIET};
    double y = PAGE_HEIGHT - 42, width, height;
    bool mirrored = pdf->document->right_to_left;
    PangoLayout *mark = pdf_layout(pdf, pdf->document->mark, &font, -1), *number;
    char text[48];

    /* A left-to-right isolate keeps the two numbers in order. */
    snprintf(text, sizeof text, "\u2066%d / %d\u2069", pdf->page, pdf->pages);
    number = pdf_layout(pdf, text, &font, -1);
    pdf_rule(pdf, PAGE_MARGIN, y - 6, PAGE_INNER);
    pdf_colour(pdf, COLOUR_QUIET);
    pdf_measure(mark, &width, &height);
    show_at(pdf, mark, mirrored ? PAGE_WIDTH - PAGE_MARGIN - width : PAGE_MARGIN, y);
    pdf_measure(number, &width, &height);
    show_at(pdf, number, mirrored ? PAGE_MARGIN : PAGE_WIDTH - PAGE_MARGIN - width, y);
    g_object_unref(mark);
    g_object_unref(number);
}

static void draw_head(struct pdf *pdf)
{
    const struct pdf_font font = {8, false, COLOUR_QUIET};
    PangoLayout *title = pdf_layout(pdf, pdf->document->title, &font, PAGE_INNER);

    pango_layout_set_height(title, -1);
    pango_layout_set_ellipsize(title, PANGO_ELLIPSIZE_END);
    pdf_colour(pdf, COLOUR_QUIET);
    show_at(pdf, title, PAGE_MARGIN, 34);
    g_object_unref(title);
}

void pdf_end_page(struct pdf *pdf)
{
    draw_foot(pdf);
    cairo_show_page(pdf->cairo);
}

void pdf_new_page(struct pdf *pdf)
{
    if (pdf->page > 0)
        pdf_end_page(pdf);
    pdf->late = clock_monotonic_microseconds() > pdf->deadline;
    pdf->full = pdf->late || pdf->page >= pdf->limits->pages;
    pdf->page++;
    if (pdf->page > 1)
        draw_head(pdf);
    pdf->y = PAGE_TOP;
}

void pdf_need(struct pdf *pdf, double height)
{
    if (pdf->y + height > PAGE_BOTTOM && pdf->y > PAGE_TOP)
        pdf_new_page(pdf);
}

void pdf_paragraph(struct pdf *pdf, const char *text, const struct pdf_font *font, double indent,
                   const char *tag)
{
    PangoLayout *layout = pdf_layout(pdf, text, font, PAGE_INNER - indent);
    double x = PAGE_MARGIN + (pdf->document->right_to_left ? 0 : indent);
    PangoLayoutIter *lines = pango_layout_get_iter(layout);
    bool open = false;

    do {
        PangoRectangle place;
        double height;

        pango_layout_iter_get_line_extents(lines, NULL, &place);
        height = (double)place.height / PANGO_SCALE;
        if (pdf->y + height > PAGE_BOTTOM) {
            if (open)
                pdf_end(pdf, tag);
            pdf_new_page(pdf);
            open = false;
        }
        if (!open)
            pdf_begin(pdf, tag);
        open = true;
        pdf_colour(pdf, font->colour);
        cairo_move_to(pdf->cairo, x + (double)place.x / PANGO_SCALE,
                      pdf->y +
                          (double)(pango_layout_iter_get_baseline(lines) - place.y) / PANGO_SCALE);
        pango_cairo_show_layout_line(pdf->cairo, pango_layout_iter_get_line_readonly(lines));
        pdf->y += height;
    } while (!pdf->full && pango_layout_iter_next_line(lines));
    if (open)
        pdf_end(pdf, tag);
    pango_layout_iter_free(lines);
    g_object_unref(layout);
}

/* The x at which the text begins so that its anchor is at the given x. */
static double begin_of(const struct shape *shape, double width)
{
    return shape->anchor == ANCHOR_START    ? shape->x
           : shape->anchor == ANCHOR_MIDDLE ? shape->x - width / 2
                                            : shape->x - width;
}

static void draw_text(struct pdf *pdf, const struct shape *shape)
{
    const struct pdf_font font = {shape->size, false, shape->colour};
    PangoLayout *layout = pdf_layout(pdf, shape->words, &font, -1);
    double width, height;

    pdf_measure(layout, &width, &height);
    cairo_move_to(pdf->cairo, begin_of(shape, width), shape->y);
    pango_cairo_show_layout_line(pdf->cairo, pango_layout_get_line_readonly(layout, 0));
    g_object_unref(layout);
}

static void draw_shape(struct pdf *pdf, const struct shape *shape)
{
    cairo_t *cairo = pdf->cairo;

    pdf_colour(pdf, shape->colour);
    cairo_set_line_width(cairo, shape->size);
    switch (shape->kind) {
    case SHAPE_LINE:
        cairo_move_to(cairo, shape->x, shape->y);
        cairo_rel_line_to(cairo, shape->width, shape->height);
        cairo_stroke(cairo);
        break;
    case SHAPE_BOX:
        cairo_rectangle(cairo, shape->x, shape->y, shape->width, shape->height);
        cairo_fill(cairo);
        break;
    case SHAPE_FRAME:
        cairo_rectangle(cairo, shape->x, shape->y, shape->width, shape->height);
        cairo_stroke(cairo);
        break;
    case SHAPE_DOT:
        cairo_arc(cairo, shape->x, shape->y, shape->width, 0, 2 * G_PI);
        cairo_fill(cairo);
        break;
    case SHAPE_TEXT:
        draw_text(pdf, shape);
    }
}

void pdf_drawing(struct pdf *pdf, const struct drawing *drawing)
{
    const struct pdf_font caption = {8.5, true, COLOUR_QUIET};

    pdf_need(pdf, drawing->height + 24);
    if (!pdf->heading_count ||
        strcmp(pdf->headings[pdf->heading_count - 1].text, drawing->title) != 0)
        pdf_paragraph(pdf, drawing->title, &caption, 0, "P");
    pdf->y += 6;
    pdf_begin(pdf, "Figure");
    cairo_save(pdf->cairo);
    cairo_translate(pdf->cairo, PAGE_MARGIN, pdf->y);
    for (size_t i = 0; i < drawing->count; i++)
        draw_shape(pdf, &drawing->shapes[i]);
    cairo_restore(pdf->cairo);
    pdf_end(pdf, "Figure");
    pdf->y += drawing->height + 10;
}
