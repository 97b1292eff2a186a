/* Sessions, messages and votes. */
#include "base/json.h"
#include "base/text.h"
#include "crypto/token.h"
#include "db/query.h"
#include "support/conversation/conversation.h"
#include "support/traces/readable.h"
#include "text/fold.h"

#include <stdio.h>
#include <string.h>

enum {
    SECONDS_A_DAY = 86400,
    ROUTES_MOST = 16,
    PENDING_DEPTH = 4,
    PENDING_BYTES = 16384,
    SESSION_ID_BYTES = 16
};

#define OWNER struct session_row
static const struct field session_fields[] = {
    STRING(OWNER, session_id),
    INTEGER(OWNER, message_count),
    STRING(OWNER, title, .nullable = true),
    STRING(OWNER, last_access),
    INTEGER(OWNER, unread, .help = "Replies of the support team that its owner has not read."),
    STRING(OWNER, started_by, .nullable = true)};
#undef OWNER
SCHEMA(session_schema, struct session_row, "Session", session_fields);

#define OWNER struct session_message
static const struct field message_fields[] = {
    STRING(OWNER, role),
    STRING(OWNER, content),
    STRING(OWNER, created_at),
    STRING(OWNER, trace_id, .nullable = true),
    BOOLEAN(OWNER, from_person, .help = "Written by the support team, not by the service."),
    STRING(OWNER, author, .nullable = true, .help = "Who of the team; null for customers."),
    STRING(OWNER, vote, .nullable = true, .help = "up, down or null."),
    JSON_VALUE(OWNER, answer, .nullable = true,
               .help = "The answer as it was shown, with sources and confidence; null for other "
                       "messages."),
    BOOLEAN(OWNER, withheld,
            .help = "It quotes a document that the caller may not read; content is empty.")};
#undef OWNER
SCHEMA(session_message_schema, struct session_message, "Message", message_fields);

#define OWNER struct feedback_count
static const struct field feedback_count_fields[] = {STRING(OWNER, route), INTEGER(OWNER, up),
                                                     INTEGER(OWNER, down)};
#undef OWNER
static SCHEMA(feedback_count_schema, struct feedback_count, "FeedbackCount", feedback_count_fields);

