/* Times of conversations of the demonstration. */
#include "support/demo/demo_store.h"

#include "base/clock.h"
#include "db/query.h"

#include <stddef.h>

static const struct statement has_session = {
    "demo_has_week", "SELECT 1 FROM sessions WHERE tenant_id = ? AND id LIKE 'demo-%' LIMIT 1"};
static const struct statement move_trace = {
    .name = "demo_move_trace",
    .sql = "UPDATE traces SET started_at = ?, finished_at = ? WHERE tenant_id = ? AND trace_id = ?",
};
static const struct statement move_rows[] = {
    {"demo_move_steps", "UPDATE trace_steps SET ts = ? WHERE trace_id = ?"},
    {"demo_move_evaluations", "UPDATE trace_evaluations SET evaluated_at = ? WHERE trace_id = ?"},
    {"demo_move_messages", "UPDATE messages SET created_at = ? WHERE trace_id = ?"},
    {"demo_move_votes", "UPDATE feedback SET ts = ? WHERE trace_id = ?"},
};
static const struct statement move_session = {
    .name = "demo_move_session",
    .sql = "UPDATE sessions SET created_at = ?, last_access = ? WHERE tenant_id = ? AND id = ?",
};
static const struct statement move_ticket = {
    .name = "demo_move_ticket",
    .sql = "UPDATE escalated_tickets SET created_at = ?, resolved_at = ?"
           " WHERE tenant_id = ? AND session_id = ?",
};
static const struct statement move_reply = {
    .name = "demo_move_reply",
    .sql = "UPDATE messages SET created_at = ? WHERE id = (SELECT MAX(id) FROM messages"
           " WHERE tenant_id = ? AND session_id = ?)",
};

static const int64_t half_second_us = 500000;

static const char *text_of(const struct document_call *call, int64_t at)
{
    char *text = arena_alloc(call->arena, CLOCK_TEXT_MAX);

    clock_format(at, text);
    return text;
}

enum error demo_store_has_week(const struct document_call *call, bool *has_week)
{
    struct query *query = db_query(call->db, &has_session);

    query_bind_text(query, call->tenant);
    *has_week = query_next(query);
    return query_end(query, call->problem);
}

enum error demo_store_move_turn(const struct document_call *call, const char *trace_id, int64_t at)
{
    const char *answered = text_of(call, at + half_second_us);
    struct query *query = db_query(call->db, &move_trace);
    enum error error;

    query_bind_text(query, text_of(call, at));
    query_bind_text(query, answered);
    query_bind_text(query, call->tenant);
    query_bind_text(query, trace_id);
    error = query_end(query, call->problem);
    for (size_t i = 0; i < sizeof move_rows / sizeof move_rows[0] && !error; i++) {
        query = db_query(call->db, &move_rows[i]);
        query_bind_text(query, answered);
        query_bind_text(query, trace_id);
        error = query_end(query, call->problem);
    }
    return error;
}

static enum error reply_at(const struct document_call *call, const char *session_id,
                           const char *replied)
{
    struct query *query = db_query(call->db, &move_reply);

    query_bind_text(query, replied);
    query_bind_text(query, call->tenant);
    query_bind_text(query, session_id);
    return query_end(query, call->problem);
}

enum error demo_store_move_session(const struct document_call *call, const char *session_id,
                                   int64_t first, int64_t last, int64_t handed_over,
                                   int64_t replied)
{
    const char *reply = replied ? text_of(call, replied) : NULL;
    struct query *query = db_query(call->db, &move_session);
    enum error error;

    query_bind_text(query, text_of(call, first));
    query_bind_text(query, reply ? reply : text_of(call, last));
    query_bind_text(query, call->tenant);
    query_bind_text(query, session_id);
    error = query_end(query, call->problem);
    if (error || !handed_over)
        return error;
    query = db_query(call->db, &move_ticket);
    query_bind_text(query, text_of(call, handed_over));
    query_bind_text(query, reply);
    query_bind_text(query, call->tenant);
    query_bind_text(query, session_id);
    error = query_end(query, call->problem);
    return error || !reply ? error : reply_at(call, session_id, reply);
}
