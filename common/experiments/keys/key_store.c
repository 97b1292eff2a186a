/* SQL of issued keys, and generation of keys. */
#include "experiments/keys/key_store.h"
#include "base/clock.h"
#include "base/log.h"
#include "crypto/digest.h"
#include "crypto/token.h"
#include "db/identity.h"
#include "db/query.h"

#include <string.h>

enum { SECRET_BYTES = 32, LAST_USED_STEP_SECONDS = 60, NAME_MAX_LENGTH = 100 };

#define KEY_PREFIX "abk_"
#define KEY_COLUMNS                                                                                \
    "id, name, CASE scope WHEN 'read' THEN 'read' ELSE 'write' END AS scope, created_at, "         \
    "last_used_at, revoked_at, rate_limit_requests,"                                               \
    " rate_limit_window_seconds"

const char *const key_scope_names[KEY_SCOPE__MAX] = {"read", "write"};

#define RATE_FIELDS                                                                                \
    NULLABLE_INTEGER(OWNER, rate_limit_requests, .lower = AT_LEAST(1), .upper = AT_MOST(100000),   \
                     .help = "Calls per window; the service's limit when null."),                  \
        NULLABLE_INTEGER(OWNER, rate_limit_window_seconds, .lower = AT_LEAST(1),                   \
                         .upper = AT_MOST(86400), .help = "The service's window when null.")

#define OWNER struct key_request
static const struct field request_fields[] = {
    STRING(OWNER, name, .required = true, .min_length = 1, .max_length = NAME_MAX_LENGTH),
    CHOICE(OWNER, scope, key_scope_names, .choice_count = KEY_SCOPE__MAX, .required = true),
    RATE_FIELDS,
};
#undef OWNER
const struct schema key_request_schema = {.name = "ApiKeyRequest",
                                          .help = "A key to be issued.",
                                          .size = sizeof(struct key_request),
                                          .fields = request_fields,
                                          .field_count = COUNT_OF(request_fields),
                                          .example = "{\"name\":\"dashboard\",\"scope\":\"read\"}"};

#define RECORD_FIELDS                                                                              \
    STRING(OWNER, id), STRING(OWNER, name),                                                        \
        CHOICE(OWNER, scope, key_scope_names, .choice_count = KEY_SCOPE__MAX),                     \
        STRING(OWNER, created_at), STRING(OWNER, last_used_at, .nullable = true),                  \
        STRING(OWNER, revoked_at, .nullable = true), RATE_FIELDS

#define OWNER struct api_key
static const struct field key_fields[] = {RECORD_FIELDS};
#undef OWNER
const struct schema key_schema = {.name = "ApiKey",
                                  .help = "An issued key, without its secret.",
                                  .size = sizeof(struct api_key),
                                  .fields = key_fields,
                                  .field_count = COUNT_OF(key_fields)};

#define OWNER struct api_key
static const struct field created_fields[] = {
    RECORD_FIELDS,
    STRING(OWNER, plaintext_key, .secret = true, .help = "Shown here and never again."),
};
#undef OWNER
const struct schema created_key_schema = {.name = "CreatedApiKey",
                                          .help = "A new key, with its secret.",
                                          .size = sizeof(struct api_key),
                                          .fields = created_fields,
                                          .field_count = COUNT_OF(created_fields)};

