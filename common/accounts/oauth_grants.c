/* What people have let programs do: consent, list, end, and who shows an access token. */
#include "accounts/oauth_grants.h"

#include "accounts/oauth_clients.h"
#include "accounts/oauth_internal.h"
#include "base/clock.h"
#include "base/list.h"
#include "base/log.h"

#include <string.h>

enum { TOUCH_US = 60000000 };

#define OWNER struct oauth_grant
static const struct field grant_fields[] = {
    STRING(OWNER, id),
    STRING(OWNER, client_name, .help = "What the program says of itself."),
    STRING(OWNER, resource, .help = "The address that its tokens are for."),
    STRING(OWNER, bound_to, .help = "`suite`, or the service of that address."),
    BOOLEAN(OWNER, read_only),
    TIME(OWNER, created_at, .time = TIME_Z),
    TIME_OR_NULL(OWNER, last_used_at, .time = TIME_Z),
    TIME(OWNER, expires_at, .time = TIME_Z,
         .help = "When it ends if the program does not refresh its token before then."),
    STRING(OWNER, person_id, .internal = true),
};
#undef OWNER
SCHEMA(oauth_grant_schema, struct oauth_grant, "OauthGrant", grant_fields);

#define GRANT_COLUMNS                                                                              \
    "oauth_grants.id AS id, oauth_clients.name AS client_name, resource, bound_to,"                \
    " oauth_grants.created_at AS created_at, last_used_at, person_id"
#define FROM_GRANTS                                                                                \
    " FROM oauth_grants JOIN oauth_clients ON oauth_clients.id = oauth_grants.client_id"

static const struct statement count_grants = {
    .name = "oauth_grant_count",
    .sql = "SELECT count(*) FROM oauth_grants WHERE person_id = ? AND ends_at >"
           " {now_microseconds} AND (code_ends_at > {now_microseconds} OR refresh_ends_at >"
           " {now_microseconds})",
};
static const struct statement use_client = {
    .name = "oauth_client_use",
    .sql = "UPDATE oauth_clients SET used_at = {now_microseconds} WHERE id = ?",
};
static const struct statement insert_grant = {
    .name = "oauth_grant_insert",
    .sql = "INSERT INTO oauth_grants (id, client_id, person_id, resource, bound_to, read_only,"
           " access_read_only, redirect_uri, code_challenge, code_digest, code_ends_at, created_at,"
           " ends_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
};
static const struct statement find_access = {
    .name = "oauth_access_find",
    .sql = "SELECT " GRANT_COLUMNS
           ", access_read_only AS read_only, access_ends_at AS expires_at" FROM_GRANTS
           " WHERE access_digest = ? AND access_ends_at > {now_microseconds}"
           " AND ends_at > {now_microseconds}",
};
static const struct statement touch_grant = {
    .name = "oauth_grant_touch",
    .sql = "UPDATE oauth_grants SET last_used_at = {now_microseconds} WHERE id = ?"
           " AND (last_used_at IS NULL OR last_used_at < {now_microseconds} - 60000000)",
};
static const struct statement list_grants = {
    .name = "oauth_grant_list",
    .sql = "SELECT " GRANT_COLUMNS ", read_only, CASE WHEN refresh_ends_at < ends_at THEN"
           " refresh_ends_at ELSE ends_at END AS expires_at" FROM_GRANTS
           " WHERE person_id = ? AND exchanged_at IS NOT NULL AND ends_at > {now_microseconds}"
           " AND refresh_ends_at > {now_microseconds} ORDER BY oauth_grants.created_at DESC, 1",
};
static const struct statement delete_own = {
    .name = "oauth_grant_delete",
    .sql = "DELETE FROM oauth_grants WHERE person_id = ? AND id = ?",
};
static const struct statement delete_of_person = {
    .name = "oauth_grant_delete_of_person",
    .sql = "DELETE FROM oauth_grants WHERE person_id = ?",
};

static enum error refuse_many(const struct accounts_call *call, const struct oauth_config *config,
                              const char *person_id)
{
    struct query *query = db_query(call->db, &count_grants);
    int64_t count = 0;
    enum error error;

    query_bind_text(query, person_id);
    if (query_next(query))
        count = query_integer(query, 0);
    error = query_end(query, call->problem);
    if (error || count < config->grants_per_person)
        return error;
    return problem_set(call->problem, ERROR_CONFLICT, "too_many_grants",
                       "You have let in %lld programs; remove one first", (long long)count);
}

