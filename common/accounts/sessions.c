/* Sessions: all SQL about them. */
#include "accounts/sessions.h"
#include "accounts/oauth_grants.h"
#include "accounts/store_internal.h"

#include "base/clock.h"
#include "base/list.h"
#include "base/log.h"
#include "db/query.h"

#include <string.h>

enum { USER_AGENT_MAX = 300, SECOND_US = 1000000, TOUCH_SECONDS = 60 };

#define OWNER struct person_session
static const struct field session_fields[] = {
    STRING(OWNER, id),
    TIME(OWNER, created_at, .time = TIME_Z),
    TIME(OWNER, last_seen_at, .time = TIME_Z),
    TIME(OWNER, expires_at, .time = TIME_Z, .help = "When it ends if it is not used before then."),
    STRING(OWNER, user_agent, .nullable = true),
    STRING(OWNER, ip_address, .nullable = true),
    BOOLEAN(OWNER, is_current, .help = "The session that asks."),
    STRING(OWNER, source, .help = "How the person signed in."),
    STRING(OWNER, person_id, .internal = true),
    INTEGER(OWNER, idle_seconds, .internal = true),
    INTEGER(OWNER, ends_at, .internal = true),
};
#undef OWNER
SCHEMA(person_session_schema, struct person_session, "Session", session_fields);

#define SESSION_COLUMNS                                                                            \
    "id, person_id, source, created_at, last_seen_at, idle_seconds, ends_at, user_agent, "         \
    "ip_address"
#define IS_ALIVE                                                                                   \
    "ends_at > {now_microseconds} AND last_seen_at + idle_seconds * 1000000 > {now_microseconds}"

static const struct statement read_source = {
    .name = "session_source",
    .sql = "SELECT source FROM sessions WHERE id = ?",
};
static const struct statement insert_session = {
    .name = "person_session_insert",
    .sql = "INSERT INTO sessions (id, digest, person_id, source, created_at, last_seen_at, "
           "idle_seconds,"
           " ends_at, user_agent, ip_address) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
};
static const struct statement find_session = {
    .name = "person_session_find",
    .sql = "SELECT " SESSION_COLUMNS " FROM sessions WHERE digest = ? AND " IS_ALIVE,
};
static const struct statement list_sessions = {
    .name = "person_session_list",
    .sql = "SELECT " SESSION_COLUMNS " FROM sessions WHERE person_id = ? AND " IS_ALIVE
           " ORDER BY created_at DESC, id",
};
static const struct statement touch_session = {
    .name = "person_session_touch",
    .sql = "UPDATE sessions SET last_seen_at = {now_microseconds} WHERE id = ?"
           " AND last_seen_at < {now_microseconds} - 60000000",
};
static const struct statement touch_person = {
    .name = "person_touch",
    .sql = "UPDATE people SET last_seen_at = {now_microseconds} WHERE id = ?"
           " AND (last_seen_at IS NULL OR last_seen_at < {now_microseconds} - 60000000)",
};
static const struct statement end_session = {
    .name = "person_session_end",
    .sql = "DELETE FROM sessions WHERE person_id = ? AND id = ?",
};
static const struct statement end_others = {
    .name = "person_session_end_others",
    .sql = "DELETE FROM sessions WHERE person_id = ? AND id <> ?",
};
static const struct statement end_tokens = {
    .name = "person_tokens_end",
    .sql = "UPDATE people SET sessions_valid_from = ? WHERE id = ?",
};
static const struct statement purge_sessions = {
    .name = "person_session_purge",
    .sql = "DELETE FROM sessions WHERE ends_at <= {now_microseconds}"
           " OR last_seen_at + idle_seconds * 1000000 <= {now_microseconds}",
};

/* When it ends without another request. */
static int64_t expiry(const struct person_session *session)
{
    int64_t idle = session->last_seen_at + session->idle_seconds * SECOND_US;

    return idle < session->ends_at ? idle : session->ends_at;
}

static enum error insert(const struct accounts_call *call, const struct person_session *session,
                         const char *digest)
{
    struct query *query = db_query(call->db, &insert_session);
    enum error error;

    query_bind_text(query, session->id);
    query_bind_text(query, digest);
    query_bind_text(query, session->person_id);
    query_bind_text(query, session->source);
    query_bind_integer(query, session->created_at);
    query_bind_integer(query, session->last_seen_at);
    query_bind_integer(query, session->idle_seconds);
    query_bind_integer(query, session->ends_at);
    query_bind_text(query, session->user_agent);
    query_bind_text(query, session->ip_address);
    error = query_end(query, call->problem);
    return error ? error : accounts_run(call, &touch_person, session->person_id, NULL, NULL);
}

