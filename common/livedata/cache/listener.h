/*
 * Receives notifications of changes by other hosts that share the database, over PostgreSQL, Redis
 * or both, and removes the changed data from this host's cache. A notification only triggers a
 * poll; while the listener is down, readers poll themselves (live_cache.h).
 */
#ifndef ASSAY_LIVEDATA_CACHE_LISTENER_H
#define ASSAY_LIVEDATA_CACHE_LISTENER_H

#include "livedata/settings.h"

/* Whether other hosts are possible. */
bool listener_is_needed(const struct livedata_settings *settings);

/* Runs until SIGTERM; the exit code. */
int listener_run(const struct livedata_settings *settings, const char *run_directory);

#endif
