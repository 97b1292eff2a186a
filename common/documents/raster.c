/* Removes the lines of tables from pictures of pages. A line is longer than letters are high, and
 * thin; on a page that was scanned askew it consists of steps, each of them long enough. Runs in a
 * child process that exits afterwards, so nothing is freed. */
#include "documents/raster.h"

#include <stdlib.h>
#include <string.h>

enum {
    DARK = 190,        /* gray, below it there is ink; lines are often lighter than letters */
    LENGTH_SHARE = 40, /* of the longer side: the shortest line */
    LENGTH_LEAST = 40, /* pixels */
    THICK_MOST = 6,    /* pixels */
    WHITE = 255
};

struct raster {
    unsigned char *gray, *line; /* `line`: 1 where a line was found */
    int width, height;
};

static bool read_header(FILE *in, struct raster *raster)
{
    int most = 0;
    char text[128];

    if (!fgets(text, sizeof text, in) || strcmp(text, "P5\n") != 0)
        return false;
    do {
        if (!fgets(text, sizeof text, in))
            return false;
    } while (*text == '#');
    raster->width = (int)strtol(text, NULL, 10);
    raster->height = strchr(text, ' ') ? (int)strtol(strchr(text, ' '), NULL, 10) : 0;
    if (!fgets(text, sizeof text, in))
        return false;
    most = (int)strtol(text, NULL, 10);
    return most == WHITE && raster->width > 0 && raster->height > 0 &&
           raster->width <= RASTER_SIDE_MAX && raster->height <= RASTER_SIDE_MAX;
}

/* Marks the runs of ink along one direction that are long and thin: `step` leads along a run,
 * `across` beside it. */
static void mark_run(struct raster *raster, size_t from, size_t length, size_t step, size_t across,
                     size_t place, size_t places)
{
    size_t thin = 0;

    for (size_t i = 0; i < length; i++) {
        size_t at = from + i * step, thick = 1;

        for (size_t side = 1; side <= THICK_MOST && side <= place; side++, thick++)
            if (raster->gray[at - side * across] >= DARK)
                break;
        for (size_t side = 1; side <= THICK_MOST && place + side < places; side++, thick++)
            if (raster->gray[at + side * across] >= DARK)
                break;
        thin += thick <= THICK_MOST;
    }
    if (thin * 10 < length * 7)
        return;
    for (size_t i = 0; i < length; i++)
        raster->line[from + i * step] = 1;
}

static void find_lines(struct raster *raster, bool upright, size_t least)
{
    size_t width = (size_t)raster->width, height = (size_t)raster->height;
    size_t places = upright ? width : height, length = upright ? height : width;
    size_t step = upright ? width : 1, across = upright ? 1 : width;

    for (size_t place = 0; place < places; place++) {
        size_t run = 0;

        for (size_t i = 0; i <= length; i++) {
            if (i < length && raster->gray[place * across + i * step] < DARK) {
                run++;
                continue;
            }
            if (run >= least)
                mark_run(raster, place * across + (i - run) * step, run, step, across, place,
                         places);
            run = 0;
        }
    }
}

/* Lines have soft edges, which become white too. */
static void whiten(struct raster *raster)
{
    size_t width = (size_t)raster->width, count = width * (size_t)raster->height;

    for (size_t i = 0; i < count; i++) {
        if (!raster->line[i])
            continue;
        raster->gray[i] = WHITE;
        if (i > 0 && !raster->line[i - 1] && raster->gray[i - 1] > DARK / 2)
            raster->gray[i - 1] = WHITE;
        if (i + 1 < count && !raster->line[i + 1] && raster->gray[i + 1] > DARK / 2)
            raster->gray[i + 1] = WHITE;
        if (i >= width && !raster->line[i - width] && raster->gray[i - width] > DARK / 2)
            raster->gray[i - width] = WHITE;
        if (i + width < count && !raster->line[i + width] && raster->gray[i + width] > DARK / 2)
            raster->gray[i + width] = WHITE;
    }
}

bool raster_remove_lines(FILE *in, FILE *out)
{
    struct raster raster = {NULL, NULL, 0, 0};
    size_t count, least;

    if (!read_header(in, &raster))
        return false;
    count = (size_t)raster.width * (size_t)raster.height;
    raster.gray = malloc(count);
    raster.line = calloc(count, 1);
    if (!raster.gray || !raster.line || fread(raster.gray, 1, count, in) != count)
        /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): the process ends with this call */
        return false;
    least = (size_t)(raster.width > raster.height ? raster.width : raster.height) / LENGTH_SHARE;
    least = least > LENGTH_LEAST ? least : LENGTH_LEAST;
    find_lines(&raster, true, least);
    find_lines(&raster, false, least);
    whiten(&raster);
    fprintf(out, "P5\n%d %d\n%d\n", raster.width, raster.height, WHITE);
    return fwrite(raster.gray, 1, count, out) == count && fflush(out) == 0;
}