enum error session_start(const struct accounts_call *call, const struct session_terms *terms,
                         struct person_session *session, const char **token)
{
    char digest[DIGEST_SHA256_TEXT];
    int64_t now = clock_unix_microseconds();
    enum error error;

    *token = accounts_new_secret(call->arena, "", digest);
    *session = (struct person_session){
        .id = accounts_new_id(call->arena),
        .person_id = terms->person_id,
        .source = terms->source,
        .created_at = now,
        .last_seen_at = now,
        .idle_seconds = terms->idle_seconds,
        .ends_at = now + terms->lifetime_seconds * SECOND_US,
        .user_agent = terms->user_agent
                          ? utf8_copy_prefix(call->arena, terms->user_agent, USER_AGENT_MAX)
                          : NULL,
        .ip_address = terms->ip_address,
        .is_current = true};
    session->expires_at = expiry(session);
    error = db_begin(call->db, DB_WRITE, call->problem);
    if (error)
        return error;
    error = session_purge(call);
    if (!error)
        error = insert(call, session, digest);
    return db_finish(call->db, error, call->problem);
}

enum error session_find(const struct accounts_call *call, const char *token,
                        struct person_session *session)
{
    char digest[DIGEST_SHA256_TEXT];
    struct query *query = db_query(call->db, &find_session);
    bool found;
    enum error error;

    *session = (struct person_session){.is_current = true};
    digest_sha256_hex(token, strlen(token), digest);
    query_bind_text(query, digest);
    error =
        query_read_one(query, &person_session_schema, session, call->arena, &found, call->problem);
    if (error)
        return error;
    if (!found)
        return problem_set(call->problem, ERROR_NOT_FOUND, "session_unknown",
                           "there is no such session");
    session->expires_at = expiry(session);
    return ERROR_NONE;
}

enum error session_source(const struct accounts_call *call, const char *id, const char **source)
{
    struct query *query = db_query(call->db, &read_source);

    query_bind_text(query, id);
    *source = query_next(query) ? query_text(query, 0, call->arena) : NULL;
    return query_end(query, call->problem);
}

void session_touch(const struct accounts_call *call, const struct person_session *session)
{
    struct problem problem = {0};
    struct accounts_call own = *call;
    enum error error;

    own.problem = &problem;
    if (clock_unix_microseconds() - session->last_seen_at < TOUCH_SECONDS * SECOND_US)
        return;
    error = db_begin(own.db, DB_WRITE, &problem);
    if (!error) {
        error = accounts_run(&own, &touch_session, session->id, NULL, NULL);
        if (!error)
            error = accounts_run(&own, &touch_person, session->person_id, NULL, NULL);
        error = db_finish(own.db, error, &problem);
    }
    if (error)
        log_event(LOG_WARNING, "session_not_touched", problem.text);
}

enum error session_list_of(const struct accounts_call *call, const char *person_id,
                           const char *current, struct object_list *sessions)
{
    struct query *query = db_query(call->db, &list_sessions);
    struct person_session *items = NULL;
    size_t count = 0;

    query_bind_text(query, person_id);
    while (query_next(query)) {
        struct person_session *session = ARRAY_ADD(call->arena, items, count);

        query_read(query, &person_session_schema, session, call->arena);
        session->expires_at = expiry(session);
        session->is_current = current && session->id && strcmp(session->id, current) == 0;
    }
    *sessions = (struct object_list){.items = items, .count = count};
    return query_end(query, call->problem);
}

enum error session_end(const struct accounts_call *call, const char *person_id, const char *id)
{
    int64_t change, ended = 0;
    enum error error = accounts_change_begin(call, &change);

    if (error)
        return error;
    error = accounts_run(call, &end_session, person_id, id, &ended);
    if (!error && ended == 0)
        error = problem_set(call->problem, ERROR_NOT_FOUND, "session_unknown",
                            "there is no such session");
    return accounts_change_finish(call, change, error);
}

/* Signed tokens bear the time of this host. */
static enum error end_signed_tokens(const struct accounts_call *call, const char *person_id)
{
    struct query *query = db_query(call->db, &end_tokens);

    query_bind_integer(query, clock_unix_microseconds());
    query_bind_text(query, person_id);
    return query_end(query, call->problem);
}

enum error session_end_all(const struct accounts_call *call, const char *person_id,
                           const char *kept)
{
    int64_t change;
    enum error error = accounts_change_begin(call, &change);

    if (error)
        return error;
    error = accounts_run(call, &end_others, person_id, kept ? kept : "", NULL);
    if (!error)
        error = end_signed_tokens(call, person_id);
    if (!error)
        error = oauth_grants_end(call, person_id);
    return accounts_change_finish(call, change, error);
}

enum error session_purge(const struct accounts_call *call)
{
    return query_end(db_query(call->db, &purge_sessions), call->problem);
}
