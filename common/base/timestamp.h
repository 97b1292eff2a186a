/* Timestamps as text: ISO 8601 as clients write it, and with Z as services answer. Stored in UTC,
 * in microseconds since 1970. */
#ifndef ASSAY_BASE_TIMESTAMP_H
#define ASSAY_BASE_TIMESTAMP_H

#include "base/clock.h"

#include <stdbool.h>
#include <stdint.h>

/* Seconds since 1970 if the absolute value is at most 2e10, else milliseconds; digits past the
 * microsecond are dropped. False outside the years 1 to 9999. */
bool timestamp_from_number(double number, int64_t *microseconds);

/* `YYYY-MM-DD`, optionally followed by `T` or a blank and `HH:MM[:SS[.fraction]]`, then `Z`,
 * `+HH:MM`, `+HHMM` or nothing (UTC); or a number as above. False for anything else. */
bool timestamp_from_text(const char *text, int64_t *microseconds);

/* Only the text form of timestamp_from_text(), and stricter: a fraction has one to nine digits and
 * follows a point. */
bool timestamp_from_iso(const char *text, int64_t *microseconds);

/* "2026-04-09T11:00:00Z"; with six fraction digits if `fraction` is set and they are not zero. */
void timestamp_to_z(int64_t microseconds, bool fraction, char text[CLOCK_TEXT_MAX]);

#endif
