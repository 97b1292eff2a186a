/* The SQL of links to reports of results. */
#include "experiments/reports/share_store.h"

#include "base/clock.h"
#include "base/json.h"
#include "base/list.h"
#include "crypto/digest.h"
#include "crypto/token.h"
#include "db/query.h"

#include <string.h>

enum { SECRET_BYTES = 32, DIFF_BYTES_MAX = 1024 };

static const int64_t day_microseconds = (int64_t)24 * 3600 * 1000000;

#define RECORD_FIELDS                                                                              \
    STRING(OWNER, id), STRING(OWNER, created_by, .nullable = true), STRING(OWNER, created_at),     \
        STRING(OWNER, expires_at)

#define OWNER struct share
static const struct field share_fields[] = {RECORD_FIELDS};
#undef OWNER
SCHEMA(share_schema, struct share, "ReportShare", share_fields,
       .help = "A link to the report of a result, without its token.");

#define OWNER struct share
static const struct field created_fields[] = {
    RECORD_FIELDS,
    STRING(OWNER, token, .secret = true,
           .help = "Shown here and never again: the report is at /share/{token}."),
};
#undef OWNER
SCHEMA(created_share_schema, struct share, "CreatedReportShare", created_fields,
       .help = "A new link, with its token.");

static const struct statement lock_project = {
    .name = "share_project_lock",
    .sql = "SELECT project_name FROM projects WHERE id = ? {for_update}",
};
static const struct statement read_project = {
    .name = "share_project",
    .sql = "SELECT project_name FROM projects WHERE id = ?",
};
static const struct statement delete_expired = {
    .name = "shares_delete_expired",
    .sql = "DELETE FROM experiment_shares WHERE experiment_id = ? AND expires_at <= ?",
};
static const struct statement count_valid = {
    .name = "shares_count",
    .sql = "SELECT count(*) FROM experiment_shares WHERE experiment_id = ? AND expires_at > ?",
};
static const struct statement insert_share = {
    .name = "share_insert",
    .sql = "INSERT INTO experiment_shares (id, experiment_id, token_hash, created_by, created_at,"
           " expires_at) VALUES (?, ?, ?, ?, ?, ?)",
};
static const struct statement list_valid = {
    .name = "shares_list",
    .sql = "SELECT id, created_by, created_at, expires_at FROM experiment_shares"
           " WHERE experiment_id = ? AND expires_at > ? ORDER BY created_at DESC, id LIMIT ?",
};
static const struct statement delete_share = {
    .name = "share_delete",
    .sql = "DELETE FROM experiment_shares WHERE experiment_id = ? AND id = ? RETURNING expires_at",
};
static const struct statement find_share = {
    .name = "share_find",
    .sql = "SELECT experiment_id FROM experiment_shares WHERE token_hash = ? AND expires_at > ?",
};

static enum error read_name(const struct live_call *call, const struct statement *statement,
                            const char *experiment_id, const char **name)
{
    struct query *query = db_query(call->db, statement);
    enum error error;
    bool found;

    query_bind_text(query, experiment_id);
    found = query_next(query);
    if (found)
        *name = query_text(query, 0, call->arena);
    error = query_end(query, call->problem);
    if (error || found)
        return error;
    return problem_set(call->problem, ERROR_NOT_FOUND, "not_found", "Experiment not found");
}

static enum error drop_expired(const struct live_call *call, const char *experiment_id)
{
    struct query *query = db_query(call->db, &delete_expired);

    query_bind_text(query, experiment_id);
    query_bind_text(query, store_now(call->arena));
    return query_end(query, call->problem);
}

static enum error check_room(const struct live_call *call, const char *experiment_id)
{
    struct query *query = db_query(call->db, &count_valid);
    int64_t count;
    enum error error;

    query_bind_text(query, experiment_id);
    query_bind_text(query, store_now(call->arena));
    count = query_next(query) ? query_integer(query, 0) : 0;
    error = query_end(query, call->problem);
    if (error || count < SHARES_MAX)
        return error;
    return problem_set(call->problem, ERROR_CONFLICT, "share_limit_reached",
                       "The experiment has %d valid links already; revoke one first", SHARES_MAX);
}

static enum error insert(const struct live_call *call, const char *experiment_id,
                         const struct share *share)
{
    struct query *query = db_query(call->db, &insert_share);
    char hash[DIGEST_SHA256_TEXT];

    digest_sha256_hex(share->token, strlen(share->token), hash);
    query_bind_text(query, share->id);
    query_bind_text(query, experiment_id);
    query_bind_text(query, hash);
    query_bind_text(query, share->created_by);
    query_bind_text(query, share->created_at);
    query_bind_text(query, share->expires_at);
    return query_end(query, call->problem);
}