static const struct statement touch_session = {
    .name = "session_touch",
    .sql = "INSERT INTO sessions (tenant_id, id, owner, created_at, last_access, message_count)"
           " VALUES (?, ?, ?, {now}, {now}, ?) ON CONFLICT (tenant_id, id) DO UPDATE SET"
           " last_access = excluded.last_access,"
           " message_count = sessions.message_count + excluded.message_count"
           " WHERE ? = 0 OR sessions.owner = ?",
};
static const struct statement find_owner = {
    .name = "session_owner",
    .sql = "SELECT owner FROM sessions WHERE tenant_id = ? AND id = ?",
};
static const struct statement add_message = {
    .name = "message_add",
    .sql = "INSERT INTO messages (tenant_id, session_id, role, content, created_at, trace_id,"
           " author, answer) VALUES (?, ?, ?, ?, {now}, ?, ?, ?)",
};
static const struct statement read_messages = {
    .name = "session_messages",
    .sql = "SELECT m.role, m.content, m.created_at, m.trace_id,"
           " CASE WHEN m.author IS NULL THEN 0 ELSE 1 END AS from_person,"
           " CASE WHEN ? = 1 THEN NULL ELSE m.author END AS author, m.answer,"
           " f.rating AS vote FROM messages m LEFT JOIN feedback f ON f.tenant_id = m.tenant_id"
           " AND f.trace_id = m.trace_id AND f.session_id = m.session_id AND m.role = 'assistant'"
           " AND m.author IS NULL WHERE m.tenant_id = ? AND m.session_id = ?"
           " ORDER BY m.id DESC LIMIT ?",
};
static const struct statement read_pending = {
    .name = "session_pending",
    .sql = "SELECT pending_action FROM sessions WHERE tenant_id = ? AND id = ?",
};
static const struct statement put_pending = {
    .name = "session_put_pending",
    .sql = "UPDATE sessions SET pending_action = ? WHERE tenant_id = ? AND id = ?",
};
static const struct statement list_sessions = {
    .name = "session_list",
    .sql =
        "SELECT s.id AS session_id, s.message_count, (SELECT substr(m.content, 1, 80)"
        " FROM messages m WHERE m.tenant_id = s.tenant_id AND m.session_id = s.id"
        " ORDER BY m.id LIMIT 1) AS title, s.last_access, s.unread, s.owner AS started_by"
        " FROM sessions s WHERE s.tenant_id = ?"
        " AND (? = '' OR EXISTS (SELECT 1 FROM messages m WHERE m.tenant_id = s.tenant_id"
        " AND m.session_id = s.id AND (? = 1 OR m.role = 'user') AND (m.content LIKE ? ESCAPE '\\'"
        " OR lower(m.content) LIKE ? ESCAPE '\\')))"
        " ORDER BY s.last_access DESC, s.id LIMIT ? OFFSET ?",
};
static const struct statement list_own_sessions = {
    .name = "session_list_own",
    .sql =
        "SELECT s.id AS session_id, s.message_count, (SELECT substr(m.content, 1, 80)"
        " FROM messages m WHERE m.tenant_id = s.tenant_id AND m.session_id = s.id"
        " ORDER BY m.id LIMIT 1) AS title, s.last_access, s.unread, s.owner AS started_by"
        " FROM sessions s WHERE s.tenant_id = ? AND s.owner = ?"
        " AND (? = '' OR EXISTS (SELECT 1 FROM messages m WHERE m.tenant_id = s.tenant_id"
        " AND m.session_id = s.id AND (? = 1 OR m.role = 'user') AND (m.content LIKE ? ESCAPE '\\'"
        " OR lower(m.content) LIKE ? ESCAPE '\\')))"
        " ORDER BY s.last_access DESC, s.id LIMIT ? OFFSET ?",
};
static const struct statement count_reply = {
    .name = "session_count_reply",
    .sql = "UPDATE sessions SET unread = unread + 1 WHERE tenant_id = ? AND id = ?",
};
static const struct statement mark_read = {
    .name = "session_mark_read",
    .sql = "UPDATE sessions SET unread = 0 WHERE tenant_id = ? AND id = ? AND owner = ?",
};
static const struct statement count_messages = {
    .name = "session_message_count",
    .sql = "SELECT count(*) FROM messages WHERE tenant_id = ? AND session_id = ?",
};
static const struct statement delete_session = {
    .name = "session_delete",
    .sql = "DELETE FROM sessions WHERE tenant_id = ? AND id = ?",
};
static const struct statement delete_messages = {
    .name = "messages_delete",
    .sql = "DELETE FROM messages WHERE tenant_id = ? AND session_id = ?",
};
static const struct statement count_active = {
    .name = "session_count_active",
    .sql = "SELECT count(*) FROM sessions WHERE last_access >= {now_plus:?}",
};
static const struct statement find_asker = {
    .name = "feedback_asker",
    .sql = "SELECT user_id, session_id FROM traces WHERE tenant_id = ? AND trace_id = ?",
};
static const struct statement put_vote = {
    .name = "feedback_put",
    .sql = "INSERT INTO feedback (tenant_id, trace_id, session_id, rating, reason, linked, ts)"
           " SELECT ?, ?, ?, ?, ?, CASE WHEN EXISTS (SELECT 1 FROM traces WHERE trace_id = ?"
           " AND tenant_id = ?) THEN 1 ELSE 0 END, {now} WHERE true"
           " ON CONFLICT (tenant_id, trace_id, session_id) DO UPDATE SET rating = excluded.rating,"
           " reason = excluded.reason, ts = excluded.ts",
};
static const struct statement count_votes = {
    .name = "feedback_counts",
    .sql = "SELECT coalesce(t.final_route, 'unknown') AS route,"
           " sum(CASE WHEN f.rating = 'up' THEN 1 ELSE 0 END) AS up,"
           " sum(CASE WHEN f.rating = 'down' THEN 1 ELSE 0 END) AS down FROM feedback f"
           " LEFT JOIN traces t ON t.trace_id = f.trace_id AND f.linked = 1"
           " WHERE (? = '' OR f.tenant_id = ?) AND f.ts >= {now_plus:?}"
           " GROUP BY coalesce(t.final_route, 'unknown')"
           " ORDER BY coalesce(t.final_route, 'unknown')",
};

const char *session_new_id(struct arena *arena)
{
    unsigned char bytes[SESSION_ID_BYTES];
    char *text = arena_alloc(arena, 2 * sizeof bytes + 1);

    token_random_bytes(bytes, sizeof bytes);
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    return text;
}

