/*
 * Freshness that a reader demands. `at_least` is a position that the answer must include,
 * `max_staleness` bounds how long an acknowledged write may be missing from it, `max_event_age`
 * how far the sources of its data may lag behind, and `wait` how long the reader waits for them.
 * Every answer says how fresh it is in a member `freshness`.
 */
#ifndef ASSAY_LIVEDATA_FRESHNESS_BOUNDS_H
#define ASSAY_LIVEDATA_FRESHNESS_BOUNDS_H

#include "base/optional.h"
#include "base/schema.h"
#include "livedata/freshness/position.h"
#include "livedata/freshness/sources.h"
#include "livedata/journal/ages.h"

/* The parameters as they were sent; members of a struct of query parameters or of a body. */
#define BOUND_MEMBERS const char *at_least, *max_staleness, *max_event_age, *wait
#define BOUND_ROWS                                                                                 \
    STRING(OWNER, at_least, .nullable = true, .max_length = 64,                                    \
           .help = "A position that POST /v1/events gave: the answer includes everything up to "   \
                   "it, else 412."),                                                               \
        STRING(OWNER, max_staleness, .nullable = true, .max_length = 32,                           \
               .help = "How long an acknowledged write may be missing, such as 2s or 500ms."),     \
        STRING(OWNER, max_event_age, .nullable = true, .max_length = 32,                           \
               .help = "How far the sources may lag behind, such as 60s; else 412 with the "       \
                       "age."),                                                                    \
        STRING(OWNER, wait, .nullable = true, .max_length = 32,                                    \
               .help = "How long to wait until the bounds are met, at most 5s.")
struct bound_texts {
    BOUND_MEMBERS;
};
#define BOUND_TEXTS(object)                                                                        \
    ((struct bound_texts){(object)->at_least, (object)->max_staleness, (object)->max_event_age,    \
                          (object)->wait})

enum { BOUND_WAIT_MAX_US = 5000000 };

/* Microseconds; those that were not demanded are not given. */
struct read_bounds {
    struct live_position at_least; /* seq 0 = not demanded */
    struct optional_integer max_staleness, max_event_age;
    int64_t wait;
};

/* "200ms", "2s", "1.5s", "5m", "1h", into microseconds. */
bool duration_parse(const char *text, int64_t *microseconds);

/* The name of the parameter that cannot be read; NULL when all can. */
const char *bounds_parse(const struct bound_texts *texts, struct read_bounds *bounds);

/* What an answer of a tenant starts from, at the time it was read. */
struct live_mark {
    struct live_position position;
    struct event_mark newest; /* applied event of the tenant */
};
/* By the cache or the database; false when neither answers. */
bool mark_read(const struct storage_call *call, struct live_cache *cache, struct live_mark *mark);

/* What is known about the freshness of an answer before its data is read. */
struct read_state {
    bool known;
    struct read_bounds bounds;
    int64_t data_age; /* how old what the handle reads may be, microseconds; 0 = it is current */
    struct live_mark mark;
    struct watermark watermark;
    int64_t complete_at; /* all writes acknowledged by then are included */
};

/* Reads the state, and makes the cache follow the database as far as the bounds demand; a cache
 * that cannot is not used: *cache becomes NULL. ERROR_INVALID position_unknown, source_silent,
 * events_too_old; with the last two, waiting may help. ERROR_UNAVAILABLE data_too_old when
 * `data_age` is more than was demanded. `kept_since`: position.h. */
MUST_CHECK enum error bounds_meet(const struct storage_call *call, struct live_cache **cache,
                                  const struct string_list *tables, int64_t kept_since,
                                  struct read_state *state);

/* The member of answers. */
struct answer_freshness {
    int64_t as_of;
    const char *position;
    struct optional_number event_age_seconds;
    int64_t valid_until;
};
SCHEMA_OF(answer_freshness_schema, struct answer_freshness);
/* `budget_seconds` is the bound on staleness for readers that demand none. NULL if not known. */
const struct answer_freshness *freshness_show(const struct storage_call *call,
                                              const struct read_state *state,
                                              double budget_seconds);

#endif
