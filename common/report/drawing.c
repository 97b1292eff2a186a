/* Charts made of lines, boxes, dots and texts. Independent of the output format. */
#include "report/drawing.h"
#include "base/number.h"

#include <math.h>
#include <string.h>

enum {
    WIDTH = 500,
    CURVE_HEIGHT = 230,
    ROW_HEIGHT = 34,
    LABEL_WIDTH = 110,
    TICKS = 5,
    TICKS_MAX = 12,
    DECIMALS_MAX = 12
};

#define WHOLE_FROM 1000
#define COARSE_FROM 0.1

#define SMALL 8.5
#define STROKE 1.6
#define HAIR 0.6
#define SMALLEST_SPAN 1e-300
#define LARGEST_SPAN 1e300
#define SHORT_DAYS 7.0
#define FAIR_DAYS 14.0
#define LEFT 56.0
#define RIGHT 14.0
#define TOP 14.0
#define BOTTOM 40.0

const struct rgb colours[COLOUR__MAX] = {
    [COLOUR_INK] = {28, 32, 40},     [COLOUR_QUIET] = {92, 99, 112},
    [COLOUR_RULE] = {214, 218, 226}, [COLOUR_ACCENT] = {11, 106, 93},
    [COLOUR_GOOD] = {209, 240, 217}, [COLOUR_FAIR] = {253, 240, 200},
    [COLOUR_POOR] = {252, 219, 214}, [COLOUR_BACKGROUND] = {255, 255, 255},
};

static struct drawing *start(struct arena *arena, double height, const char *title, size_t capacity)
{
    struct drawing *drawing = ARENA_NEW(arena, struct drawing);

    *drawing = (struct drawing){.arena = arena,
                                .width = WIDTH,
                                .height = height,
                                .title = title,
                                .shapes = ARENA_ARRAY(arena, struct shape, capacity),
                                .capacity = capacity};
    return drawing;
}

static void add(struct drawing *drawing, struct shape shape)
{
    if (drawing->count < drawing->capacity)
        drawing->shapes[drawing->count++] = shape;
}

static void line(struct drawing *drawing, enum colour colour, double size, double x, double y,
                 double to_x, double to_y)
{
    add(drawing, (struct shape){.kind = SHAPE_LINE,
                                .colour = colour,
                                .size = size,
                                .x = x,
                                .y = y,
                                .width = to_x - x,
                                .height = to_y - y});
}

static void words(struct drawing *drawing, enum colour colour, enum anchor anchor, double x,
                  double y, const char *text)
{
    add(drawing, (struct shape){.kind = SHAPE_TEXT,
                                .colour = colour,
                                .size = SMALL,
                                .anchor = anchor,
                                .x = x,
                                .y = y,
                                .words = text});
}

static void dot(struct drawing *drawing, double x, double y, double radius)
{
    add(drawing, (struct shape){
                     .kind = SHAPE_DOT, .colour = COLOUR_ACCENT, .x = x, .y = y, .width = radius});
}

const char *print_thousands(struct arena *arena, int64_t value)
{
    const char *digits = arena_print(
        arena, "%llu", value < 0 ? -(unsigned long long)value : (unsigned long long)value);
    size_t length = strlen(digits);
    struct text text;

    text_start(&text, arena, 64);
    if (value < 0)
        text_append_byte(&text, '-');
    for (size_t i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            text_append_byte(&text, ',');
        text_append_byte(&text, digits[i]);
    }
    return text.bytes;
}

static int decimals_for(double size)
{
    if (size >= WHOLE_FROM)
        return 0;
    if (size >= COARSE_FROM || !(size > 0))
        return 2;
    return (int)fmin(DECIMALS_MAX, 1 - floor(log10(size)));
}

const char *print_difference(struct arena *arena, bool sign, double size, double value)
{
    int decimals = decimals_for(size);

    if (!isfinite(value) || fabs(value) >= 0x1p53)
        return arena_print(arena, sign ? "%+.6g" : "%.6g", value);
    value = number_round(value, decimals) + 0.0;
    if (decimals == 0)
        return arena_print(arena, "%s%s", sign && value >= 0 ? "+" : "",
                           print_thousands(arena, (int64_t)value));
    return arena_print(arena, sign ? "%+.*f" : "%.*f", decimals, value);
}

