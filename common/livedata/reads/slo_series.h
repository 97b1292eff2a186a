/*
 * A service level over time: at each step what it was, and what was left of its budget, over the
 * window that ended there. Computed from what is kept, so that it follows a change of the
 * objective; the windows of early steps reach back before that.
 */
#ifndef ASSAY_LIVEDATA_READS_SLO_SERIES_H
#define ASSAY_LIVEDATA_READS_SLO_SERIES_H

#include "livedata/reads/grid.h"
#include "livedata/reads/slo.h"

struct slo_point {
    int64_t at; /* end of the window */
    struct optional_number current, error_budget_remaining;
    struct optional_number good, valid;
    bool partial; /* a part of the window is no longer kept */
};
struct slo_series {
    const char *name, *step;
    double target;
    int64_t window_days;
    int64_t from, to;
    int64_t kept_since; /* 0 = nothing is deleted */
    OBJECT_LIST(struct slo_point, points);
    const struct slo_answer *level; /* as it is now; NULL = not asked for */
};
SCHEMA_OF(slo_series_schema, struct slo_series);

struct slo_series_query {
    const char *name;
    struct grid_query grid; /* `span` is chosen here: the level's window */
};

/* Until now the last point is what GET /v1/slo says. Without a time and a step, the latest points
 * of the window. ERROR_NOT_FOUND unknown_slo; ERROR_INVALID those of grid_choose(); besides those
 * of slo_read_all(). */
MUST_CHECK enum error slo_read_series(const struct reading *reading,
                                      const struct slo_series_query *query,
                                      struct slo_series *series);

/* All levels that the key may see, as they are now, and each over its window or the time that is
 * given: where the step does not fit, in steps of a day, and where that would be too many points,
 * the latest of them. */
struct slo_series_list {
    OBJECT_LIST(struct slo_series, series);
};
SCHEMA_OF(slo_series_list_schema, struct slo_series_list);
MUST_CHECK enum error slo_read_all_series(const struct reading *reading,
                                          const struct grid_query *query,
                                          struct slo_series_list *list);

#endif
