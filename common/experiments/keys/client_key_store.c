/* SQL of client keys, and the fields of one. */
#include "experiments/keys/client_key_store.h"

#include "base/list.h"
#include "crypto/token.h"
#include "db/query.h"

#include <string.h>

#define CLIENT_KEY_PREFIX "abc_"

enum { CLIENT_KEY_BYTES = 24, CLIENT_KEY_NAME_MAX = 100, ORIGIN_MAX = 255 };

#define CLIENT_KEY_COLUMNS                                                                         \
    "id, experiment_id, name, client_key, rate_limit_requests, rate_limit_window_seconds,"         \
    " created_by, created_at FROM client_keys"

static const struct statement insert_client_key = {
    .name = "client_key_insert",
    .sql = "INSERT INTO client_keys (id, experiment_id, name, client_key, rate_limit_requests,"
           " rate_limit_window_seconds, created_by, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
};
static const struct statement insert_origin = {
    .name = "client_key_origin_insert",
    .sql = "INSERT INTO client_key_origins (key_id, origin) VALUES (?, ?) ON CONFLICT DO NOTHING",
};
static const struct statement find_client_key = {
    .name = "client_key_find",
    .sql = "SELECT " CLIENT_KEY_COLUMNS " WHERE client_key = ?",
};
static const struct statement list_client_keys = {
    .name = "client_key_list",
    .sql =
        "SELECT " CLIENT_KEY_COLUMNS " WHERE experiment_id = ? ORDER BY created_at DESC, id DESC",
};
static const struct statement origins_of_key = {
    .name = "client_key_origins",
    .sql = "SELECT origin FROM client_key_origins WHERE key_id = ? ORDER BY origin",
};
static const struct statement listed_origin = {
    .name = "client_key_origin_listed",
    .sql = "SELECT 1 FROM client_key_origins WHERE origin = ? LIMIT 1",
};
static const struct statement delete_client_key = {
    .name = "client_key_delete",
    .sql = "DELETE FROM client_keys WHERE id = ? AND experiment_id = ?",
};
static const struct statement name_of_project = {
    .name = "client_key_project",
    .sql = "SELECT project_name FROM projects WHERE id = ? {for_update}",
};
static const struct statement project_exists = {
    .name = "client_key_project_exists",
    .sql = "SELECT 1 FROM projects WHERE id = ?",
};

/* "https://shop.example" or with a port: a scheme and a host in lower case, nothing behind. */
static bool is_origin(const char *text)
{
    const char *host = strstr(text, "://");

    if (!host || (strncmp(text, "http://", 7) != 0 && strncmp(text, "https://", 8) != 0))
        return false;
    for (const char *at = host += 3; *at; at++)
        if (!strchr("abcdefghijklmnopqrstuvwxyz0123456789.-:[]", *at))
            return false;
    return *host && strlen(text) <= ORIGIN_MAX;
}

static bool origins_are_origins(const void *object)
{
    const struct string_list *origins = &((const struct client_key *)object)->origins;

    for (size_t i = 0; i < origins->count; i++)
        if (!is_origin(origins->items[i]))
            return false;
    return true;
}

static const struct schema_rule rules[] = {
    {"errors.schemas.client_key_origins", origins_are_origins},
};

#define CLIENT_KEY_FIELDS                                                                          \
    STRING(OWNER, name, .required = true, .min_length = 1, .max_length = CLIENT_KEY_NAME_MAX),     \
        STRINGS(OWNER, origins, .required = true, .min_length = 1,                                 \
                .max_length = CLIENT_KEY_ORIGINS_MAX,                                              \
                .help = "Pages of these origins may use the key: https://shop.example."),          \
        NULLABLE_INTEGER(OWNER, rate_limit_requests, .lower = AT_LEAST(1),                         \
                         .upper = AT_MOST(100000),                                                 \
                         .help = "Calls per window and address; the service's limit when null."),  \
        NULLABLE_INTEGER(OWNER, rate_limit_window_seconds, .lower = AT_LEAST(1),                   \
                         .upper = AT_MOST(86400), .help = "The service's window when null.")

