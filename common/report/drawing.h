/*
 * Charts as lists of shapes, drawn once and written as SVG or into a PDF. Coordinates are in points
 * from the upper left corner. Colors are roles, so that a chart looks the same in both.
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

/* Components from 0 to 255. */
struct rgb {
    unsigned char red, green, blue;
};
extern const struct rgb colours[COLOUR__MAX];

enum shape_kind { SHAPE_LINE, SHAPE_BOX, SHAPE_FRAME, SHAPE_DOT, SHAPE_TEXT };
enum anchor { ANCHOR_START, ANCHOR_MIDDLE, ANCHOR_END };

struct shape {
    enum shape_kind kind;
    enum colour colour;
    double x, y;          /* of text: its anchor and baseline */
    double width, height; /* of lines: the distance to their end; of dots: the radius */
    double size;          /* font size, or stroke width */
    enum anchor anchor;
    const char *words;
};

struct drawing {
    struct arena *arena;
    double width, height;
    const char *title; /* a text alternative for screen readers */
    struct shape *shapes;
    size_t count;
    size_t capacity;
};

/* A rising line through (x, y), with y in [0, 1] shown in percent and x labeled by its texts. */
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

/* Intervals of an effect, one line each, and the position of no effect. */
struct interval {
    const char *label;
    double lower, middle, upper;
};
const struct drawing *chart_intervals(const char *title, const struct interval *intervals,
                                      size_t count, struct arena *arena);

/* A table of sizes and durations, colored by days; rows and columns have labels. */
struct heat_cell {
    bool given;
    int64_t size;
    double days;
    const char *days_text; /* with their unit, for display */
    bool current;
};
struct heat {
    const char *title;
    const char *corner; /* the title of rows and columns */
    const char *missing;
    const struct string_list rows;
    const struct string_list columns;
    const struct heat_cell *cells;
};
const struct drawing *chart_heat(const struct heat *heat, struct arena *arena);

void drawing_write_svg(const struct drawing *drawing, struct text *out);

/* Digits with a comma between groups of three, from the arena. */
const char *print_thousands(struct arena *arena, int64_t value);

/* A difference, or an end of an interval: two decimals, or two significant digits where `size` is
 * below 0.1, or none and separators from 1000 on. `size` is the largest of the numbers that are
 * shown together, so that they have the same decimals. */
const char *print_difference(struct arena *arena, bool sign, double size, double value);

#endif
