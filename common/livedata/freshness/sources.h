/*
 * Sources and their watermarks: up to which own time a source has sent all of its events. A source
 * that sends heartbeats has one, which its events and heartbeats raise, so that a quiet night is no
 * outage. Without such a source the newest event of the tables counts.
 */
#ifndef ASSAY_LIVEDATA_FRESHNESS_SOURCES_H
#define ASSAY_LIVEDATA_FRESHNESS_SOURCES_H

#include "base/string_list.h"
#include "livedata/cache/live_cache.h"

struct heartbeat {
    const char *source;
    int64_t watermark;
    const char *feeds; /* serving tables that the source changes, ",orders_v2,"; NULL = all */
    bool retired;      /* the source sends no more: it is forgotten */
};

/* In the caller's transaction. A watermark never falls. ERROR_INVALID too_many_sources when the
 * tenant has `most` others. */
MUST_CHECK enum error source_beat(const struct storage_call *call, const struct heartbeat *beat,
                                  int64_t most);
/* An event of the source was applied: raises its watermark if the source sends heartbeats. */
MUST_CHECK enum error source_event(const struct storage_call *call, const char *source,
                                   int64_t event_at);

/* The sources of the tenant that send heartbeats, the slowest first. */
struct source_state {
    const char *name;
    int64_t watermark, beat_at;
    const char *feeds; /* as in a heartbeat */
};
struct source_states {
    size_t count;
    struct source_state *items;
};
MUST_CHECK enum error sources_read(const struct storage_call *call, struct source_states *sources);
/* Whether its events change the table; all sources feed the journal. */
bool source_feeds(const struct source_state *source, const char *table);

/* The lowest watermark of the sources of some tables. */
struct watermark {
    int64_t at;         /* 0 = there were neither heartbeats nor events */
    const char *source; /* whose it is; NULL = the newest event of the tables */
};
MUST_CHECK enum error watermark_read(const struct storage_call *call, struct live_cache *cache,
                                     const struct string_list *tables, struct watermark *watermark);

#endif