static const struct statement insert_key = {
    .name = "api_key_insert",
    .sql = "INSERT INTO api_keys (id, name, key_hash, scope, created_at, rate_limit_requests,"
           " rate_limit_window_seconds) VALUES (?, ?, ?, ?, ?, ?, ?)",
};
static const struct statement read_key = {
    .name = "api_key_read",
    .sql = "SELECT " KEY_COLUMNS " FROM api_keys WHERE id = ?",
};
static const struct statement lock_key = {
    .name = "api_key_lock",
    .sql = "SELECT " KEY_COLUMNS " FROM api_keys WHERE id = ? {for_update}",
};
static const struct statement find_key = {
    .name = "api_key_find",
    .sql = "SELECT " KEY_COLUMNS " FROM api_keys WHERE key_hash = ? AND revoked_at IS NULL",
};
static const struct statement list_keys = {
    .name = "api_key_list",
    .sql = "SELECT " KEY_COLUMNS " FROM api_keys ORDER BY created_at DESC, id DESC",
};
static const struct statement count_keys = {
    .name = "api_key_count",
    .sql = "SELECT count(*) FROM api_keys",
};
static const struct statement revoke_key = {
    .name = "api_key_revoke",
    .sql = "UPDATE api_keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL",
};
static const struct statement delete_key = {
    .name = "api_key_delete",
    .sql = "DELETE FROM api_keys WHERE id = ?",
};
static const struct statement take_census = {
    .name = "api_key_census",
    .sql = "SELECT count(*), coalesce(sum(CASE WHEN revoked_at IS NULL THEN 1 ELSE 0 END), 0),"
           " coalesce(sum(CASE WHEN revoked_at IS NULL AND scope <> 'read' THEN 1 ELSE 0 END), 0)"
           " FROM api_keys",
};
static const struct statement note_use = {
    .name = "api_key_note_use",
    .sql = "UPDATE api_keys SET last_used_at = ? WHERE id = ?"
           " AND (last_used_at IS NULL OR last_used_at < ?)",
};
static const struct statement odd_scopes = {
    .name = "api_key_odd_scopes",
    .sql = "SELECT id FROM api_keys WHERE scope = 'admin'",
};
static const struct statement set_scope = {
    .name = "api_key_set_scope",
    .sql = "UPDATE api_keys SET scope = 'write' WHERE id = ? AND scope = 'admin'",
};

static void key_row(struct query *query, struct arena *arena, struct api_key *key)
{
    *key = (struct api_key){0};
    query_read(query, &key_schema, key, arena);
}

static enum error fetch(struct db *db, struct arena *arena, const struct statement *statement,
                        const char *value, struct api_key *key, bool *found,
                        struct problem *problem)
{
    struct query *query = db_query(db, statement);

    query_bind_text(query, value);
    *found = query_next(query);
    if (*found)
        key_row(query, arena, key);
    return query_end(query, problem);
}

static enum error fetch_known(const struct key_call *call, const struct statement *statement,
                              const char *id, struct api_key *key)
{
    bool found = false;
    enum error error = store_is_id(id)
                           ? fetch(call->db, call->arena, statement, id, key, &found, call->problem)
                           : ERROR_NONE;

    if (error || found)
        return error;
    return problem_set(call->problem, ERROR_NOT_FOUND, "not_found", "API key not found");
}

static enum error record(const struct key_call *call, const char *action, const char *key_id)
{
    const struct audit_event event = {.action = action, .key_id = key_id};

    return audit_record(call->db, call->arena, call->actor, &event, call->problem);
}

static enum error insert(const struct key_call *call, const struct key_request *request,
                         const char *id, const char *plaintext)
{
    struct query *query = db_query(call->db, &insert_key);
    char hash[DIGEST_SHA256_TEXT];
    enum error error;

    digest_sha256_hex(plaintext, strlen(plaintext), hash);
    query_bind_text(query, id);
    query_bind_text(query, request->name);
    query_bind_text(query, hash);
    query_bind_text(query, key_scope_names[request->scope]);
    query_bind_text(query, store_now(call->arena));
    query_bind_optional_integer(query, request->rate_limit_requests);
    query_bind_optional_integer(query, request->rate_limit_window_seconds);
    error = query_end(query, call->problem);
    return error ? error : record(call, "api_key_created", id);
}

static enum error take_stock(struct db *db, struct key_census *census, struct problem *problem)
{
    struct query *query = db_query(db, &take_census);

    *census = (struct key_census){0};
    if (query_next(query)) {
        census->any = query_integer(query, 0) > 0;
        census->any_active = query_integer(query, 1) > 0;
        census->any_active_write = query_integer(query, 2) > 0;
    }
    return query_end(query, problem);
}