bool session_id_is_secret(const char *id)
{
    return strlen(id) == 2 * SESSION_ID_BYTES && strspn(id, "0123456789abcdef") == strlen(id);
}

static enum error not_found(const struct conversation_call *call)
{
    return problem_set(call->problem, ERROR_NOT_FOUND, "session_not_found", "Session not found");
}

static enum error find(const struct conversation_call *call, const char *id, bool *found)
{
    const char *owner = NULL;
    struct query *query = db_query(call->db, &find_owner);
    enum error error;

    query_bind_text(query, call->tenant);
    query_bind_text(query, id);
    *found = query_next(query);
    if (*found)
        owner = query_text_or_null(query, 0, call->arena);
    error = query_end(query, call->problem);
    if (error || !*found || !call->own_only)
        return error;
    return owner && call->subject && strcmp(owner, call->subject) == 0 ? ERROR_NONE
                                                                       : not_found(call);
}

enum error session_check(const struct conversation_call *call, const char *id)
{
    bool found;

    return call->own_only ? find(call, id, &found) : ERROR_NONE;
}

enum error session_require(const struct conversation_call *call, const char *id)
{
    bool found = false;
    enum error error = find(call, id, &found);

    return error || found ? error : not_found(call);
}

static bool cites_hidden(const struct conversation_call *call, const json_t *answer)
{
    const json_t *citation;
    size_t i;

    json_array_foreach(json_object_get(answer, "citations"), i, citation)
    {
        const char *doc_id = json_string_value(json_object_get(citation, "doc_id"));

        if (doc_id && document_is_hidden(call->reader, doc_id))
            return true;
    }
    return false;
}

/* As of a refusal, or a question back: its words may be of documents all the same. */
static bool cites_nothing(const json_t *answer)
{
    return !json_array_size(json_object_get(answer, "citations"));
}

static bool is_answer(const struct session_message *row)
{
    return strcmp(row->role, "assistant") == 0 && !row->from_person;
}

/* Takes the content of answers that quote what the reader may not read. Of an answer without
 * citations the trace decides. */
static enum error withhold(const struct conversation_call *call, const struct object_list *rows)
{
    const struct document_call documents = {call->db, call->arena, call->tenant, call->problem,
                                            call->reader};
    const char **ids = ARENA_ARRAY(call->arena, const char *, rows->count + 1);
    struct session_message *items = rows->items;
    struct readable_traces readable;
    enum error error;

    for (size_t i = 0; i < rows->count; i++)
        ids[i] = is_answer(&items[i]) && cites_nothing(items[i].answer) ? items[i].trace_id : NULL;
    error = readable_traces_find(&documents, ids, rows->count, &readable);
    for (size_t i = 0; !error && i < rows->count; i++) {
        if (!is_answer(&items[i]))
            continue;
        items[i].withheld = cites_nothing(items[i].answer)
                                ? !trace_is_readable(&readable, items[i].trace_id)
                                : cites_hidden(call, items[i].answer);
        if (!items[i].withheld)
            continue;
        items[i].content = "";
        items[i].answer = NULL;
    }
    return error;
}

enum error session_messages(const struct conversation_call *call, const char *id,
                            struct object_list *rows)
{
    struct session_message *items =
        ARENA_ARRAY(call->arena, struct session_message, GRAPH_HISTORY_MAX);
    struct query *query;
    size_t found = 0;
    enum error error = session_check(call, id);

    *rows = (struct object_list){.count = 0};
    if (error)
        return error;
    query = db_query(call->db, &read_messages);
    query_bind_integer(query, call->own_only);
    query_bind_text(query, call->tenant);
    query_bind_text(query, id);
    query_bind_integer(query, GRAPH_HISTORY_MAX);
    while (found < GRAPH_HISTORY_MAX && query_next(query)) {
        found++; /* newest first, so from the end of the list */
        query_read(query, &session_message_schema, &items[GRAPH_HISTORY_MAX - found], call->arena);
    }
    *rows = (struct object_list){found, items + GRAPH_HISTORY_MAX - found};
    error = query_end(query, call->problem);
    return error || !call->reader ? error : withhold(call, rows);
}

static enum error touch(const struct conversation_call *call, const char *id, int64_t messages)
{
    struct query *query = db_query(call->db, &touch_session);
    bool touched;
    enum error error;

