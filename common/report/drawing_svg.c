/* Writes shapes as SVG inside HTML. */
#include "report/drawing.h"
#include "report/html_text.h"

static const char *const anchors[] = {"start", "middle", "end"};

static void write_colour(const char *name, enum colour colour, struct text *out)
{
    const struct rgb *rgb = &colours[colour];

    text_append_format(out, " %s=\"#%02x%02x%02x\"", name, rgb->red, rgb->green, rgb->blue);
}

static void write_shape(const struct shape *shape, struct text *out)
{
    switch (shape->kind) {
    case SHAPE_LINE:
        text_append_format(out, "<line x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\"", shape->x,
                           shape->y, shape->x + shape->width, shape->y + shape->height);
        write_colour("stroke", shape->colour, out);
        text_append_format(out, " stroke-width=\"%.2f\"/>", shape->size);
        break;
    case SHAPE_BOX:
    case SHAPE_FRAME:
        text_append_format(out, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"",
                           shape->x, shape->y, shape->width, shape->height);
        if (shape->kind == SHAPE_FRAME) {
            write_colour("stroke", shape->colour, out);
            text_append_format(out, " fill=\"none\" stroke-width=\"%.2f\"/>", shape->size);
        } else {
            write_colour("fill", shape->colour, out);
            text_append_string(out, "/>");
        }
        break;
    case SHAPE_DOT:
        text_append_format(out, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"%.2f\"", shape->x, shape->y,
                           shape->width);
        write_colour("fill", shape->colour, out);
        text_append_string(out, "/>");
        break;
    case SHAPE_TEXT:
        text_append_format(out, "<text x=\"%.2f\" y=\"%.2f\" font-size=\"%.1f\" text-anchor=\"%s\"",
                           shape->x, shape->y, shape->size, anchors[shape->anchor]);
        write_colour("fill", shape->colour, out);
        text_append_byte(out, '>');
        html_append(out, shape->words);
        text_append_string(out, "</text>");
    }
}

void drawing_write_svg(const struct drawing *drawing, struct text *out)
{
    text_append_format(out,
                       "<svg xmlns=\"http://www.w3.org/2000/svg\" direction=\"ltr\" role=\"img\" "
                       "viewBox=\"0 0 %.0f %.0f\" aria-label=\"",
                       drawing->width, drawing->height);
    html_append(out, drawing->title);
    text_append_string(out, "\">");
    for (size_t i = 0; i < drawing->count; i++)
        write_shape(&drawing->shapes[i], out);
    text_append_string(out, "</svg>\n");
}
