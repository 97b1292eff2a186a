/* Reads the journal for the demonstration. */
#include "livedata/demo/demo_store.h"

#include "db/query.h"

static const struct statement newest_event = {
    "demo_newest", "SELECT coalesce(max(processed_at), 0) FROM pipeline_events"
                   " WHERE tenant_id = ? AND source = ?"};

enum error demo_store_newest(const struct storage_call *call, const char *source, int64_t *at)
{
    struct query *query = db_query(call->db, &newest_event);

    query_bind_text(query, call->tenant);
    query_bind_text(query, source);
    *at = query_next(query) ? query_integer(query, 0) : 0;
    return query_end(query, call->problem);
}