static enum error insert(const struct accounts_call *call, const struct oauth_config *config,
                         const struct oauth_consent *consent, const char *digest)
{
    int64_t now = clock_unix_microseconds();
    struct query *query = db_query(call->db, &insert_grant);

    query_bind_text(query, accounts_new_id(call->arena));
    query_bind_text(query, consent->client_id);
    query_bind_text(query, consent->person_id);
    query_bind_text(query, consent->resource);
    query_bind_text(query, consent->bound_to);
    query_bind_boolean(query, consent->read_only);
    query_bind_boolean(query, consent->read_only);
    query_bind_text(query, consent->redirect_uri);
    query_bind_text(query, consent->challenge);
    query_bind_text(query, digest);
    query_bind_integer(query, now + config->code_seconds * OAUTH_SECOND_US);
    query_bind_integer(query, now);
    query_bind_integer(query, now + config->grant_days * 86400 * OAUTH_SECOND_US);
    return query_end(query, call->problem);
}

enum error oauth_grant_begin(const struct accounts_call *call, const struct oauth_config *config,
                             const struct oauth_consent *consent, const char **code)
{
    char digest[DIGEST_SHA256_TEXT];
    int64_t used = 0;
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    if (error)
        return error;
    *code = accounts_new_secret(call->arena, OAUTH_CODE_PREFIX, digest);
    error = db_lock(call->db, "oauth_clients", call->problem);
    if (!error)
        error = oauth_grants_purge(call);
    if (!error)
        error = refuse_many(call, config, consent->person_id);
    if (!error)
        error = accounts_run(call, &use_client, consent->client_id, NULL, &used);
    if (!error && !used)
        error = problem_set(call->problem, ERROR_NOT_FOUND, "oauth_client_unknown",
                            "no program is registered under this client_id");
    if (!error)
        error = insert(call, config, consent, digest);
    return db_finish(call->db, error, call->problem);
}

bool oauth_access_is(const char *credential)
{
    return credential &&
           strncmp(credential, OAUTH_ACCESS_PREFIX, strlen(OAUTH_ACCESS_PREFIX)) == 0 &&
           strlen(credential) == strlen(OAUTH_ACCESS_PREFIX) + OAUTH_SECRET_TEXT;
}

enum error oauth_access_find(const struct accounts_call *call, const char *secret,
                             struct oauth_grant *grant)
{
    char digest[DIGEST_SHA256_TEXT];
    struct query *query = db_query(call->db, &find_access);
    bool found;
    enum error error;

    *grant = (struct oauth_grant){0};
    digest_sha256_hex(secret, strlen(secret), digest);
    query_bind_text(query, digest);
    error = query_read_one(query, &oauth_grant_schema, grant, call->arena, &found, call->problem);
    if (error || found)
        return error;
    return problem_set(call->problem, ERROR_NOT_FOUND, "token_unknown", "there is no such token");
}

void oauth_grant_touch(const struct accounts_call *call, const struct oauth_grant *grant)
{
    struct problem problem = {0};
    struct accounts_call own = *call;

    own.problem = &problem;
    if (clock_unix_microseconds() - grant->last_used_at < TOUCH_US)
        return;
    if (accounts_run(&own, &touch_grant, grant->id, NULL, NULL))
        log_event(LOG_WARNING, "oauth_grant_not_touched", problem.text);
}

enum error oauth_grant_list(const struct accounts_call *call, const char *person_id,
                            struct object_list *grants)
{
    struct query *query = db_query(call->db, &list_grants);
    struct oauth_grant *items = NULL;
    size_t count = 0;

    query_bind_text(query, person_id);
    while (query_next(query))
        query_read(query, &oauth_grant_schema, ARRAY_ADD(call->arena, items, count), call->arena);
    *grants = (struct object_list){.items = items, .count = count};
    return query_end(query, call->problem);
}

enum error oauth_grant_delete(const struct accounts_call *call, const char *person_id,
                              const char *id)
{
    int64_t change, deleted = 0;
    enum error error = accounts_change_begin(call, &change);

    if (error)
        return error;
    error = accounts_run(call, &delete_own, person_id, id, &deleted);
    if (!error && deleted == 0)
        error = problem_set(call->problem, ERROR_NOT_FOUND, "grant_unknown",
                            "there is no such program among those that you let in");
    return accounts_change_finish(call, change, error);
}

enum error oauth_grants_end(const struct accounts_call *call, const char *person_id)
{
    return accounts_run(call, &delete_of_person, person_id, NULL, NULL);
}
