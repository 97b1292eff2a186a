/* Text and pages: what every block of a PDF is made with. */
#include "report/pdf_paper.h"
#include "base/clock.h"

#include <stdio.h>
#include <string.h>

/* Debian's fonts-dejavu-core has Latin, Cyrillic and Arabic, fonts-droid-fallback the rest. */
static const char families[] = "DejaVu Sans, Droid Sans Fallback, Noto Sans CJK SC, sans-serif";

void paper_colour(struct paper *paper, enum colour colour)
{
    const struct rgb *rgb = &colours[colour];

    cairo_set_source_rgb(paper->cairo, rgb->red / 255.0, rgb->green / 255.0, rgb->blue / 255.0);
}

/* All text stands on the side where the language begins, whatever its own direction: pango turns
 * left and right round for text that runs against it. */
static PangoAlignment side_of(PangoLayout *layout)
{
    PangoDirection direction = pango_layout_get_line_readonly(layout, 0)->resolved_dir;

    return direction == PANGO_DIRECTION_RTL ? PANGO_ALIGN_RIGHT : PANGO_ALIGN_LEFT;
}

PangoLayout *paper_layout(struct paper *paper, const char *text, const struct paper_font *font,
                          double width)
{
    PangoLayout *layout = pango_layout_new(paper->context);
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

void paper_measure(PangoLayout *layout, double *width, double *height)
{
    int x, y;

    pango_layout_get_size(layout, &x, &y);
    *width = (double)x / PANGO_SCALE;
    *height = (double)y / PANGO_SCALE;
}

void paper_begin(struct paper *paper, const char *tag)
{
    if (paper->pages && tag)
        cairo_tag_begin(paper->cairo, tag, NULL);
}

void paper_end(struct paper *paper, const char *tag)
{
    if (paper->pages && tag)
        cairo_tag_end(paper->cairo, tag);
}

void paper_rule(struct paper *paper, double x, double y, double width)
{
    paper_colour(paper, COLOUR_RULE);
    cairo_set_line_width(paper->cairo, 0.7);
    cairo_move_to(paper->cairo, x, y);
    cairo_line_to(paper->cairo, x + width, y);
    cairo_stroke(paper->cairo);
}

static void show_at(struct paper *paper, PangoLayout *layout, double x, double y)
{
    cairo_move_to(paper->cairo, x, y);
    pango_cairo_show_layout(paper->cairo, layout);
}

/* Whose it is on one side, the number of the page on the other. */
static void draw_foot(struct paper *paper)
{
    const struct paper_font font = {8, false, COLOUR_QUIET};
    double y = PAPER_HEIGHT - 42, width, height;
    bool mirrored = paper->document->right_to_left;
    PangoLayout *mark = paper_layout(paper, paper->document->mark, &font, -1), *number;
    char text[48];

    /* An isolate from the left keeps the two numbers in their order. */
    snprintf(text, sizeof text, "\u2066%d / %d\u2069", paper->page, paper->pages);
    number = paper_layout(paper, text, &font, -1);
    paper_rule(paper, PAPER_MARGIN, y - 6, PAPER_INNER);
    paper_colour(paper, COLOUR_QUIET);
    paper_measure(mark, &width, &height);
    show_at(paper, mark, mirrored ? PAPER_WIDTH - PAPER_MARGIN - width : PAPER_MARGIN, y);
    paper_measure(number, &width, &height);
    show_at(paper, number, mirrored ? PAPER_MARGIN : PAPER_WIDTH - PAPER_MARGIN - width, y);
    g_object_unref(mark);
    g_object_unref(number);
}

static void draw_head(struct paper *paper)
{
    const struct paper_font font = {8, false, COLOUR_QUIET};
    PangoLayout *title = paper_layout(paper, paper->document->title, &font, PAPER_INNER);

    pango_layout_set_height(title, -1);
    pango_layout_set_ellipsize(title, PANGO_ELLIPSIZE_END);
    paper_colour(paper, COLOUR_QUIET);
    show_at(paper, title, PAPER_MARGIN, 34);
    g_object_unref(title);
}

void paper_end_page(struct paper *paper)
{
    draw_foot(paper);
    cairo_show_page(paper->cairo);
}

void paper_new_page(struct paper *paper)
{
    if (paper->page > 0)
        paper_end_page(paper);
    paper->late = clock_monotonic_microseconds() > paper->deadline;
    paper->full = paper->late || paper->page >= paper->limits->pages;
    paper->page++;
    if (paper->page > 1)
        draw_head(paper);
    paper->y = PAPER_TOP;
}

void paper_need(struct paper *paper, double height)
{
    if (paper->y + height > PAPER_BOTTOM && paper->y > PAPER_TOP)
        paper_new_page(paper);
}

void paper_paragraph(struct paper *paper, const char *text, const struct paper_font *font,
                     double indent, const char *tag)
{
    PangoLayout *layout = paper_layout(paper, text, font, PAPER_INNER - indent);
    double x = PAPER_MARGIN + (paper->document->right_to_left ? 0 : indent);
    PangoLayoutIter *lines = pango_layout_get_iter(layout);
    bool open = false;

    do {
        PangoRectangle place;
        double height;

        pango_layout_iter_get_line_extents(lines, NULL, &place);
        height = (double)place.height / PANGO_SCALE;
        if (paper->y + height > PAPER_BOTTOM) {
            if (open)
                paper_end(paper, tag);
            paper_new_page(paper);
            open = false;
        }
        if (!open)
            paper_begin(paper, tag);
        open = true;
        paper_colour(paper, font->colour);
        cairo_move_to(paper->cairo, x + (double)place.x / PANGO_SCALE,
                      paper->y +
                          (double)(pango_layout_iter_get_baseline(lines) - place.y) / PANGO_SCALE);
        pango_cairo_show_layout_line(paper->cairo, pango_layout_iter_get_line_readonly(lines));
        paper->y += height;
    } while (!paper->full && pango_layout_iter_next_line(lines));
    if (open)
        paper_end(paper, tag);
    pango_layout_iter_free(lines);
    g_object_unref(layout);
}

/* Where words begin so that their anchor is at x. */
static double begin_of(const struct shape *shape, double width)
{
    return shape->anchor == ANCHOR_START    ? shape->x
           : shape->anchor == ANCHOR_MIDDLE ? shape->x - width / 2
                                            : shape->x - width;
}

static void draw_words(struct paper *paper, const struct shape *shape)
{
    const struct paper_font font = {shape->size, false, shape->colour};
    PangoLayout *layout = paper_layout(paper, shape->words, &font, -1);
    double width, height;

    paper_measure(layout, &width, &height);
    cairo_move_to(paper->cairo, begin_of(shape, width), shape->y);
    pango_cairo_show_layout_line(paper->cairo, pango_layout_get_line_readonly(layout, 0));
    g_object_unref(layout);
}

static void draw_shape(struct paper *paper, const struct shape *shape)
{
    cairo_t *cairo = paper->cairo;

    paper_colour(paper, shape->colour);
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
    case SHAPE_WORDS:
        draw_words(paper, shape);
    }
}

void paper_drawing(struct paper *paper, const struct drawing *drawing)
{
    const struct paper_font caption = {8.5, true, COLOUR_QUIET};

    paper_need(paper, drawing->height + 24);
    if (!paper->heading_count ||
        strcmp(paper->headings[paper->heading_count - 1].text, drawing->title) != 0)
        paper_paragraph(paper, drawing->title, &caption, 0, "P");
    paper->y += 6;
    paper_begin(paper, "Figure");
    cairo_save(paper->cairo);
    cairo_translate(paper->cairo, PAPER_MARGIN, paper->y);
    for (size_t i = 0; i < drawing->count; i++)
        draw_shape(paper, &drawing->shapes[i]);
    cairo_restore(paper->cairo);
    paper_end(paper, "Figure");
    paper->y += drawing->height + 10;
}
