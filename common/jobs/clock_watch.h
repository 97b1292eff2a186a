/*
 * Is the wall clock to be trusted? What has a retention is deleted by the wall clock, so a clock
 * that is wrong for a minute could delete all of it. A reading of the wall clock and of the clock
 * since boot is kept in a file; afterwards the two must have run on alike. Knows nothing of what is
 * deleted.
 */
#ifndef ASSAY_JOBS_CLOCK_WATCH_H
#define ASSAY_JOBS_CLOCK_WATCH_H

#include "base/error.h"

#include <stdint.h>

enum { CLOCK_BOOT_ID_MAX = 40 };

/* Both clocks at one time, in microseconds. */
struct clock_reading {
    char boot[CLOCK_BOOT_ID_MAX]; /* of the running system; "" = unknown */
    int64_t wall;
    int64_t since_boot; /* counts time asleep, is never set */
};

struct clock_limits {
    int64_t tolerance_seconds; /* by which the two may have moved against each other */
    int64_t settle_seconds;    /* a wall clock that was set is trusted again after so long */
};

/*
 * Compares the clocks of now with the reading in `<directory>/<service>.clock`, and keeps the new
 * one. The first reading of a system that was booted is believed. ERROR_UNAVAILABLE (`clock_moved`)
 * while they disagree, which is logged once. ERROR_NONE without a directory (NULL or "").
 */
MUST_CHECK enum error clock_check(const char *directory, const char *service,
                                  const struct clock_limits *limits, struct problem *problem);

/* The same for a reading of the caller's, and the file itself. */
MUST_CHECK enum error clock_check_reading(const char *path, const struct clock_reading *now,
                                          const struct clock_limits *limits,
                                          struct problem *problem);

#endif
