/*
 * Charts as lists of shapes, drawn once and written as SVG or into a PDF. Lengths are points, from
 * the upper left corner. Colours are roles, so that a chart looks the same in both.
 */
#ifndef ASSAY_REPORT_DRAWING_H
#define ASSAY_REPORT_DRAWING_H

#include "base/arena.h"
#include "base/optional.h"
#include "base/text.h"

enum colour {
    COLOUR_INK,
    COLOUR_QUIET,
    COLOUR_RULE,
    COLOUR_ACCENT,
    COLOUR_GOOD,
    COLOUR_FAIR,
    COLOUR_POOR,
    COLOUR_BACKGROUND,
    COLOUR__MAX
};

/* Parts of 255. */
struct rgb {
    unsigned char red, green, blue;
};
extern const struct rgb colours[COLOUR__MAX];

enum shape_kind { SHAPE_LINE, SHAPE_BOX, SHAPE_FRAME, SHAPE_DOT, SHAPE_TEXT };
enum anchor { ANCHOR_START, ANCHOR_MIDDLE, ANCHOR_END };

struct shape {
    enum shape_kind kind;
    enum colour colour;
    double x, y;          /* of words their anchor and base line */
    double width, height; /* of lines what they go on by; of dots the radius */
    double size;          /* of words and strokes */
    enum anchor anchor;
    const char *words;
};

struct drawing {
    struct arena *arena;
    double width, height;
    const char *title; /* what it shows, for those who do not see it */
    struct shape *shapes;
    size_t count;
    size_t capacity;
};

/* A rising line through (x, y), y in [0, 1] shown in percent, x by its labels. */
struct curve {
    const char *title;
    const char *x_label;
    const char *y_label;
    const double *x;
    const double *y;
    size_t count;
    double marked_x; /* 0 = none */
};
const struct drawing *chart_curve(const struct curve *curve, struct arena *arena);

/* Intervals about an effect, one line each, and where there is no effect. */
struct interval {
    const char *label;
    double lower, middle, upper;
};
const struct drawing *chart_intervals(const char *title, const struct interval *intervals,
                                      size_t count, struct arena *arena);

/* A table of sizes and durations, coloured by days; rows and columns have labels. */
struct heat_cell {
    bool given;
    int64_t size;
    double days;
    const char *days_text; /* with their unit, for people */
    bool current;
};
struct heat {
    const char *title;
    const char *corner; /* what rows and columns are */
    const char *missing;
    const struct string_list rows;
    const struct string_list columns;
    const struct heat_cell *cells;
};
const struct drawing *chart_heat(const struct heat *heat, struct arena *arena);

void drawing_write_svg(const struct drawing *drawing, struct text *out);

/* Digits with a comma after every three, from the arena. */
const char *print_thousands(struct arena *arena, int64_t value);

#endif