static void write_end(struct json_writer *writer, const char *end)
{
    if (end)
        writer_string(writer, end);
    else
        writer_null(writer);
}

/* `before` and `after` are the ends of the link's validity, NULL = it is not valid. */
static enum error record(const struct live_call *call, const struct actor *actor,
                         const struct audit_event *event, const char *before, const char *after)
{
    struct audit_event entry = *event;
    struct json_writer writer;
    struct text diff;

    text_start(&diff, call->arena, DIFF_BYTES_MAX);
    writer_start(&writer, &diff);
    writer_open_object(&writer);
    writer_key(&writer, "expires_at");
    writer_open_array(&writer);
    write_end(&writer, before);
    write_end(&writer, after);
    writer_close_array(&writer);
    writer_close_object(&writer);
    entry.diff = diff.bytes;
    return audit_record(call->db, call->arena, actor, &entry, call->problem);
}

static enum error create(const struct live_call *call, const struct actor *actor,
                         const char *experiment_id, const struct share *share)
{
    const char *name;
    enum error error = read_name(call, &lock_project, experiment_id, &name);

    if (!error)
        error = drop_expired(call, experiment_id);
    if (!error)
        error = check_room(call, experiment_id);
    if (!error)
        error = insert(call, experiment_id, share);
    if (error)
        return error;
    return record(call, actor,
                  &(struct audit_event){
                      .action = "share.create", .project_id = experiment_id, .project_name = name},
                  NULL, share->expires_at);
}

enum error share_create(const struct live_call *call, const struct actor *actor,
                        const char *experiment_id, int64_t days, struct share *share)
{
    char id[TOKEN_UUID_TEXT], secret[TOKEN_TEXT_MAX], until[CLOCK_TEXT_MAX];
    enum error error;

    token_uuid(id);
    token_random_text(SECRET_BYTES, secret, sizeof secret);
    clock_format(clock_unix_microseconds() + days * day_microseconds, until);
    *share = (struct share){.id = arena_print(call->arena, "%s", id),
                            .created_by = actor->name,
                            .created_at = store_now(call->arena),
                            .expires_at = arena_print(call->arena, "%s", until),
                            .token = arena_print(call->arena, "%s", secret)};
    error = db_begin(call->db, DB_WRITE, call->problem);
    return error ? error
                 : db_finish(call->db, create(call, actor, experiment_id, share), call->problem);
}

enum error share_list(const struct live_call *call, const char *experiment_id,
                      struct object_list *shares)
{
    struct share *items = NULL;
    struct query *query;
    const char *name;
    enum error error = read_name(call, &read_project, experiment_id, &name);

    *shares = (struct object_list){0};
    if (error)
        return error;
    query = db_query(call->db, &list_valid);
    query_bind_text(query, experiment_id);
    query_bind_text(query, store_now(call->arena));
    query_bind_integer(query, SHARES_MAX);
    while (query_next(query)) {
        struct share *share = ARRAY_ADD(call->arena, items, shares->count);

        *share = (struct share){0};
        query_read(query, &share_schema, share, call->arena);
    }
    shares->items = items;
    return query_end(query, call->problem);
}

static enum error revoke(const struct live_call *call, const struct actor *actor,
                         const char *experiment_id, const char *id)
{
    const char *name, *until = NULL;
    struct query *query;
    enum error error = read_name(call, &lock_project, experiment_id, &name);

    if (error)
        return error;
    query = db_query(call->db, &delete_share);
    query_bind_text(query, experiment_id);
    query_bind_text(query, id);
    if (query_next(query))
        until = query_text(query, 0, call->arena);
    error = query_end(query, call->problem);
    if (!error && !until)
        error = problem_set(call->problem, ERROR_NOT_FOUND, "not_found", "Link not found");
    if (error)
        return error;
    return record(call, actor,
                  &(struct audit_event){
                      .action = "share.revoke", .project_id = experiment_id, .project_name = name},
                  until, NULL);
}

enum error share_revoke(const struct live_call *call, const struct actor *actor,
                        const char *experiment_id, const char *id)
{
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    return error ? error
                 : db_finish(call->db, revoke(call, actor, experiment_id, id), call->problem);
}

enum error share_find(const struct live_call *call, const char *token, const char **experiment_id)
{
    struct query *query = db_query(call->db, &find_share);
    char hash[DIGEST_SHA256_TEXT];

    digest_sha256_hex(token, strlen(token), hash);
    *experiment_id = NULL;
    query_bind_text(query, hash);
    query_bind_text(query, store_now(call->arena));
    if (query_next(query))
        *experiment_id = query_text(query, 0, call->arena);
    return query_end(query, call->problem);
}
