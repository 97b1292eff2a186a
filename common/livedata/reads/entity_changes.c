/* Reads the journal by its order; rows of other types cost no more than their numbers. */
#include "livedata/reads/entity_changes.h"

#include "base/list.h"
#include "db/query.h"
#include "livedata/freshness/position.h"
#include "livedata/journal/journal.h"

#include <string.h>

enum { CHANGES_SCAN_PAGE = 1000 };

static const struct statement changes_after = {
    .name = "journal_entity_changes",
    .sql = "SELECT seq, processed_at, CASE WHEN entity_type = ? THEN entity_id END,"
           " CASE WHEN entity_type = ? THEN entity_data END FROM pipeline_events"
           " WHERE tenant_id = ? AND topic = 'events.validated' AND seq > ?"
           " ORDER BY seq LIMIT ?",
    .streams = true,
};

/* One walk along the journal. */
struct walk {
    const struct storage_call *call;
    const struct entity_changes_limits *limits;
    struct entity_change *items;
    struct entity_changes *changes;
    int64_t scanned, bytes;
};

static bool is_full(const struct walk *walk)
{
    return walk->changes->changes.count >= (size_t)walk->limits->most ||
           walk->bytes >= walk->limits->bytes_most || walk->scanned >= walk->limits->scan_most;
}

static void take(struct walk *walk, struct query *query)
{
    const struct storage_call *call = walk->call;
    const struct live_position position = {query_integer(query, 0), query_integer(query, 1)};
    const char *id = query_text_or_null(query, 2, call->arena);
    const char *data = query_text_or_null(query, 3, call->arena);
    struct entity_change *change;
    char text[POSITION_TEXT];

    walk->changes->reached = position.seq;
    walk->changes->reached_at = position.at;
    walk->scanned++;
    if (!id || !data)
        return;
    position_format(position, text);
    change = ARRAY_ADD(call->arena, walk->items, walk->changes->changes.count);
    *change = (struct entity_change){.entity_id = id,
                                     .position = arena_copy_string(call->arena, text),
                                     .applied_at = position.at,
                                     .deleted = strcmp(data, JOURNAL_REMOVED) == 0};
    change->data = change->deleted ? NULL : data;
    walk->bytes += (int64_t)strlen(data);
}

/* `ended`: the journal has no row after those that were seen. */
static enum error walk_page(struct walk *walk, const char *entity_type, bool *ended)
{
    struct query *query = db_query(walk->call->db, &changes_after);
    int64_t rows = 0;

    query_bind_text(query, entity_type);
    query_bind_text(query, entity_type);
    query_bind_text(query, walk->call->tenant);
    query_bind_integer(query, walk->changes->reached);
    query_bind_integer(query, CHANGES_SCAN_PAGE);
    for (; !is_full(walk) && query_next(query); rows++)
        take(walk, query);
    *ended = rows < CHANGES_SCAN_PAGE && !is_full(walk);
    return query_end(query, walk->call->problem);
}

enum error entity_changes_after(const struct storage_call *call, const char *entity_type,
                                int64_t after, const struct entity_changes_limits *limits,
                                struct entity_changes *changes)
{
    struct walk walk = {.call = call, .limits = limits, .changes = changes};
    enum error error = ERROR_NONE;
    bool ended = false;

    *changes = (struct entity_changes){.reached = after};
    while (!error && !ended && !is_full(&walk))
        error = walk_page(&walk, entity_type, &ended);
    changes->changes.items = walk.items;
    changes->more = !ended;
    return error;
}
