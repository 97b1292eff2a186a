/* Points in time as clients write them: ISO 8601 text, or numbers since 1970. Always UTC inside,
 * in microseconds. */
#ifndef ASSAY_BASE_INSTANT_H
#define ASSAY_BASE_INSTANT_H

#include <stdbool.h>
#include <stdint.h>

/* Seconds since 1970 up to 2e10 in size, milliseconds beyond; digits past the microsecond are cut.
 * False outside the years 1 to 9999. */
bool instant_from_number(double number, int64_t *microseconds);

/* `YYYY-MM-DD`, or that with `T` or a blank and `HH:MM[:SS[.fraction]]` and `Z`, `+HH:MM`, `+HHMM`
 * or nothing (UTC) behind it; or a number as above. False for anything else. */
bool instant_parse(const char *text, int64_t *microseconds);

#endif
