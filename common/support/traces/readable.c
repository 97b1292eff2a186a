/* Traces all of whose documents a reader may read. */
#include "support/traces/readable.h"
#include "base/json.h"
#include "base/list.h"
#include "base/string_list.h"
#include "db/query.h"

#include <stdlib.h>

enum { IDS_JSON_MAX = 1 << 20 };

static const struct statement put_used = {
    .name = "trace_used_doc_put",
    .sql = "INSERT INTO trace_used_docs (trace_id, doc_id) VALUES (?, ?)"
           " ON CONFLICT (trace_id, doc_id) DO NOTHING",
};
static const struct statement find_readable = {
    .name = "traces_readable",
    .sql = "SELECT t.trace_id FROM traces t WHERE t.trace_id IN"
           " (SELECT CAST(value AS TEXT) FROM {json_text_rows:?})"
           " AND NOT EXISTS (SELECT 1 FROM trace_docs d WHERE d.trace_id = t.trace_id"
           " AND d.doc_id IN (SELECT CAST(value AS TEXT) FROM {json_text_rows:?}))"
           " AND NOT EXISTS (SELECT 1 FROM trace_used_docs u WHERE u.trace_id = t.trace_id"
           " AND u.doc_id IN (SELECT CAST(value AS TEXT) FROM {json_text_rows:?}))"
           " ORDER BY t.trace_id",
};

enum error readable_note(struct db *db, const char *trace_id, const struct string_list *doc_ids,
                         struct problem *problem)
{
    struct query *query = db_query(db, &put_used);

    for (size_t i = 0; i < doc_ids->count; i++) {
        query_bind_text(query, trace_id);
        query_bind_text(query, doc_ids->items[i]);
        query_repeat(query, NULL);
    }
    return query_end(query, problem);
}

static const char *json_of_ids(struct arena *arena, const char *const *ids, size_t count)
{
    const char **given = ARENA_ARRAY(arena, const char *, count + 1);
    size_t given_count = 0;

    for (size_t i = 0; i < count; i++)
        if (ids[i])
            given[given_count++] = ids[i];
    return json_of_strings(arena, IDS_JSON_MAX, given, given_count);
}

enum error readable_traces_find(const struct document_call *call, const char *const *trace_ids,
                                size_t count, struct readable_traces *readable)
{
    struct query *query;

    *readable = (struct readable_traces){.all = call->reader == NULL};
    if (readable->all)
        return ERROR_NONE;
    query = db_query(call->db, &find_readable);
    query_bind_json(query, json_of_ids(call->arena, trace_ids, count));
    query_bind_json(query, document_hidden_json(call->reader)); /* of what is shown */
    query_bind_json(query, document_hidden_json(call->reader)); /* and of all that was found */
    while (query_next(query))
        *ARRAY_ADD(call->arena, readable->ids.items, readable->ids.count) =
            query_text(query, 0, call->arena);
    return query_end(query, call->problem);
}

bool trace_is_readable(const struct readable_traces *readable, const char *trace_id)
{
    return readable->all || (trace_id && readable->ids.count &&
                             bsearch(&trace_id, readable->ids.items, readable->ids.count,
                                     sizeof *readable->ids.items, string_list_order));
}

enum error readable_trace(const struct document_call *call, const char *trace_id, bool *readable)
{
    struct readable_traces found;
    enum error error = readable_traces_find(call, &trace_id, 1, &found);

    *readable = !error && trace_is_readable(&found, trace_id);
    return error;
}
