/*
 * Listens to what other hosts that share the database have changed, by PostgreSQL, Redis or both,
 * and removes it from this host's cache. A notification is only a reason to poll; while the
 * listener is away, readers poll themselves (live_cache.h).
 */
#ifndef ASSAY_LIVEDATA_CACHE_LISTENER_H
#define ASSAY_LIVEDATA_CACHE_LISTENER_H

#include "livedata/settings.h"

/* Whether there can be other hosts. */
bool listener_is_needed(const struct livedata_settings *settings);

/* Runs until SIGTERM; the exit code. */
int listener_run(const struct livedata_settings *settings, const char *run_directory);

#endif
