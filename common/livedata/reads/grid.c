/* Choosing the steps of a plot. */
#include "livedata/reads/grid.h"

#include "livedata/timestamp.h"

#include <string.h>

bool grid_step(const char *text, int64_t *step)
{
    if (strcmp(text, "day") == 0)
        text = "1d";
    if (strcmp(text, "hour") == 0)
        text = "1h";
    return day_part_parse(text, step);
}

void grid_shorten(struct grid *grid, int64_t most)
{
    if (grid->count <= most)
        return;
    grid->first += (grid->count - most) * grid->step;
    grid->from = grid->first;
    grid->count = most;
}

enum error grid_choose(const struct storage_call *call, const struct grid_query *query,
                       struct grid *grid)
{
    *grid = (struct grid){.to = query->to ? query->to : call->now, .step_text = query->step};
    grid->from = query->from ? query->from : grid->to - query->span;
    if (grid->from < 0 || grid->from >= grid->to || grid->to > call->now)
        return problem_set(call->problem, ERROR_INVALID, "range_invalid",
                           "from must be before to, and to not in the future");
    if (!grid->step_text)
        grid->step_text = grid->to - grid->from <= GRID_STEPS_MAX / 2 * us_per_hour ? "1h" : "1d";
    if (!grid_step(grid->step_text, &grid->step))
        return problem_set(call->problem, ERROR_INVALID, "step_invalid",
                           "step '%.40s' is no part of a day, as 5m and 1h are, and not 1d",
                           grid->step_text);
    grid->first = (grid->from + grid->step - 1) / grid->step * grid->step;
    grid->count = grid->first > grid->to ? 0 : (grid->to - grid->first) / grid->step + 1;
    if (query->shorten)
        grid_shorten(grid, GRID_STEPS_MAX);
    if (grid->count <= GRID_STEPS_MAX)
        return ERROR_NONE;
    return problem_set(call->problem, ERROR_INVALID, "too_many_points",
                       "There would be more than %d points: choose a longer step or a shorter "
                       "time.",
                       GRID_STEPS_MAX);
}
