/* Steps of equal length over a time, for plots of what the service itself has counted: minutes and
 * hours that divide a day, and days, all of UTC. */
#ifndef ASSAY_LIVEDATA_READS_GRID_H
#define ASSAY_LIVEDATA_READS_GRID_H

#include "livedata/storage_call.h"

enum { GRID_STEPS_MAX = 2000 };

struct grid_query {
    int64_t from, to; /* microseconds since 1970; 0 = `span` before `to`, and now */
    const char *step; /* NULL = an hour, or a day where that would be too many */
    int64_t span;
    bool shorten; /* begin later where there would be too many steps, rather than refuse */
};

/* Multiples of the step that lie in the time: the first one, and how many. */
struct grid {
    int64_t from, to; /* as they were chosen; `from` later when it was shortened */
    int64_t step, first, count;
    const char *step_text;
};

/* "15m", "1h", "day" in microseconds; false for what does not divide a day. */
bool grid_step(const char *text, int64_t *step);

/* Leaves the latest steps, as many as are allowed. */
void grid_shorten(struct grid *grid, int64_t most);

/* ERROR_INVALID range_invalid, step_invalid; too_many_points, unless it shortens. */
MUST_CHECK enum error grid_choose(const struct storage_call *call, const struct grid_query *query,
                                  struct grid *grid);

#endif