/* Also records outside the database whether it contains keys. The change is kept even if the record
 * fails; the next census repeats it. */
static void note_keys(const struct key_call *call, bool kept)
{
    struct problem problem = {0};

    if (db_note_credentials(call->db, kept, &problem))
        log_event(LOG_WARNING, "keys_not_noted", problem.text);
}

enum error key_create(const struct key_call *call, const struct key_request *request,
                      struct api_key *key)
{
    const char *plaintext;
    char id[TOKEN_UUID_TEXT], secret[TOKEN_TEXT_MAX];
    enum error error;

    token_uuid(id);
    token_random_text(SECRET_BYTES, secret, sizeof secret);
    plaintext = arena_print(call->arena, "%s%s", KEY_PREFIX, secret);
    error = db_begin(call->db, DB_WRITE, call->problem);
    if (error)
        return error;
    error = insert(call, request, id, plaintext);
    if (!error)
        error = fetch_known(call, &read_key, id, key);
    key->plaintext_key = plaintext;
    error = db_finish(call->db, error, call->problem);
    if (!error)
        note_keys(call, true);
    return error;
}

static enum error count(const struct key_call *call, size_t *total)
{
    struct query *query = db_query(call->db, &count_keys);

    *total = query_next(query) ? (size_t)query_integer(query, 0) : 0;
    return query_end(query, call->problem);
}

enum error key_list(const struct key_call *call, struct object_list *keys)
{
    struct query *query;
    size_t total;
    enum error error = db_begin(call->db, DB_READ, call->problem);

    if (error)
        return error;
    error = count(call, &total);
    if (error)
        return db_finish(call->db, error, call->problem);
    *keys = (struct object_list){.items = ARENA_ARRAY(call->arena, struct api_key, total)};
    query = db_query(call->db, &list_keys);
    while (keys->count < total && query_next(query))
        key_row(query, call->arena, (struct api_key *)keys->items + keys->count++);
    error = query_end(query, call->problem);
    return db_finish(call->db, error, call->problem);
}

enum error key_revoke(const struct key_call *call, const char *id, struct api_key *key)
{
    struct query *query;
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    if (error)
        return error;
    error = fetch_known(call, &lock_key, id, key);
    if (!error) {
        query = db_query(call->db, &revoke_key);
        query_bind_text(query, store_now(call->arena));
        query_bind_text(query, id);
        error = query_end(query, call->problem);
    }
    if (!error)
        error = record(call, "api_key_revoked", id);
    if (!error)
        error = fetch_known(call, &read_key, id, key);
    return db_finish(call->db, error, call->problem);
}

enum error key_delete(const struct key_call *call, const char *id)
{
    struct api_key key;
    struct query *query;
    struct key_census left = {.any = true};
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    if (error)
        return error;
    error = fetch_known(call, &lock_key, id, &key);
    if (!error && !key.revoked_at)
        error = problem_set(call->problem, ERROR_CONFLICT, "api_key_not_revoked",
                            "Revoke the key before deleting it");
    if (!error) {
        query = db_query(call->db, &delete_key);
        query_bind_text(query, id);
        error = query_end(query, call->problem);
    }
    if (!error)
        error = record(call, "api_key_deleted", id);
    if (!error)
        error = take_stock(call->db, &left, call->problem);
    error = db_finish(call->db, error, call->problem);
    if (!error)
        note_keys(call, left.any);
    return error;
}

enum error key_find(struct db *db, struct arena *arena, const char *token, struct api_key *key,
                    bool *found, struct problem *problem)
{
    char hash[DIGEST_SHA256_TEXT];

    digest_sha256_hex(token, strlen(token), hash);
    return fetch(db, arena, &find_key, hash, key, found, problem);
}

enum error key_census(struct db *db, struct key_census *census, struct problem *problem)
{
    enum error error = take_stock(db, census, problem);

    if (!error && census->any)
        return db_note_credentials(db, true, problem);
    /* Keys that disappeared without being deleted here do not open the service. */
    census->any = !error && db_credentials_noted(db);
    return error;
}

