/* The journal of conversations: contains all SQL about it, except its purge. */
#include "support/conversation/events.h"
#include "db/query.h"

const char *const conversation_event_names[EVENT_KIND__MAX] = {"reply", "ticket"};

#define OWNER struct conversation_event
static const struct field event_fields[] = {
    INTEGER(OWNER, seq, .internal = true), STRING(OWNER, tenant_id, .internal = true),
    STRING(OWNER, session_id), STRING(OWNER, ticket_id), STRING(OWNER, kind)};
#undef OWNER
SCHEMA(conversation_event_schema, struct conversation_event, "ConversationEvent", event_fields);

static const struct statement draw_number = {
    .name = "conversation_event_number",
    .sql = "UPDATE conversation_event_counter SET seq = seq + 1 WHERE id = 1 RETURNING seq",
};
static const struct statement insert_event = {
    .name = "conversation_event_add",
    .sql = "INSERT INTO conversation_events (seq, tenant_id, session_id, ticket_id, kind,"
           " created_at) VALUES (?, ?, ?, ?, ?, {now})",
};
static const struct statement read_newest = {
    .name = "conversation_event_newest",
    .sql = "SELECT seq FROM conversation_event_counter WHERE id = 1",
};
static const struct statement read_after = {
    .name = "conversation_events_after",
    .sql = "SELECT seq, tenant_id, session_id, ticket_id, kind FROM conversation_events"
           " WHERE seq > ? ORDER BY seq LIMIT ?",
};

enum error conversation_event_add(const struct conversation_call *call,
                                  enum conversation_event_kind kind, const char *session_id,
                                  const char *ticket_id)
{
    struct query *query = db_query(call->db, &draw_number);
    int64_t number = query_next(query) ? query_integer(query, 0) : 0;
    enum error error = query_end(query, call->problem);

    if (error)
        return error;
    query = db_query(call->db, &insert_event);
    query_bind_integer(query, number);
    query_bind_text(query, call->tenant);
    query_bind_text(query, session_id);
    query_bind_text(query, ticket_id);
    query_bind_text(query, conversation_event_names[kind]);
    return query_end(query, call->problem);
}

enum error conversation_events_newest(struct db *db, int64_t *seq, struct problem *problem)
{
    struct query *query = db_query(db, &read_newest);

    *seq = query_next(query) ? query_integer(query, 0) : 0;
    return query_end(query, problem);
}

enum error conversation_events_after(struct db *db, struct arena *arena, int64_t after, size_t most,
                                     struct object_list *rows, struct problem *problem)
{
    struct conversation_event *items = ARENA_ARRAY(arena, struct conversation_event, most + 1);
    struct query *query = db_query(db, &read_after);

    query_bind_integer(query, after);
    query_bind_integer(query, (int64_t)most);
    *rows = (struct object_list){.items = items};
    while (rows->count < most && query_next(query))
        query_read(query, &conversation_event_schema, &items[rows->count++], arena);
    return query_end(query, problem);
}
