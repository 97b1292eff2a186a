/* Points in time as text: ISO 8601 as clients write it, and with Z as services answer. Always UTC
 * and in microseconds since 1970 inside. */
#ifndef ASSAY_BASE_TIMESTAMP_H
#define ASSAY_BASE_TIMESTAMP_H

#include "base/clock.h"

#include <stdbool.h>
#include <stdint.h>

/* Seconds since 1970 up to 2e10 in size, milliseconds beyond; digits past the microsecond are cut.
 * False outside the years 1 to 9999. */
bool timestamp_from_number(double number, int64_t *microseconds);

/* `YYYY-MM-DD`, or that with `T` or a blank and `HH:MM[:SS[.fraction]]` and `Z`, `+HH:MM`, `+HHMM`
 * or nothing (UTC) behind it; or a number as above. False for anything else. */
bool timestamp_from_text(const char *text, int64_t *microseconds);

/* The text form of timestamp_from_text() alone, and stricter: a fraction has one to nine digits and
 * stands behind a point. */
bool timestamp_from_iso(const char *text, int64_t *microseconds);

/* "2026-04-09T11:00:00Z", with six digits of a fraction where there is one and it is wanted. */
void timestamp_to_z(int64_t microseconds, bool fraction, char text[CLOCK_TEXT_MAX]);

#endif
