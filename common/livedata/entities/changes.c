/* Rows that change data set or delete directly, and the record of deletions. */
#include "livedata/entities/state.h"

#include "db/query.h"
#include "livedata/journal/series_changes.h"

#include <string.h>

static const struct statement read_deleted = {
    .name = "deleted_entity",
    .sql = "SELECT deleted_ts, event_id FROM deleted_entities WHERE tenant_id = ?"
           " AND entity_type = ? AND entity_id = ?",
};
static const struct statement note_deleted = {
    .name = "deleted_entity_note",
    .sql = "INSERT INTO deleted_entities (tenant_id, entity_type, entity_id, deleted_ts, event_id)"
           " VALUES (?, ?, ?, ?, ?) ON CONFLICT (tenant_id, entity_type, entity_id) DO UPDATE"
           " SET deleted_ts = excluded.deleted_ts, event_id = excluded.event_id",
};
static const struct statement user_time = {
    .name = "user_event_at",
    .sql = "SELECT event_at FROM users_enriched WHERE tenant_id = ? AND user_id = ?",
};
static const struct statement session_time = {
    .name = "session_event_at",
    .sql = "SELECT coalesce(event_at, last_event_at) FROM sessions_aggregated WHERE tenant_id = ?"
           " AND session_id = ?",
};
static const struct statement put_user = {
    .name = "user_put",
    .sql = "INSERT INTO users_enriched (tenant_id, user_id, total_orders, total_cents,"
           " first_order_at, last_order_at, preferred_category, updated_at, event_at, source_owned)"
           " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 1) ON CONFLICT (tenant_id, user_id) DO UPDATE"
           " SET total_orders = excluded.total_orders, total_cents = excluded.total_cents,"
           " first_order_at = excluded.first_order_at, last_order_at = excluded.last_order_at,"
           " preferred_category = excluded.preferred_category, updated_at = excluded.updated_at,"
           " event_at = excluded.event_at, source_owned = 1",
};
static const struct statement put_session = {
    .name = "session_put",
    .sql = "INSERT INTO sessions_aggregated (tenant_id, session_id, user_id, started_at, ended_at,"
           " duration_us, event_count, unique_pages, funnel_stage, is_conversion, last_event_at,"
           " updated_at, event_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
           " ON CONFLICT (tenant_id, session_id) DO UPDATE SET user_id = excluded.user_id,"
           " started_at = excluded.started_at, ended_at = excluded.ended_at,"
           " duration_us = excluded.duration_us, event_count = excluded.event_count,"
           " unique_pages = excluded.unique_pages, funnel_stage = excluded.funnel_stage,"
           " is_conversion = excluded.is_conversion, last_event_at = excluded.last_event_at,"
           " updated_at = excluded.updated_at, event_at = excluded.event_at",
};
static const struct statement remove_row[] = {
    {.name = "user_forget",
     .sql = "DELETE FROM users_enriched WHERE tenant_id = ? AND user_id = ?"},
    {.name = "session_forget",
     .sql = "DELETE FROM sessions_aggregated WHERE tenant_id = ? AND session_id = ?"},
    {.name = "session_pages_forget",
     .sql = "DELETE FROM session_pages WHERE tenant_id = ? AND session_id = ?"},
};

static struct query *query_of(const struct storage_call *call, const struct statement *statement,
                              const char *id)
{
    struct query *query = db_query(call->db, statement);

    query_bind_text(query, call->tenant);
    query_bind_text(query, id);
    return query;
}

enum error state_is_deleted(const struct storage_call *call, const struct event *event,
                            bool *deleted)
{
    struct query *query = db_query(call->db, &read_deleted);

    query_bind_text(query, call->tenant);
    query_bind_text(query, event->entity_type);
    query_bind_text(query, event->entity_id);
    *deleted = query_next(query) && (query_integer(query, 0) > event->at ||
                                     (query_integer(query, 0) == event->at &&
                                      strcmp(query_text(query, 1, call->arena), event->id) > 0));
    return query_end(query, call->problem);
}

enum error state_note_deleted(const struct storage_call *call, const struct event *event)
{
    bool newer = false;
    struct query *query;
    enum error error = state_is_deleted(call, event, &newer);

    if (error || newer)
        return error;
    query = db_query(call->db, &note_deleted);
    query_bind_text(query, call->tenant);
    query_bind_text(query, event->entity_type);
    query_bind_text(query, event->entity_id);
    query_bind_integer(query, event->at);
    query_bind_text(query, event->id);
    return query_end(query, call->problem);
}

/* Whether a newer event has set or deleted the row. */
static enum error is_late(const struct storage_call *call, const struct event *event,
                          const struct statement *time, bool *late)
{
    struct query *query = query_of(call, time, event->entity_id);
    bool found = query_next(query);
    enum error error;

    *late = found && query_optional_integer(query, 0).value > event->at;
    error = query_end(query, call->problem);
    return error || found ? error : state_is_deleted(call, event, late);
}

static enum error write_user(const struct storage_call *call, const struct event *event)
{
    struct query *query = query_of(call, &put_user, event->entity_id);

    query_bind_integer(query, event->row.total_orders);
    query_bind_integer(query, event->total_cents);
    query_bind_optional_integer(query, event->row.first_order_at);
    query_bind_optional_integer(query, event->row.last_order_at);
    query_bind_text(query, event->category);
    query_bind_integer(query, call->now);
    query_bind_integer(query, event->at);
    return query_end(query, call->problem);
}

static enum error write_session(const struct storage_call *call, const struct event *event)
{
    const struct changed_row *row = &event->row;
    int64_t last = row->started_at + row->duration_us.value;
    struct query *query = query_of(call, &put_session, event->entity_id);

    query_bind_text(query, event->user_id);
    query_bind_integer(query, row->started_at);
    query_bind_optional_integer(query, row->ended_at);
    query_bind_optional_integer(query, row->duration_us);
    query_bind_integer(query, row->event_count);
    query_bind_integer(query, row->unique_pages);
    query_bind_text(query, row->funnel_stage);
    query_bind_boolean(query, row->is_conversion);
    query_bind_integer(query, row->ended_at.given ? row->ended_at.value : last);
    query_bind_integer(query, call->now);
    query_bind_integer(query, event->at);
    return query_end(query, call->problem);
}

static enum error remove_from(const struct storage_call *call, const struct event *event,
                              size_t first, size_t count)
{
    enum error error = ERROR_NONE;

    for (size_t i = first; !error && i < first + count; i++)
        error = query_end(query_of(call, &remove_row[i], event->entity_id), call->problem);
    return error ? error : state_note_deleted(call, event);
}

enum error state_change_user(const struct storage_call *call, const struct event *event)
{
    bool late;
    enum error error = is_late(call, event, &user_time, &late);

    if (error || late)
        return error;
    return event->row.removes ? remove_from(call, event, 0, 1) : write_user(call, event);
}

enum error state_change_session(const struct storage_call *call, const struct event *event)
{
    bool late;
    enum error error = is_late(call, event, &session_time, &late);

    if (error || late)
        return error;
    series_note_all(call, "sessions_aggregated", "started_at");
    return event->row.removes ? remove_from(call, event, 1, 2) : write_session(call, event);
}
