/*
 * A browser's profile has one owner at a time: this process, by a lock of its own, and one
 * Chromium, by the link that it leaves there (`SingletonLock` -> `<host>-<process id>`).
 */
#ifndef ASSAY_BROWSER_PROFILE_H
#define ASSAY_BROWSER_PROFILE_H

#include "base/error.h"

#include <stdbool.h>

/* Makes the directory (0700) when it is missing and locks it for this process: *lock is a
 * descriptor whose close gives it back. ERROR_BUSY `profile_busy` when another process has it,
 * ERROR_SYSTEM. */
MUST_CHECK enum error profile_lock(const char *directory, int *lock, struct problem *problem);

/* ERROR_BUSY `profile_busy` when a living browser of this host uses the profile. Marks of one that
 * is gone are removed. */
MUST_CHECK enum error profile_check_free(const char *directory, struct problem *problem);

#endif
