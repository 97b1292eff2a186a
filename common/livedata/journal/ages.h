/*
 * The two ages of an answer: how long ago the newest event was applied, and how old that event is
 * by its own time. Rejected events have no part in either.
 */
#ifndef ASSAY_LIVEDATA_JOURNAL_AGES_H
#define ASSAY_LIVEDATA_JOURNAL_AGES_H

#include "base/optional.h"

/* Microseconds since 1970; 0 = none, or unknown. */
struct event_mark {
    int64_t applied_at;
    int64_t event_at;
};

enum {
    APPLIED_AHEAD_SECONDS = 60 /* by which the clock of the host that applied it may be ahead */
};

struct data_ages {
    struct optional_number freshness_seconds; /* since the event was applied */
    struct optional_number event_age_seconds; /* since the event's own time */
    bool in_future; /* applied at a time that is still to come: a clock was set back, and neither
                       age is known */
};

/* Neither is ever negative. */
struct data_ages data_ages(struct event_mark mark, int64_t now);

/* Whether the older of the two is above the budget, or the clock was set back. False when no event
 * was applied. */
bool data_ages_are_stale(struct data_ages ages, double budget_seconds);

#endif
