/*
 * A browser profile has one owner at a time. This process holds a lock file; Chromium leaves a
 * symbolic link (`SingletonLock` -> `<host>-<process id>`).
 */
#ifndef ASSAY_BROWSER_PROFILE_H
#define ASSAY_BROWSER_PROFILE_H

#include "base/error.h"

#include <stdbool.h>

/* Creates the directory (0700) when it is missing and locks it for this process: *lock is a
 * descriptor whose close releases the lock. ERROR_BUSY `profile_busy` when another process holds
 * it, ERROR_SYSTEM. */
MUST_CHECK enum error profile_lock(const char *directory, int *lock, struct problem *problem);

/* ERROR_BUSY `profile_busy` when a running browser of this host uses the profile. The links of
 * browsers that have ended are removed. */
MUST_CHECK enum error profile_check_free(const char *directory, struct problem *problem);

#endif
