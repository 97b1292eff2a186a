/*
 * The two ages of an answer: the time since the newest event was applied, and since that event's
 * own time. Rejected events do not count.
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
    APPLIED_AHEAD_SECONDS = 60 /* possible clock difference of the host that applied it */
};

struct data_ages {
    struct optional_number freshness_seconds; /* since the event was applied */
    struct optional_number event_age_seconds; /* since the event's own time */
    bool in_future; /* applied in the future: a clock was set back, and neither age is known */
};

/* Neither is ever negative. */
struct data_ages data_ages(struct event_mark mark, int64_t now);

/* Whether the greater age is above the budget, or the clock was set back. False when no event was
 * applied. */
bool data_ages_are_stale(struct data_ages ages, double budget_seconds);

#endif
