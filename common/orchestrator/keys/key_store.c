/* SQL of virtual keys, and generation of keys. */
#include "orchestrator/keys/key_rows.h"

#include "crypto/digest.h"
#include "crypto/token.h"

#include <string.h>

enum { SECRET_BYTES = 32, SECRET_TEXT = 43, PREFIX_SHOWN = 15, MODELS_BYTES_MAX = 1 << 16 };

static const char no_key[] = "This key does not exist.";

#define KEY_ROWS                                                                                   \
    STRING(OWNER, id), STRING(OWNER, name), STRING(OWNER, prefix, .help = "How the key begins."),  \
        STRING(OWNER, team_id, .nullable = true), STRING(OWNER, team_name, .nullable = true),      \
        STRING(OWNER, customer_id, .nullable = true),                                              \
        STRING(OWNER, customer_name, .nullable = true),                                            \
        STRINGS(OWNER, allowed_models, .help = "Ids of models; an empty list allows all."),        \
        NULLABLE_INTEGER(OWNER, requests_per_minute), NULLABLE_INTEGER(OWNER, tokens_per_minute),  \
        BOOLEAN(OWNER, stores_prompts,                                                             \
                .help = "False: prompts and answers of this key are never stored."),               \
        BOOLEAN(OWNER, redacts_prompts,                                                            \
                .help = "Personal data is replaced before models get it, and in tasks."),          \
        BOOLEAN(OWNER, active), MOMENT(OWNER, expires_at, .time = TIME_Z),                         \
        TIME(OWNER, created_at, .time = TIME_Z), STRING(OWNER, created_by, .nullable = true),      \
        MOMENT(OWNER, last_used_at, .time = TIME_Z),                                               \
        BOOLEAN(OWNER, team_active, .internal = true),                                             \
        BOOLEAN(OWNER, customer_active, .internal = true),                                         \
        INTEGER(OWNER, read_at, .internal = true)

#define OWNER struct virtual_key
static const struct field key_fields[] = {KEY_ROWS};
static const struct field created_fields[] = {
    KEY_ROWS, STRING(OWNER, key, .secret = true, .help = "Shown here and never again.")};
#undef OWNER
SCHEMA(virtual_key_schema, struct virtual_key, "VirtualKey", key_fields);
SCHEMA(created_virtual_key_schema, struct virtual_key, "CreatedVirtualKey", created_fields);

#define SELECT_KEY                                                                                 \
    "SELECT k.key_id AS id, k.name, k.key_prefix AS prefix, k.team_id, t.name AS team_name,"       \
    " t.customer_id, c.name AS customer_name, k.allowed_models, k.requests_per_minute,"            \
    " k.tokens_per_minute, k.stores_prompts, k.redacts_prompts, k.active, k.expires_at, "          \
    "k.created_at, k.created_by,"                                                                  \
    " k.last_used_at, coalesce(t.active, 1) AS team_active,"                                       \
    " coalesce(c.active, 1) AS customer_active, {now_microseconds} AS read_at FROM orch_keys AS k" \
    " LEFT JOIN orch_teams AS t ON t.team_id = k.team_id"                                          \
    " LEFT JOIN orch_customers AS c ON c.customer_id = t.customer_id"
static const struct statement list_keys = {
    .name = "orch_keys_list",
    .sql = SELECT_KEY " ORDER BY k.name, k.key_id",
};
static const struct statement read_key = {
    .name = "orch_key_read",
    .sql = SELECT_KEY " WHERE k.key_id = ?",
};
static const struct statement find_key = {
    .name = "orch_key_find",
    .sql = SELECT_KEY " WHERE k.key_hash = ?",
};
static const struct statement insert_key = {
    .name = "orch_key_insert",
    .sql = "INSERT INTO orch_keys (key_id, key_hash, key_prefix, created_by, team_id, name,"
           " allowed_models, requests_per_minute, tokens_per_minute, stores_prompts,"
           " redacts_prompts, active, expires_at, created_at)"
           " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,"
           " {now_microseconds})",
};
static const struct statement update_key = {
    .name = "orch_key_update",
    .sql = "UPDATE orch_keys SET team_id = ?, name = ?, allowed_models = ?,"
           " requests_per_minute = ?, tokens_per_minute = ?, stores_prompts = ?,"
           " redacts_prompts = ?, active = ?,"
           " expires_at = ? WHERE key_id = ?",
};
static const struct statement delete_key = {
    .name = "orch_key_delete",
    .sql = "DELETE FROM orch_keys WHERE key_id = ?",
};
static const struct statement touch_key = {
    .name = "orch_key_touch",
    .sql = "UPDATE orch_keys SET last_used_at = {now_microseconds} WHERE key_id = ?"
           " AND (last_used_at IS NULL OR last_used_at < {now_microseconds} - 60000000)",
};

