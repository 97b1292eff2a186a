/* Times of live data: microseconds since 1970 UTC inside, ISO 8601 with Z on the wire. */
#ifndef ASSAY_LIVEDATA_TIMESTAMP_H
#define ASSAY_LIVEDATA_TIMESTAMP_H

#include "base/clock.h"
#include "base/json.h"
#include "base/zone.h"

#include <stdbool.h>
#include <stdint.h>

enum { TIMESTAMP_TEXT = CLOCK_TEXT_MAX };

static const int64_t us_per_second = 1000000, us_per_minute = 60000000, us_per_hour = 3600000000,
                     us_per_day = 86400000000;

/* Parses `YYYY-MM-DD[(T| )HH:MM[:SS[.f…]]][Z|±HH:MM|±HHMM]`, UTC without a zone, midnight for a
 * date alone; or seconds since 1970 with an optional fraction. False for anything else, including
 * days that do not exist and 24:00. */
bool timestamp_parse(const char *text, int64_t *timestamp);

/* "2026-04-09T11:00:00Z", with six digits of a fraction if there is one. */
void timestamp_format(int64_t timestamp, char text[TIMESTAMP_TEXT]);
/* The same in whole seconds. */
void timestamp_format_seconds(int64_t timestamp, char text[TIMESTAMP_TEXT]);

/* Writes the time, or null for 0. */
void timestamp_write(struct json_writer *writer, const char *key, int64_t timestamp);

/* Seconds from `from` to `to`. */
double timestamp_seconds(int64_t from, int64_t to);

/* Parses `5m`, `15m`, `6h`, `7d` into microseconds; `now` is 30 minutes. False for anything
 * else. */
bool window_parse(const char *text, int64_t *microseconds);
/* The same of what divides a day, up to the whole day: `5m`, `1h`, `1d`; not `now`. */
bool day_part_parse(const char *text, int64_t *microseconds);

#endif