    query_bind_text(query, call->tenant);
    query_bind_text(query, id);
    query_bind_text(query, call->subject);
    query_bind_integer(query, messages);
    query_bind_integer(query, call->own_only);
    query_bind_text(query, call->subject);
    touched = query_changes(query) > 0;
    error = query_end(query, call->problem);
    return error || touched ? error : not_found(call); /* another process has just created it */
}

struct new_message {
    const char *role, *content, *trace_id, *author, *answer; /* the last three may be NULL */
};

static enum error put_message(const struct conversation_call *call, const char *id,
                              const struct new_message *message)
{
    struct query *query = db_query(call->db, &add_message);

    query_bind_text(query, call->tenant);
    query_bind_text(query, id);
    query_bind_text(query, message->role);
    query_bind_text(query, message->content);
    query_bind_text(query, message->trace_id);
    query_bind_text(query, message->author);
    query_bind_json(query, message->answer);
    return query_end(query, call->problem);
}

static enum error run_on(const struct conversation_call *call, const struct statement *statement,
                         const char *id)
{
    struct query *query = db_query(call->db, statement);

    query_bind_text(query, call->tenant);
    query_bind_text(query, id);
    return query_end(query, call->problem);
}

enum error session_add_reply(const struct conversation_call *call, const char *id,
                             const char *author, const char *content, const char *trace_id)
{
    const struct new_message message = {"assistant", content, trace_id, author, NULL};
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    if (error)
        return error;
    error = touch(call, id, 1);
    if (!error)
        error = put_message(call, id, &message);
    if (!error)
        error = run_on(call, &count_reply, id);
    return db_finish(call->db, error, call->problem);
}

enum error session_ensure(const struct conversation_call *call, const char *id,
                          const char *question)
{
    const struct new_message message = {.role = "user", .content = question};
    struct query *query;
    int64_t count;
    enum error error = touch(call, id, 0);

    if (error || !*question)
        return error;
    query = db_query(call->db, &count_messages);
    query_bind_text(query, call->tenant);
    query_bind_text(query, id);
    count = query_next(query) ? query_integer(query, 0) : 0;
    error = query_end(query, call->problem);
    if (error || count)
        return error;
    error = put_message(call, id, &message);
    return error ? error : touch(call, id, 1);
}

enum error session_add_words(const struct conversation_call *call, const char *id,
                             const char *words)
{
    const struct new_message message = {.role = "user", .content = words};
    enum error error = put_message(call, id, &message);

    return error ? error : touch(call, id, 1);
}

enum error session_mark_read(const struct conversation_call *call, const char *id)
{
    enum error error = session_require(call, id);
    struct query *query;

    if (error)
        return error;
    query = db_query(call->db, &mark_read);
    query_bind_text(query, call->tenant);
    query_bind_text(query, id);
    query_bind_text(query, call->subject);
    return query_end(query, call->problem);
}

enum error session_add_turn(const struct conversation_call *call, const char *id,
                            const struct session_turn *turn)
{
    const struct new_message question = {"user", turn->question, turn->trace_id, NULL, NULL};
    const struct new_message answer = {"assistant", turn->answer, turn->trace_id, NULL,
                                       turn->shown};
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    if (error)
        return error;
    error = touch(call, id, 2);
    if (!error)
        error = put_message(call, id, &question);
    if (!error)
        error = put_message(call, id, &answer);
    return db_finish(call->db, error, call->problem);
}

enum error session_pending(const struct conversation_call *call, const char *id,
                           const char **ticket)
{
    struct query *query = db_query(call->db, &read_pending);
    const char *action;
    struct json_fault fault;
    json_t *document;

    query_bind_text(query, call->tenant);
    query_bind_text(query, id);
    action = query_next(query) ? query_json_or_null(query, 0, call->arena) : NULL;
    *ticket = NULL;
    if (action && !json_read(call->arena, action, strlen(action), PENDING_DEPTH, &document, &fault))
        *ticket = json_string_value(json_object_get(document, "create_ticket"));
    return query_end(query, call->problem);
}

enum error session_set_pending(const struct conversation_call *call, const char *id,
                               const char *ticket)
{
    struct query *query = db_query(call->db, &put_pending);
    struct text text;
    struct json_writer writer;

    text_start(&text, call->arena, PENDING_BYTES);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    writer_key_string(&writer, "create_ticket", ticket);
    writer_close_object(&writer);
    query_bind_json(query, ticket ? text.bytes : NULL);
    query_bind_text(query, call->tenant);
    query_bind_text(query, id);
    return query_end(query, call->problem);
}