static const char *label_of(struct arena *arena, double value)
{
    if (fabs(value) >= 1000)
        return print_thousands(arena, (int64_t)nearbyint(value));
    return arena_print(arena, "%.4g", value + 0.0);
}

/* 1, 2 or 5 times a power of ten, so that some five steps span the range. */
static double step_of(double span)
{
    double rough = span / TICKS, power = pow(10, floor(log10(rough))), lead = rough / power;

    return power * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
}

/* Maps a value between two ends to a coordinate. */
static double place(double value, double low, double high, double from, double to)
{
    return from + fmin(fmax((value - low) / (high - low), 0), 1) * (to - from);
}

static void draw_percent_axis(struct drawing *drawing, double bottom)
{
    for (int percent = 0; percent <= 100; percent += 20) {
        double y = place(percent, 0, 100, bottom, TOP);

        line(drawing, COLOUR_RULE, HAIR, LEFT, y, WIDTH - RIGHT, y);
        words(drawing, COLOUR_QUIET, ANCHOR_END, LEFT - 6, y + 3,
              arena_print(drawing->arena, "%d%%", percent));
    }
}

const struct drawing *chart_curve(const struct curve *curve, struct arena *arena)
{
    struct drawing *drawing = start(arena, CURVE_HEIGHT, curve->title, 3 * curve->count + 64);
    double bottom = CURVE_HEIGHT - BOTTOM, high = curve->x[curve->count - 1] * 1.03;
    double step = step_of(high);

    draw_percent_axis(drawing, bottom);
    for (int i = 0; i < TICKS_MAX && i * step <= high; i++)
        words(drawing, COLOUR_QUIET, ANCHOR_MIDDLE, place(i * step, 0, high, LEFT, WIDTH - RIGHT),
              bottom + 14, label_of(arena, i * step));
    if (curve->marked_x > 0) {
        double x = place(curve->marked_x, 0, high, LEFT, WIDTH - RIGHT);

        line(drawing, COLOUR_QUIET, HAIR, x, TOP, x, bottom);
    }
    for (size_t i = 0; i < curve->count; i++) {
        double x = place(curve->x[i], 0, high, LEFT, WIDTH - RIGHT);
        double y = place(curve->y[i], 0, 1, bottom, TOP);

        if (i)
            line(drawing, COLOUR_ACCENT, STROKE,
                 place(curve->x[i - 1], 0, high, LEFT, WIDTH - RIGHT),
                 place(curve->y[i - 1], 0, 1, bottom, TOP), x, y);
        dot(drawing, x, y, 2.2);
    }
    words(drawing, COLOUR_INK, ANCHOR_MIDDLE, (LEFT + WIDTH - RIGHT) / 2, CURVE_HEIGHT - 8,
          curve->x_label);
    words(drawing, COLOUR_INK, ANCHOR_START, LEFT, TOP - 5, curve->y_label);
    return drawing;
}

/* "1.32 (0.78 … 1.86)", from left to right in every language. */
static const char *interval_text(const struct interval *interval, struct arena *arena)
{
    double size = fmax(fabs(interval->lower), fabs(interval->upper));

    return arena_print(arena, "\u2066%s (%s \xE2\x80\xA6 %s)\u2069",
                       print_difference(arena, false, size, interval->middle),
                       print_difference(arena, false, size, interval->lower),
                       print_difference(arena, false, size, interval->upper));
}