#define OWNER struct client_key
static const struct field request_fields[] = {CLIENT_KEY_FIELDS};
static const struct field key_fields[] = {
    STRING(OWNER, id),
    STRING(OWNER, experiment_id),
    CLIENT_KEY_FIELDS,
    STRING(OWNER, client_key, .help = "Not a secret: pages and apps contain it."),
    STRING(OWNER, created_by, .nullable = true),
    STRING(OWNER, created_at),
};
#undef OWNER
SCHEMA(client_key_request_schema, struct client_key, "ClientKeyRequest", request_fields,
       RULES(rules), .help = "A key for pages and apps.",
       .example = "{\"name\":\"shop\",\"origins\":[\"https://shop.example\"]}");
SCHEMA(client_key_schema, struct client_key, "ClientKey", key_fields,
       .help = "A key for pages and apps: it evaluates the flag of one project.");

/* The columns of a row; origins come by another statement. */
static void key_row(struct query *query, struct arena *arena, struct client_key *key)
{
    *key = (struct client_key){.id = query_text(query, 0, arena),
                               .experiment_id = query_text(query, 1, arena),
                               .name = query_text(query, 2, arena),
                               .client_key = query_text(query, 3, arena),
                               .rate_limit_requests = query_optional_integer(query, 4),
                               .rate_limit_window_seconds = query_optional_integer(query, 5),
                               .created_by = query_text_or_null(query, 6, arena),
                               .created_at = query_text(query, 7, arena)};
}

static enum error read_origins(struct db *db, struct arena *arena, struct client_key *key,
                               struct problem *problem)
{
    struct query *query = db_query(db, &origins_of_key);

    query_bind_text(query, key->id);
    while (query_next(query))
        *LIST_ADD(arena, &key->origins) = query_text(query, 0, arena);
    return query_end(query, problem);
}

bool client_key_is(const char *token)
{
    return strncmp(token, CLIENT_KEY_PREFIX, strlen(CLIENT_KEY_PREFIX)) == 0;
}

enum error client_key_find(struct db *db, struct arena *arena, const char *token,
                           struct client_key *key, bool *found, struct problem *problem)
{
    struct query *query = db_query(db, &find_client_key);
    enum error error;

    query_bind_text(query, token);
    *found = query_next(query);
    if (*found)
        key_row(query, arena, key);
    error = query_end(query, problem);
    return error || !*found ? error : read_origins(db, arena, key, problem);
}

enum error client_key_origin_is_listed(struct db *db, const char *origin, bool *listed,
                                       struct problem *problem)
{
    struct query *query = db_query(db, &listed_origin);

    query_bind_text(query, origin);
    *listed = query_next(query);
    return query_end(query, problem);
}

/* The name of the project, locked for a change of its keys. */
static enum error lock_project(const struct key_call *call, const char *id, const char **name)
{
    struct query *query = db_query(call->db, &name_of_project);
    bool found;
    enum error error;

    query_bind_text(query, id);
    found = query_next(query);
    if (found)
        *name = query_text(query, 0, call->arena);
    error = query_end(query, call->problem);
    if (error || found)
        return error;
    return problem_set(call->problem, ERROR_NOT_FOUND, "project_not_found", "Project not found");
}

static enum error list(const struct key_call *call, const char *experiment_id,
                       struct object_list *keys)
{
    struct client_key *items = ARENA_ARRAY(call->arena, struct client_key, CLIENT_KEYS_MAX);
    struct query *query = db_query(call->db, &list_client_keys);
    enum error error;

    *keys = (struct object_list){.items = items};
    query_bind_text(query, experiment_id);
    while (keys->count < CLIENT_KEYS_MAX && query_next(query))
        key_row(query, call->arena, &items[keys->count++]);
    error = query_end(query, call->problem);
    for (size_t i = 0; !error && i < keys->count; i++)
        error = read_origins(call->db, call->arena, &items[i], call->problem);
    return error;
}

static enum error check_project(const struct key_call *call, const char *experiment_id)
{
    struct query *query = db_query(call->db, &project_exists);
    bool found;
    enum error error;

