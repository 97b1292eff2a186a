/* Versions of entities read from the journal, one by one. */
#include "livedata/reads/features.h"

#include "db/query.h"
#include "livedata/journal/journal.h"
#include "livedata/timestamp.h"

#include <string.h>

const char *const feature_reasons[FEATURE_REASON__MAX] = {NULL, "not_found", "deleted",
                                                          "before_retention"};

static const struct statement first_time = {
    .name = "features_first_row",
    .sql = "SELECT COALESCE(min(processed_at), 0) FROM pipeline_events WHERE tenant_id = ?",
};

enum error features_begin(const struct reading *reading, int64_t *kept_since)
{
    const struct storage_call *call = &reading->storage;
    int64_t kept = call->now - reading->settings->journal_retention_days * us_per_day, first;
    struct query *query = db_query(call->db, &first_time);

    query_bind_text(query, call->tenant);
    first = query_next(query) ? query_integer(query, 0) : 0;
    *kept_since = first > kept ? first : kept;
    return query_end(query, call->problem);
}

/* Rows that were deleted by age are older than what is kept, and the newest version of an entity is
 * never deleted: a version that is found is right. */
enum error feature_read(const struct reading *reading, struct arena *arena,
                        const struct entity_type *type, const char *id, int64_t at,
                        int64_t kept_since, struct feature_row *row)
{
    struct storage_call call = reading->storage;
    struct json_fault fault;
    int64_t applied_at = 0;
    json_t *json = NULL;
    const char *data;
    enum error error;

    call.arena = arena;
    at = at ? at : call.now;
    *row = (struct feature_row){.reason = FEATURE_NOT_FOUND};
    error = journal_version(&call, type->name, id, at, &data, &applied_at);
    if (error)
        return error;
    if (data && json_read(arena, data, strlen(data), JSON_DEPTH_LIMIT, &json, &fault))
        return problem_set(call.problem, ERROR_SYSTEM, "backend_failed", "a version of %s/%.100s",
                           type->name, id);
    row->data = json;
    if (json)
        row->reason = FEATURE_KNOWN;
    else if (applied_at)
        row->reason = FEATURE_DELETED;
    else if (at < kept_since)
        row->reason = FEATURE_BEFORE_RETENTION;
    return ERROR_NONE;
}
