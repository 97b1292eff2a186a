/*
 * Records changed rows of live data as events of an experiment. Each row counts once, with its
 * newest version: a changed value is recorded as the difference, a deletion takes the value back. A
 * row counts for users who were exposed before its time; it waits for an exposure that is late.
 */
#ifndef ASSAY_EXPERIMENTS_SOURCES_SOURCE_APPLY_H
#define ASSAY_EXPERIMENTS_SOURCES_SOURCE_APPLY_H

#include "experiments/sources/source_page.h"

/* Records a page and moves the watermark, in one transaction. Does nothing when the watermark has
 * moved since the source was read: another host was first; then `moved` is true. */
MUST_CHECK enum error source_apply_page(const struct live_call *call,
                                        const struct source_settings *settings,
                                        const struct live_source *source,
                                        const struct source_page *page, bool *moved);

/* Records rows whose exposure has come, and drops those that have waited too long, in a transaction
 * of its own where there are any: at most a page of those after the id `*after` ("" = the first).
 * Then `*after` is where to go on, from the arena; NULL = that was all. */
MUST_CHECK enum error source_apply_waiting(const struct live_call *call,
                                           const struct source_settings *settings,
                                           const struct live_source *source, const char **after);

/* Forgets the watermark, unless it has moved since the source was read. */
MUST_CHECK enum error source_begin_again(const struct live_call *call,
                                         const struct live_source *source);

#endif