    query_bind_text(query, experiment_id);
    found = query_next(query);
    error = query_end(query, call->problem);
    if (error || found)
        return error;
    return problem_set(call->problem, ERROR_NOT_FOUND, "not_found", "Experiment not found");
}

enum error client_key_list(const struct key_call *call, const char *experiment_id,
                           struct object_list *keys)
{
    enum error error = db_begin(call->db, DB_READ, call->problem);

    if (error)
        return error;
    error = check_project(call, experiment_id);
    if (!error)
        error = list(call, experiment_id, keys);
    return db_finish(call->db, error, call->problem);
}

static enum error record(const struct key_call *call, const char *action, const char *experiment_id,
                         const char *project_name)
{
    const struct audit_event event = {
        .action = action, .project_id = experiment_id, .project_name = project_name};

    return audit_record(call->db, call->arena, call->actor, &event, call->problem);
}

static enum error insert(const struct key_call *call, const struct client_key *key)
{
    struct query *query = db_query(call->db, &insert_client_key);
    enum error error;

    query_bind_text(query, key->id);
    query_bind_text(query, key->experiment_id);
    query_bind_text(query, key->name);
    query_bind_text(query, key->client_key);
    query_bind_optional_integer(query, key->rate_limit_requests);
    query_bind_optional_integer(query, key->rate_limit_window_seconds);
    query_bind_text(query, key->created_by);
    query_bind_text(query, key->created_at);
    error = query_end(query, call->problem);
    for (size_t i = 0; !error && i < key->origins.count; i++) {
        query = db_query(call->db, &insert_origin);
        query_bind_text(query, key->id);
        query_bind_text(query, key->origins.items[i]);
        error = query_end(query, call->problem);
    }
    return error;
}

static void make_key(const struct key_call *call, const char *experiment_id, struct client_key *key)
{
    char secret[TOKEN_TEXT_MAX];
    char *id = arena_alloc(call->arena, TOKEN_UUID_TEXT);

    token_uuid(id);
    token_random_text(CLIENT_KEY_BYTES, secret, sizeof secret);
    key->id = id;
    key->experiment_id = experiment_id;
    key->client_key = arena_print(call->arena, "%s%s", CLIENT_KEY_PREFIX, secret);
    key->created_by = call->actor->name;
    key->created_at = store_now(call->arena);
}

static enum error create(const struct key_call *call, const char *experiment_id,
                         struct client_key *key)
{
    const char *name = NULL;
    struct object_list keys;
    enum error error = lock_project(call, experiment_id, &name);

    if (!error)
        error = list(call, experiment_id, &keys);
    if (error)
        return error;
    if (keys.count >= CLIENT_KEYS_MAX)
        return problem_set(call->problem, ERROR_CONFLICT, "client_key_limit_reached",
                           "A project has at most %d client keys; delete one first",
                           CLIENT_KEYS_MAX);
    make_key(call, experiment_id, key);
    error = insert(call, key);
    return error ? error : record(call, "client_key.create", experiment_id, name);
}

enum error client_key_create(const struct key_call *call, const char *experiment_id,
                             const struct client_key *request, struct client_key *key)
{
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    if (error)
        return error;
    *key = *request;
    return db_finish(call->db, create(call, experiment_id, key), call->problem);
}

static enum error remove_key(const struct key_call *call, const char *experiment_id, const char *id)
{
    const char *name = NULL;
    struct query *query;
    int64_t changes;
    enum error error = lock_project(call, experiment_id, &name);

    if (error)
        return error;
    query = db_query(call->db, &delete_client_key);
    query_bind_text(query, id);
    query_bind_text(query, experiment_id);
    changes = query_changes(query);
    error = query_end(query, call->problem);
    if (!error && !changes)
        return problem_set(call->problem, ERROR_NOT_FOUND, "not_found", "Client key not found");
    return error ? error : record(call, "client_key.delete", experiment_id, name);
}

enum error client_key_delete(const struct key_call *call, const char *experiment_id, const char *id)
{
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    return error ? error : db_finish(call->db, remove_key(call, experiment_id, id), call->problem);
}