const struct drawing *chart_intervals(const char *title, const struct interval *intervals,
                                      size_t count, struct arena *arena)
{
    double height = TOP + ROW_HEIGHT * (double)count + 26, low = 0, high = 0, step;
    struct drawing *drawing = start(arena, height, title, 6 * count + 40);
    double left = LABEL_WIDTH, right = WIDTH - RIGHT, bottom = height - 22;

    for (size_t i = 0; i < count; i++) {
        low = fmin(low, intervals[i].lower);
        high = fmax(high, intervals[i].upper);
    }
    if (!(high - low > SMALLEST_SPAN && high - low < LARGEST_SPAN))
        low = -1, high = 1;
    step = step_of(high - low);
    low -= step / 2, high += step / 2;
    for (int i = 0; i < TICKS_MAX; i++) {
        double at = (ceil(low / step) + i) * step, x = place(at, low, high, left, right);
        bool zero = fabs(at) < step / 2;

        if (!(at <= high))
            break;
        line(drawing, zero ? COLOUR_QUIET : COLOUR_RULE, zero ? 1 : HAIR, x, TOP, x, bottom);
        words(drawing, COLOUR_QUIET, ANCHOR_MIDDLE, x, bottom + 13, label_of(arena, zero ? 0 : at));
    }
    for (size_t i = 0; i < count; i++) {
        double y = TOP + ROW_HEIGHT * ((double)i + 0.5);

        words(drawing, COLOUR_INK, ANCHOR_START, 0, y + 3, intervals[i].label);
        line(drawing, COLOUR_ACCENT, STROKE, place(intervals[i].lower, low, high, left, right), y,
             place(intervals[i].upper, low, high, left, right), y);
        dot(drawing, place(intervals[i].middle, low, high, left, right), y, 3.5);
        words(drawing, COLOUR_QUIET, ANCHOR_MIDDLE,
              place(intervals[i].middle, low, high, left, right), y - 8,
              interval_text(&intervals[i], arena));
    }
    return drawing;
}

static enum colour colour_of(const struct heat_cell *cell)
{
    if (!cell->given)
        return COLOUR_BACKGROUND;
    return cell->days <= SHORT_DAYS  ? COLOUR_GOOD
           : cell->days <= FAIR_DAYS ? COLOUR_FAIR
                                     : COLOUR_POOR;
}

static void draw_cell(struct drawing *drawing, const struct heat *heat,
                      const struct heat_cell *cell, double x, double y, double width)
{
    struct shape box = {.kind = SHAPE_BOX,
                        .colour = colour_of(cell),
                        .x = x + 1,
                        .y = y + 1,
                        .width = width - 2,
                        .height = ROW_HEIGHT - 2};
    double middle = x + width / 2;

    add(drawing, box);
    if (cell->current) {
        box.kind = SHAPE_FRAME, box.colour = COLOUR_ACCENT, box.size = STROKE;
        add(drawing, box);
    }
    if (!cell->given) {
        words(drawing, COLOUR_QUIET, ANCHOR_MIDDLE, middle, y + ROW_HEIGHT / 2.0 + 3,
              heat->missing);
        return;
    }
    words(drawing, COLOUR_INK, ANCHOR_MIDDLE, middle, y + 14, cell->days_text);
    words(drawing, COLOUR_QUIET, ANCHOR_MIDDLE, middle, y + 26,
          arena_print(drawing->arena, "n=%s", print_thousands(drawing->arena, cell->size)));
}

const struct drawing *chart_heat(const struct heat *heat, struct arena *arena)
{
    size_t rows = heat->rows.count, columns = heat->columns.count;
    struct drawing *drawing =
        start(arena, 20 + ROW_HEIGHT * (double)rows, heat->title, 4 * (rows + 1) * (columns + 1));
    double width = (WIDTH - LABEL_WIDTH) / (double)columns;

    words(drawing, COLOUR_QUIET, ANCHOR_START, 0, 12, heat->corner);
    for (size_t j = 0; j < columns; j++)
        words(drawing, COLOUR_INK, ANCHOR_MIDDLE, LABEL_WIDTH + width * ((double)j + 0.5), 12,
              heat->columns.items[j]);
    for (size_t i = 0; i < rows; i++) {
        double y = 20 + ROW_HEIGHT * (double)i;

        words(drawing, COLOUR_INK, ANCHOR_START, 0, y + ROW_HEIGHT / 2.0 + 3, heat->rows.items[i]);
        for (size_t j = 0; j < columns; j++)
            draw_cell(drawing, heat, &heat->cells[i * columns + j], LABEL_WIDTH + width * (double)j,
                      y, width);
    }
    return drawing;
}
