/* Time: wall clock for records, monotonic clock for durations, both in microseconds. */
#ifndef ASSAY_BASE_CLOCK_H
#define ASSAY_BASE_CLOCK_H

#include <stdint.h>

enum { CLOCK_TEXT_MAX = 40 };

int64_t clock_unix_microseconds(void);
int64_t clock_unix_seconds(void);
int64_t clock_monotonic_microseconds(void);

/* "2026-07-30T12:00:00.000000+00:00", always UTC with six fraction digits. */
void clock_format(int64_t unix_microseconds, char text[CLOCK_TEXT_MAX]);

#endif
