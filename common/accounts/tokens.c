/* Personal tokens: all SQL about them. */
#include "accounts/tokens.h"
#include "accounts/store_internal.h"

#include "base/clock.h"
#include "base/list.h"
#include "base/log.h"
#include "db/query.h"

#include <string.h>

enum { PREFIX_SHOWN = 12, TOUCH_US = 60000000, SECRET_TEXT = 43 };

#define OWNER struct personal_token
static const struct field token_fields[] = {
    STRING(OWNER, id),
    STRING(OWNER, name),
    STRING(OWNER, prefix, .help = "How the token begins."),
    TIME(OWNER, created_at, .time = TIME_Z),
    TIME_OR_NULL(OWNER, last_used_at, .time = TIME_Z),
    TIME_OR_NULL(OWNER, expires_at, .time = TIME_Z),
    BOOLEAN(OWNER, read_only, .help = "For GET, HEAD and OPTIONS only."),
    STRING(OWNER, person_id, .internal = true),
};
#undef OWNER
SCHEMA(personal_token_schema, struct personal_token, "PersonalToken", token_fields);

#define TOKEN_COLUMNS "id, name, prefix, created_at, last_used_at, expires_at, read_only, person_id"

static const struct statement insert_token = {
    .name = "personal_token_insert",
    .sql = "INSERT INTO personal_tokens (id, digest, person_id, name, prefix, read_only,"
           " created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
};
static const struct statement count_tokens = {
    .name = "personal_token_count",
    .sql = "SELECT count(*) FROM personal_tokens WHERE person_id = ?",
};
static const struct statement find_token = {
    .name = "personal_token_find",
    .sql = "SELECT " TOKEN_COLUMNS " FROM personal_tokens WHERE digest = ?"
           " AND (expires_at IS NULL OR expires_at > {now_microseconds})",
};
static const struct statement list_tokens = {
    .name = "personal_token_list",
    .sql = "SELECT " TOKEN_COLUMNS " FROM personal_tokens WHERE person_id = ?"
           " ORDER BY created_at DESC, id",
};
static const struct statement touch_token = {
    .name = "personal_token_touch",
    .sql = "UPDATE personal_tokens SET last_used_at = {now_microseconds} WHERE id = ?"
           " AND (last_used_at IS NULL OR last_used_at < {now_microseconds} - 60000000)",
};
static const struct statement delete_token = {
    .name = "personal_token_delete",
    .sql = "DELETE FROM personal_tokens WHERE person_id = ? AND id = ?",
};

static const struct statement delete_all_tokens = {
    .name = "personal_token_delete_all",
    .sql = "DELETE FROM personal_tokens WHERE person_id = ?",
};

bool personal_token_is(const char *credential)
{
    return credential &&
           strncmp(credential, PERSONAL_TOKEN_PREFIX, strlen(PERSONAL_TOKEN_PREFIX)) == 0 &&
           strlen(credential) == strlen(PERSONAL_TOKEN_PREFIX) + SECRET_TEXT;
}

static enum error refuse_many(const struct accounts_call *call, const char *person_id)
{
    struct query *query = db_query(call->db, &count_tokens);
    int64_t count = 0;
    enum error error;

    query_bind_text(query, person_id);
    if (query_next(query))
        count = query_integer(query, 0);
    error = query_end(query, call->problem);
    if (error || count < PERSONAL_TOKENS_MAX)
        return error;
    return problem_set(call->problem, ERROR_CONFLICT, "too_many_tokens",
                       "a person may have %d tokens; delete one first", PERSONAL_TOKENS_MAX);
}

static enum error insert(const struct accounts_call *call, const struct personal_token *token,
                         const char *digest)
{
    struct query *query = db_query(call->db, &insert_token);

    query_bind_text(query, token->id);
    query_bind_text(query, digest);
    query_bind_text(query, token->person_id);
    query_bind_text(query, token->name);
    query_bind_text(query, token->prefix);
    query_bind_boolean(query, token->read_only);
    query_bind_integer(query, token->created_at);
    query_bind_optional_integer(query, token->expires_at ? GIVEN_INTEGER(token->expires_at)
                                                         : (struct optional_integer){0});
    return query_end(query, call->problem);
}

