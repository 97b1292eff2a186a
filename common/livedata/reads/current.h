/*
 * How current each entity and metric is, what is stale or silent, and why: its events fail, a
 * source lags or sends no heartbeats, or nothing has come.
 */
#ifndef ASSAY_LIVEDATA_READS_CURRENT_H
#define ASSAY_LIVEDATA_READS_CURRENT_H

#include "livedata/reads/answers.h"

enum current_state { CURRENT_FRESH, CURRENT_STALE, CURRENT_SILENT, CURRENT_NOT_SERVED };

struct current_row {
    const char *name;
    const char *domain;
    int state;          /* enum current_state */
    const char *reason; /* NULL = fresh, and new events have come */
    const char *detail; /* of contract_differs: the difference; or NULL */
    const char *source; /* that sends heartbeats and is the slowest; NULL = none does */
    struct optional_number freshness_seconds, event_age_seconds;
    struct optional_number source_lag_seconds; /* of that source */
    double budget_seconds;                     /* the age that is still fresh */
    int64_t failed_last_hour;                  /* events that could not be applied */
};

struct current_source {
    const char *source;
    struct string_list feeds; /* entities; empty = all */
    int64_t watermark, beat_at;
    double lag_seconds;
    bool behind;
};

struct current_report {
    int64_t checked_at;
    OBJECT_LIST(struct current_row, entities);
    OBJECT_LIST(struct current_row, metrics);
    OBJECT_LIST(struct current_source, sources);
};
SCHEMA_OF(current_schema, struct current_report);

/* Of what the key may read. */
MUST_CHECK enum error current_read(const struct reading *reading, struct current_report *report);

#endif
