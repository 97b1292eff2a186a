/* SQL of the stored growth by day. */
#ifndef ASSAY_EXPERIMENTS_LIVE_SERIES_STORE_H
#define ASSAY_EXPERIMENTS_LIVE_SERIES_STORE_H

#include "experiments/live/live_store.h"
#include "experiments/live/series.h"

struct live_series_row {
    const char *version;
    int64_t computed_at;
    int64_t took; /* microseconds */
    int64_t step;
};

/* `row.version` is NULL when nothing is stored. */
MUST_CHECK enum error live_series_read(const struct live_call *call, const char *id,
                                       struct live_series_row *row);
MUST_CHECK enum error live_days_read(const struct live_call *call, const char *id,
                                     struct object_list *days);

MUST_CHECK enum error live_ages_read(const struct live_call *call, const char *id,
                                     struct object_list *ages);

/* Moves `at` on to the newest exposure and event under a number, by their own times. */
MUST_CHECK enum error live_newest_moment(const struct live_call *call, int64_t number, int64_t *at);

/* The ids of experiments with more than `people` subjects. */
MUST_CHECK enum error live_series_large(const struct live_call *call, int64_t people,
                                        struct live_names *experiments);

/* Replaces what is stored. */
MUST_CHECK enum error live_series_save(const struct live_call *call, const char *id,
                                       const struct live_series_row *row,
                                       const struct live_series *series);

#endif
