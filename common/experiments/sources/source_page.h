/* A page of changed rows, read from live data over HTTP. Does not depend on the database. */
#ifndef ASSAY_EXPERIMENTS_SOURCES_SOURCE_PAGE_H
#define ASSAY_EXPERIMENTS_SOURCES_SOURCE_PAGE_H

#include "base/arena.h"
#include "base/error.h"
#include "experiments/live/source_store.h"
#include "experiments/sources/source_settings.h"

/* A version of a row. An unusable one has no user, no number or no time in the named columns. For a
 * binary metric a value of 0 is no row: it counts users who have one. */
enum source_change_kind { SOURCE_VALUE, SOURCE_DELETED, SOURCE_UNUSABLE };
struct source_change {
    enum source_change_kind kind;
    const char *entity_id;
    const char *position;
    const char *user_id; /* of a value, as the two below */
    double value;
    int64_t occurred_at; /* microseconds since 1970 */
};

struct source_page {
    size_t count;
    struct source_change *changes; /* oldest first */
    const char *position;          /* of the next page; NULL = the beginning */
    bool has_more;
    int64_t as_of; /* all changes that were applied by then are there, unless there are more */
    struct optional_number event_age_seconds;
    const char *words; /* of live data, where it refuses; else NULL */
};

/* Reads the page after the watermark of the source. ERROR_UNAVAILABLE `livedata_unavailable`;
 * ERROR_INVALID `livedata_refused`, with the service's own words in the page, or
 * `position_unknown`: live data was restored from a copy, and the source must be read from the
 * beginning. */
MUST_CHECK enum error source_page_read(const struct source_settings *settings, struct arena *arena,
                                       const struct live_source *source, struct source_page *page,
                                       struct problem *problem);

#endif