static struct key_census census_of(struct store *store)
{
    struct problem problem = {0};
    struct key_census census = {0};
    struct db *db;

    if (store_prepare(store, &db, &problem) || key_census(db, &census, &problem))
        log_event(LOG_WARNING, "keys_unknown", problem.text);
    return census;
}

bool key_is_issued(struct store *store)
{
    return census_of(store).any;
}

enum error key_check_production(struct store *store, const struct experiments_settings *settings,
                                struct problem *problem)
{
    if (!experiments_is_production(settings) || settings->api_token || settings->admin_token ||
        census_of(store).any_active_write)
        return ERROR_NONE;
    if (!settings->allow_insecure_production)
        return problem_set(problem, ERROR_INVALID, "setting_invalid",
                           "AB_API_TOKEN or AB_ADMIN_TOKEN must be set in production, or a key "
                           "that may write be issued (or AB_ALLOW_INSECURE_PRODUCTION set to "
                           "true)");
    log_event(LOG_WARNING, "insecure_production",
              "anybody may read and write: no token is set and no key may write");
    return ERROR_NONE;
}

/* Stamps the key unless it was stamped within the last minute. */
static enum error stamp_use(const struct key_call *call, const char *id)
{
    int64_t now = clock_unix_microseconds();
    char latest[CLOCK_TEXT_MAX], oldest[CLOCK_TEXT_MAX];
    struct query *query = db_query(call->db, &note_use);

    clock_format(now, latest);
    clock_format(now - LAST_USED_STEP_SECONDS * (int64_t)1000000, oldest);
    query_bind_text(query, latest);
    query_bind_text(query, id);
    query_bind_text(query, oldest);
    return query_end(query, call->problem);
}

enum error key_note_use(const struct key_call *call, const char *id)
{
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    if (error)
        return error;
    error = stamp_use(call, id);
    if (!error)
        error = record(call, "api_key_used", id);
    return db_finish(call->db, error, call->problem);
}

/* Another worker may have been faster: then there is nothing to record. */
static enum error normalise(const struct key_call *call, const char *id)
{
    const struct audit_event event = {.action = "api_key_scope_normalized",
                                      .key_id = id,
                                      .diff = "{\"scope\":[\"admin\",\"write\"]}"};
    struct query *query = db_query(call->db, &set_scope);
    int64_t changed;
    enum error error;

    query_bind_text(query, id);
    changed = query_changes(query);
    error = query_end(query, call->problem);
    if (error || !changed)
        return error;
    return audit_record(call->db, call->arena, call->actor, &event, call->problem);
}

static enum error find_odd(const struct key_call *call, struct string_list *ids)
{
    const char **items;
    struct query *query;
    size_t total = 0, found = 0;
    enum error error = count(call, &total);

    *ids = (struct string_list){0};
    if (error || !total)
        return error;
    items = ARENA_ARRAY(call->arena, const char *, total);
    query = db_query(call->db, &odd_scopes);
    while (found < total && query_next(query))
        items[found++] = query_text(query, 0, call->arena);
    *ids = (struct string_list){found, items};
    return query_end(query, call->problem);
}

static enum error normalise_all(const struct key_call *call)
{
    struct string_list ids;
    enum error error = find_odd(call, &ids);

    if (error || !ids.count)
        return error;
    error = db_begin(call->db, DB_WRITE, call->problem);
    if (error)
        return error;
    for (size_t i = 0; !error && i < ids.count; i++)
        error = normalise(call, ids.items[i]);
    return db_finish(call->db, error, call->problem);
}

enum error key_normalise_scopes(struct db *db, struct problem *problem)
{
    static const struct actor system = {.name = "system:schema_migration"};
    struct key_call call = {db, arena_create((size_t)1 << 26), &system, problem};
    enum error error;

    if (!call.arena)
        return problem_set(problem, ERROR_SYSTEM, "out_of_memory", "out of memory");
    error = normalise_all(&call);
    arena_destroy(call.arena);
    return error;
}
