/*
 * Hears what other hosts that share the database have changed, and takes it out of this host's
 * cache a moment later: words of those who apply events, by PostgreSQL, by Redis, or both. It is
 * only a reason to look; while it is away, readers look by themselves (live_cache.h).
 */
#ifndef ASSAY_LIVEDATA_CACHE_LISTENER_H
#define ASSAY_LIVEDATA_CACHE_LISTENER_H

#include "livedata/settings.h"

/* Whether there can be other hosts. */
bool listener_is_needed(const struct livedata_settings *settings);

/* Until the program is told to stop; the exit code. */
int listener_run(const struct livedata_settings *settings, const char *run_directory);

#endif