enum error session_list(const struct conversation_call *call, const struct session_filter *filter,
                        struct object_list *rows)
{
    struct session_row *items =
        ARENA_ARRAY(call->arena, struct session_row, (size_t)filter->limit + 1);
    struct query *query = db_query(call->db, call->own_only ? &list_own_sessions : &list_sessions);

    query_bind_text(query, call->tenant);
    if (call->own_only)
        query_bind_text(query, call->subject);
    query_bind_text(query, filter->words);
    query_bind_integer(query, call->reader == NULL); /* else answers are not searched */
    query_bind_text(query, db_like_contains(call->arena, filter->words));
    query_bind_text(query, db_like_contains(call->arena, text_lower(call->arena, filter->words)));
    query_bind_integer(query, filter->limit);
    query_bind_integer(query, filter->offset);
    *rows = (struct object_list){.items = items};
    while (rows->count < (size_t)filter->limit && query_next(query))
        query_read(query, &session_schema, &items[rows->count++], call->arena);
    return query_end(query, call->problem);
}

static enum error delete_rows(const struct conversation_call *call,
                              const struct statement *statement, const char *id, int64_t *count)
{
    struct query *query = db_query(call->db, statement);

    query_bind_text(query, call->tenant);
    query_bind_text(query, id);
    *count = query_changes(query);
    return query_end(query, call->problem);
}

enum error session_delete(const struct conversation_call *call, const char *id)
{
    int64_t sessions = 0, messages;
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    if (error)
        return error;
    error = session_check(call, id);
    if (!error)
        error = delete_rows(call, &delete_session, id, &sessions);
    if (!error)
        error = delete_rows(call, &delete_messages, id, &messages);
    if (!error && !sessions)
        error = not_found(call);
    return db_finish(call->db, error, call->problem);
}

enum error session_count_active(struct db *db, int64_t seconds, int64_t *count,
                                struct problem *problem)
{
    struct query *query = db_query(db, &count_active);

    query_bind_number(query, -(double)seconds);
    *count = query_next(query) ? query_integer(query, 0) : 0;
    return query_end(query, problem);
}

static bool is_same(const char *one, const char *other)
{
    return one && other && strcmp(one, other) == 0;
}

enum error feedback_check(const struct conversation_call *call, const char *trace_id,
                          const char *session_id)
{
    struct query *query;
    bool allowed = true;
    enum error error;

    if (!call->own_only)
        return ERROR_NONE;
    query = db_query(call->db, &find_asker);
    query_bind_text(query, call->tenant);
    query_bind_text(query, trace_id);
    if (query_next(query))
        allowed = is_same(query_text_or_null(query, 0, call->arena), call->subject) &&
                  (!session_id || is_same(query_text_or_null(query, 1, call->arena), session_id));
    error = query_end(query, call->problem);
    if (error || allowed)
        return error;
    return problem_set(call->problem, ERROR_NOT_FOUND, "trace_not_found", "trace not found");
}

enum error feedback_add(const struct conversation_call *call, const char *trace_id,
                        const char *session_id, const char *rating, const char *reason)
{
    struct query *query = db_query(call->db, &put_vote);

    query_bind_text(query, call->tenant);
    query_bind_text(query, trace_id);
    query_bind_text(query, session_id);
    query_bind_text(query, rating);
    query_bind_text(query, reason);
    query_bind_text(query, trace_id);
    query_bind_text(query, call->tenant);
    return query_end(query, call->problem);
}

enum error feedback_counts(const struct conversation_call *call, int64_t days,
                           struct object_list *rows)
{
    struct feedback_count *items = ARENA_ARRAY(call->arena, struct feedback_count, ROUTES_MOST);
    struct query *query = db_query(call->db, &count_votes);

    query_bind_text(query, call->tenant ? call->tenant : "");
    query_bind_text(query, call->tenant ? call->tenant : "");
    query_bind_number(query, -(double)days * SECONDS_A_DAY);
    *rows = (struct object_list){.items = items};
    while (rows->count < ROUTES_MOST && query_next(query))
        query_read(query, &feedback_count_schema, &items[rows->count++], call->arena);
    return query_end(query, call->problem);
}
