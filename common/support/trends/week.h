/* ISO 8601 weeks in UTC: they begin on Monday; the first week contains the year's first
 * Thursday. */
#ifndef ASSAY_SUPPORT_TRENDS_WEEK_H
#define ASSAY_SUPPORT_TRENDS_WEEK_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

#define WEEK_MICROSECONDS INT64_C(604800000000)

/* The start of `YYYY-Www` in microseconds since 1970; false for other text and for a week that the
 * year does not have. */
bool week_parse(const char *text, int64_t *start);

/* The week of a timestamp, as `YYYY-Www`. From the arena. */
const char *week_of(struct arena *arena, int64_t moment);

/* The day of a timestamp, as `YYYY-MM-DD`. From the arena. */
const char *week_date(struct arena *arena, int64_t moment);

#endif
