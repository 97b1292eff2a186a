/*
 * The values of a metric in buckets of time. Values of past buckets are kept in the database, with
 * the number of the last change that they contain; a call computes from rows only what was not kept
 * or has changed since (journal/series_changes.h). So each value is that of a recomputation.
 *
 * A bucket is computed again when its hours have changed in the table that has the measure's time,
 * when values that the measure uses were set in rows that are joined, or when anything changed in a
 * table that notes no hours. All values are of one moment: when something changes between two
 * statements, they are computed again.
 *
 * Kept are whole buckets that have ended, have not changed in the last seconds, and are not older
 * than a setting's days; and only of metrics as their files have them, so that their number is
 * limited. Retention deletes them.
 */
#ifndef ASSAY_LIVEDATA_METRICS_SERIES_H
#define ASSAY_LIVEDATA_METRICS_SERIES_H

#include "base/optional.h"
#include "livedata/metrics/measure_compute.h"

struct series_request {
    struct measure_request measured; /* with buckets */
    bool first_cut, last_cut;        /* the first and the last bucket are parts of one */
    bool zero;                       /* the value without rows is 0; else there is none */
    const char *step, *zone;         /* which buckets they are */
    int64_t kept_days;               /* 0 = all is computed from rows */
    int64_t journal_days;            /* how long the journal's rows stay */
};

struct series_value {
    struct optional_number value;
    const char *currencies; /* that are not added, with a blank behind each; NULL = none */
    bool known;
    bool fresh;      /* computed by this call */
    int64_t changed; /* number of the last change that it may contain */
};
struct series_values {
    const struct series_request *request;
    const char *name;           /* under which they are kept */
    size_t count;               /* of buckets */
    struct series_value *items; /* in their order */
    size_t keep_count;          /* which of them to keep: their indexes */
    size_t *keep;
};

/* Errors of measure_compute(). Outside transactions. */
MUST_CHECK enum error series_compute(const struct storage_call *call,
                                     const struct series_request *request,
                                     struct series_values *values);

/* Keeps what was computed, for later calls: a transaction, best done after the answer. */
MUST_CHECK enum error series_keep(const struct storage_call *call,
                                  const struct series_values *values);

/* Private: series_sources.c. The last changes of what the measure is computed from, as far as they
 * are later than `seen`. Starts with `buckets` zeroed; further calls add what came meanwhile. */
struct series_last_change {
    int64_t number;
    int64_t at; /* microseconds */
};
struct series_last_changes {
    int64_t newest; /* number of the tenant's last change */
    int64_t seen;
    bool unknown; /* a host of a former version has changed rows, and noted nothing */
    struct series_last_change *buckets; /* of each */
};
MUST_CHECK enum error series_look(const struct storage_call *call,
                                  const struct measure_request *request,
                                  struct series_last_changes *changes);
bool series_reads_journal(const struct measure *measure);

#endif
