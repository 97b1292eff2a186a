/*
 * Which hours of a table have changed, and when: kept points of series (metrics/series.h) are true
 * as long as their hours have not. A transaction that changes rows notes, and writes at its end
 * under the number of its change (generation_raise_noted()):
 *
 *   - of a row with a time, in orders_v2, sessions_aggregated, pipeline_events and tables of
 *     domains: the hours of its times before and after the change. Late, corrected, moved and
 *     deleted rows are all seen so. Lines of orders change only with their order.
 *   - of a row of a domain, which others may be joined with: that values were set (or that the row
 *     came or went), and that counted columns were, each for the whole table.
 *
 * What is not noted (retention of rows, rebuilding a table, filling a new column, the seed) raises
 * the generation of the whole table; of the tables of users and products every change does.
 */
#ifndef ASSAY_LIVEDATA_JOURNAL_SERIES_CHANGES_H
#define ASSAY_LIVEDATA_JOURNAL_SERIES_CHANGES_H

#include "livedata/storage_call.h"

/* In place of an hour: of the whole table; and what has changed then. */
#define SERIES_ALL_HOURS INT64_MAX
#define SERIES_SET "row.set"
#define SERIES_COUNTED "row.counted"

struct series_change {
    const char *table, *column;
    int64_t hour; /* its beginning, microseconds since 1970; SERIES_ALL_HOURS = of all */
};
struct series_changes {
    size_t count;
    struct series_change *items;
};

/* The beginning of the hour, UTC. */
int64_t series_hour(int64_t at);

/* Note a change in `call->changes`; nothing without them. Names stay borrowed. */
void series_note_time(const struct storage_call *call, const char *table, const char *column,
                      int64_t at);
void series_note_all(const struct storage_call *call, const char *table, const char *column);

/* Before the commit, with the number of the change. */
MUST_CHECK enum error series_changes_write(const struct storage_call *call,
                                           const struct series_changes *changes, int64_t number);

#endif