enum error personal_token_add(const struct accounts_call *call, const struct new_token *wanted,
                              struct personal_token *token, const char **secret)
{
    char digest[DIGEST_SHA256_TEXT];
    enum error error;

    *secret = accounts_new_secret(call->arena, PERSONAL_TOKEN_PREFIX, digest);
    *token = (struct personal_token){.id = accounts_new_id(call->arena),
                                     .person_id = wanted->person_id,
                                     .name = wanted->name,
                                     .prefix = arena_copy(call->arena, *secret, PREFIX_SHOWN),
                                     .created_at = clock_unix_microseconds(),
                                     .expires_at = wanted->expires_at,
                                     .read_only = wanted->read_only};
    error = db_begin(call->db, DB_WRITE, call->problem);
    if (error)
        return error;
    error = refuse_many(call, wanted->person_id);
    if (!error)
        error = insert(call, token, digest);
    return db_finish(call->db, error, call->problem);
}

enum error personal_token_find(const struct accounts_call *call, const char *secret,
                               struct personal_token *token)
{
    char digest[DIGEST_SHA256_TEXT];
    struct query *query = db_query(call->db, &find_token);
    bool found;
    enum error error;

    *token = (struct personal_token){0};
    digest_sha256_hex(secret, strlen(secret), digest);
    query_bind_text(query, digest);
    error =
        query_read_one(query, &personal_token_schema, token, call->arena, &found, call->problem);
    if (error || found)
        return error;
    return problem_set(call->problem, ERROR_NOT_FOUND, "token_unknown", "there is no such token");
}

void personal_token_touch(const struct accounts_call *call, const struct personal_token *token)
{
    struct problem problem = {0};
    struct accounts_call own = *call;

    own.problem = &problem;
    if (clock_unix_microseconds() - token->last_used_at < TOUCH_US)
        return;
    if (accounts_run(&own, &touch_token, token->id, NULL, NULL))
        log_event(LOG_WARNING, "token_not_touched", problem.text);
}

enum error personal_token_list(const struct accounts_call *call, const char *person_id,
                               struct object_list *tokens)
{
    struct query *query = db_query(call->db, &list_tokens);
    struct personal_token *items = NULL;
    size_t count = 0;

    query_bind_text(query, person_id);
    while (query_next(query))
        query_read(query, &personal_token_schema, ARRAY_ADD(call->arena, items, count),
                   call->arena);
    *tokens = (struct object_list){.items = items, .count = count};
    return query_end(query, call->problem);
}

enum error personal_token_delete(const struct accounts_call *call, const char *person_id,
                                 const char *id)
{
    int64_t change, deleted = 0;
    enum error error = accounts_change_begin(call, &change);

    if (error)
        return error;
    error = accounts_run(call, &delete_token, person_id, id, &deleted);
    if (!error && deleted == 0)
        error =
            problem_set(call->problem, ERROR_NOT_FOUND, "token_unknown", "there is no such token");
    return accounts_change_finish(call, change, error);
}

enum error personal_token_delete_all(const struct accounts_call *call, const char *person_id,
                                     int64_t *deleted)
{
    int64_t change;
    enum error error = accounts_change_begin(call, &change);

    *deleted = 0;
    if (error)
        return error;
    error = accounts_run(call, &delete_all_tokens, person_id, NULL, deleted);
    return accounts_change_finish(call, change, error);
}

const char *personal_tokens_deleted_text(struct arena *arena, int64_t deleted)
{
    return deleted == 0 ? NULL
                        : arena_print(arena, "%lld %s deleted", (long long)deleted,
                                      deleted == 1 ? "token" : "tokens");
}
