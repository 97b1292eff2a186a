/* Where the values of the design's metric come from, when it is live data: how far they were read
 * and how fresh they are. */
#ifndef ASSAY_EXPERIMENTS_LIVE_RESULTS_SOURCE_H
#define ASSAY_EXPERIMENTS_LIVE_RESULTS_SOURCE_H

#include "experiments/live/view.h"

/* The member `livedata` of live statistics and decisions. Times are microseconds since 1970,
 * 0 = never. */
struct live_source_block {
    int status; /* enum live_source_state */
    const char *metric;
    const char *entity_type, *user_column, *value_column, *time_column;
    const char *position; /* the watermark */
    int64_t read_at, complete_at;
    struct optional_number event_age_seconds;
    struct optional_number stale_seconds, event_age_seconds_max; /* limits of the reader */
    int64_t rows_read, rows_recorded, rows_unusable;
    int64_t failed_at;
    const char *failure;
};
SCHEMA_OF(live_source_schema, struct live_source_block);
extern const char *const live_source_states[];

/* A source as an answer shows it, from the arena. */
const struct live_source_block *live_source_shown(const struct live_source *source,
                                                  enum live_source_state state,
                                                  struct arena *arena);

/* NULL when the metric has no such source. */
const struct live_source_block *live_results_source(const struct live_view *view,
                                                    struct arena *arena);

#endif
