/*
 * The period that a question names. "The last 24 hours" is a duration that ends now; today,
 * yesterday, weekdays, weeks, months and dates are calendar periods of a time zone.
 */
#ifndef ASSAY_LIVEDATA_QUERY_PERIODS_H
#define ASSAY_LIVEDATA_QUERY_PERIODS_H

#include "livedata/query/words.h"

enum period_kind { PERIOD_NONE, PERIOD_ALL, PERIOD_DURATION, PERIOD_CALENDAR };

struct period {
    enum period_kind kind;
    int64_t amount; /* for a duration: 3 "hours" */
    const char *unit;
    int64_t from, to; /* microseconds since 1970, `to` not included; 0 = open */
    bool today;
    bool clamped; /* an excessive number was reduced */
};

/* Finds the period and marks its words as used; PERIOD_NONE when there is none. A second period
 * remains among the words not understood. `zone` is a name of the time zone database. */
void period_read(struct question_words *words, const char *zone, int64_t now,
                 struct period *period);

/* "in the last 3 hours", "from 2026-11-01 00:00 until 2026-12-01 00:00 (Europe/Berlin)", "of all
 * time". */
const char *period_text(struct arena *arena, const struct period *period, const char *zone);

#endif