static const char *models_text(struct arena *arena, const struct string_list *models)
{
    struct json_writer writer;
    struct text text;

    text_start(&text, arena, MODELS_BYTES_MAX);
    writer_start(&writer, &text);
    writer_open_array(&writer);
    for (size_t i = 0; i < models->count; i++)
        writer_string(&writer, models->items[i]);
    writer_close_array(&writer);
    return text.bytes;
}

/* The values that an administrator sets. */
static void bind_key(const struct key_store_call *call, struct query *query,
                     const struct virtual_key *key)
{
    query_bind_text(query, key->team_id);
    query_bind_text(query, key->name);
    query_bind_text(query, models_text(call->arena, &key->allowed_models));
    query_bind_optional_integer(query, key->requests_per_minute);
    query_bind_optional_integer(query, key->tokens_per_minute);
    query_bind_boolean(query, key->stores_prompts);
    query_bind_boolean(query, key->redacts_prompts);
    query_bind_boolean(query, key->active);
    query_bind_optional_integer(query, key->expires_at);
}

static enum error fetch(const struct key_store_call *call, const struct statement *statement,
                        const char *value, struct virtual_key *key, bool *found)
{
    struct query *query = db_query(call->db, statement);

    *key = (struct virtual_key){0};
    query_bind_text(query, value);
    return query_read_one(query, &virtual_key_schema, key, call->arena, found, call->problem);
}

enum error virtual_key_add(const struct key_store_call *call, struct virtual_key *key)
{
    char secret[TOKEN_TEXT_MAX], hash[DIGEST_SHA256_TEXT];
    struct query *query = db_query(call->db, &insert_key);

    token_random_text(SECRET_BYTES, secret, sizeof secret);
    key->key = arena_print(call->arena, VIRTUAL_KEY_PREFIX "%s", secret);
    key->id = new_row_id(call->arena);
    key->prefix = arena_copy(call->arena, key->key, PREFIX_SHOWN);
    digest_sha256_hex(key->key, strlen(key->key), hash);
    query_bind_text(query, key->id);
    query_bind_text(query, hash);
    query_bind_text(query, key->prefix);
    query_bind_text(query, key->created_by);
    bind_key(call, query, key);
    return owner_error(call, query_end(query, call->problem));
}

enum error virtual_key_update(const struct key_store_call *call, const struct virtual_key *key)
{
    struct query *query = db_query(call->db, &update_key);

    bind_key(call, query, key);
    query_bind_text(query, key->id);
    return owner_end(call, query, "key_not_found", no_key);
}

enum error virtual_key_delete(const struct key_store_call *call, const char *id)
{
    return owner_delete(call, &delete_key, id, "key_not_found", no_key);
}

enum error virtual_key_list(const struct key_store_call *call, struct object_list *list)
{
    return rows_list(call, &list_keys, &virtual_key_schema, list);
}

enum error virtual_key_read(const struct key_store_call *call, const char *id,
                            struct virtual_key *key)
{
    bool found;
    enum error error = fetch(call, &read_key, id, key, &found);

    if (error || found)
        return error;
    return problem_set(call->problem, ERROR_NOT_FOUND, "key_not_found", "%s", no_key);
}

bool virtual_key_is(const char *credential)
{
    return credential && strncmp(credential, VIRTUAL_KEY_PREFIX, strlen(VIRTUAL_KEY_PREFIX)) == 0 &&
           strlen(credential) == strlen(VIRTUAL_KEY_PREFIX) + SECRET_TEXT;
}

enum error virtual_key_find(const struct key_store_call *call, const char *secret,
                            struct virtual_key *key, bool *found)
{
    char hash[DIGEST_SHA256_TEXT];

    digest_sha256_hex(secret, strlen(secret), hash);
    return fetch(call, &find_key, hash, key, found);
}

const char *virtual_key_fault(const struct virtual_key *key)
{
    if (!key->active)
        return "This key is switched off.";
    if (!key->team_active || !key->customer_active)
        return key->team_active ? "The customer of this key is switched off."
                                : "The team of this key is switched off.";
    if (key->expires_at.given && key->expires_at.value <= key->read_at)
        return "This key has expired.";
    return NULL;
}

enum error virtual_key_touch(const struct key_store_call *call, const char *id)
{
    struct query *query = db_query(call->db, &touch_key);

    query_bind_text(query, id);
    return query_end(query, call->problem);
}
