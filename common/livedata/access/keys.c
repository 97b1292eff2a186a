/* Keys of settings, and all SQL of issued ones. */
#include "livedata/access/keys.h"

#include "base/yaml.h"
#include "crypto/digest.h"
#include "crypto/token.h"
#include "db/query.h"
#include "livedata/catalog/catalog.h"
#include "livedata/timestamp.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { KEYS_MAX = 1000, SECRET_BYTES = 32, LISTED_MAX = 10000, MARK_DIGITS = 8 };

#define KEY_COLUMNS                                                                                \
    "key_id, name, tenant_id, key_lookup, rate_limit_rpm, allowed_entity_types, can_ingest,"       \
    " created_at, previous_lookup, previous_until"

static const struct statement find_key = {
    .name = "live_key_find",
    .sql = "SELECT " KEY_COLUMNS ", 0 FROM api_keys WHERE key_lookup = ? UNION ALL"
           " SELECT " KEY_COLUMNS ", 1 FROM api_keys WHERE previous_lookup = ?"
           " AND previous_until > ?",
};
static const struct statement any_key = {
    .name = "live_key_any",
    .sql = "SELECT 1 FROM api_keys LIMIT 1",
};
static const struct statement count_keys = {
    .name = "live_key_count",
    .sql = "SELECT count(*) FROM api_keys WHERE tenant_id = ?",
};
static const struct statement insert_key = {
    .name = "live_key_insert",
    .sql = "INSERT INTO api_keys (key_id, name, tenant_id, key_lookup, rate_limit_rpm,"
           " allowed_entity_types, can_ingest, created_at) VALUES (?, ?, ?, ?, ?, ?, 1, ?)",
};
static const struct statement list_keys = {
    .name = "live_key_list",
    .sql = "SELECT " KEY_COLUMNS ", 0 FROM api_keys ORDER BY tenant_id, name, key_id LIMIT ?",
};
static const struct statement read_key = {
    .name = "live_key_read",
    .sql = "SELECT " KEY_COLUMNS ", 0 FROM api_keys WHERE key_id = ? {for_update}",
};
static const struct statement rotate_key = {
    .name = "live_key_rotate",
    .sql = "UPDATE api_keys SET previous_lookup = key_lookup, previous_until = ?, key_lookup = ?"
           " WHERE key_id = ?",
};
static const struct statement revoke_old = {
    .name = "live_key_revoke_old",
    .sql = "UPDATE api_keys SET previous_lookup = NULL, previous_until = NULL WHERE key_id = ?",
};
static const struct statement delete_key = {
    .name = "live_key_delete",
    .sql = "DELETE FROM api_keys WHERE key_id = ? OR key_lookup = ?",
};

void key_lookup_of(const struct livedata_settings *settings, const char *key,
                   char lookup[KEY_LOOKUP_TEXT])
{
    digest_hmac_sha256_hex(settings->lookup_pepper, strlen(settings->lookup_pepper), key,
                           strlen(key), lookup);
}

/* "<tenant>-<name>-<8 hex>", with what is no letter or digit as dashes. */
static const char *id_of(struct arena *arena, const char *tenant, const char *name,
                         const char *lookup)
{
    char *id = arena_print(arena, "%s-%s-%.*s", tenant, name, MARK_DIGITS, lookup);

    for (char *at = id; *at; at++)
        *at = isalnum((unsigned char)*at) ? (char)tolower((unsigned char)*at) : '-';
    return id;
}

static struct live_key *add_key(struct arena *arena, const struct livedata_settings *settings,
                                struct live_keys *keys, const char *plaintext, const char *name,
                                const char *tenant)
{
    struct live_key *key = &keys->items[keys->count++];
    char lookup[KEY_LOOKUP_TEXT];

    key_lookup_of(settings, plaintext, lookup);
    *key = (struct live_key){.name = name,
                             .tenant = tenant,
                             .lookup = arena_copy_string(arena, lookup),
                             .rate_limit_rpm = settings->rate_limit_rpm,
                             .can_ingest = !settings->demo_mode};
    key->key_id = id_of(arena, tenant, name, lookup);
    return key;
}

static enum error load_list(struct arena *arena, const struct livedata_settings *settings,
                            struct live_keys *keys, struct problem *problem)
{
    const char *at = settings->api_keys ? settings->api_keys : "";

    while (*at && keys->count < KEYS_MAX) {
        size_t length = strcspn(at, ",");
        const char *item = arena_copy(arena, at, length), *colon = strrchr(item, ':');

        if (!colon || colon == item || !colon[1])
            return problem_set(problem, ERROR_INVALID, "setting_invalid",
                               "LIVE_API_KEYS must be key:name,key:name");
        (void)add_key(arena, settings, keys, arena_copy(arena, item, (size_t)(colon - item)),
                      colon + 1, "default");
        at += length + (at[length] == ',');
    }
    return ERROR_NONE;
}

static bool read_entry(struct arena *arena, const struct livedata_settings *settings,
                       const json_t *json, struct live_keys *keys)
{
    const char *plain = catalog_text(json, "key", arena), *name = catalog_text(json, "name", arena),
               *tenant = catalog_text(json, "tenant", arena),
               *hash = catalog_text(json, "key_hash", arena);
    const json_t *types = json_object_get(json, "allowed_entity_types"),
                 *rpm = json_object_get(json, "rate_limit_rpm"),
                 *ingest = json_object_get(json, "can_ingest");
    static const char scheme[] = "hmac-sha256$";
    bool hashed = hash && strncmp(hash, scheme, sizeof scheme - 1) == 0;
    struct live_key *key;

    tenant = tenant ? tenant : "default";
    if (!name || !tenant_is_name(tenant) || (!plain && !hashed))
        return false;
    key = add_key(arena, settings, keys, plain ? plain : "", name, tenant);
    if (!plain)
        key->lookup = hash + sizeof scheme - 1;
    if (catalog_text(json, "key_id", arena))
        key->key_id = catalog_text(json, "key_id", arena);
    if (json_is_integer(rpm) && json_integer_value(rpm) >= 1)
        key->rate_limit_rpm = json_integer_value(rpm);
    if (json_is_boolean(ingest))
        key->can_ingest = json_is_true(ingest);
    if (json_is_array(types)) {
        struct string_list *list = ARENA_NEW(arena, struct string_list);

        *list = json_strings(arena, types);
        key->types = list;
    }
    return true;
}

static enum error load_file(struct arena *arena, const struct livedata_settings *settings,
                            struct live_keys *keys, struct problem *problem)
{
    const json_t *list, *item;
    json_t *json;
    size_t i;
    enum error error;

    if (!settings->keys_file)
        return ERROR_NONE;
    error = yaml_read_file(arena, settings->keys_file, &json, problem);
    if (error)
        return error;
    list = json_object_get(json, "keys");
    json_array_foreach(list, i, item)
    {
        if (keys->count >= KEYS_MAX || !read_entry(arena, settings, item, keys))
            return problem_set(problem, ERROR_INVALID, "config_invalid",
                               "%s: a key needs a name and key, or key_hash as hmac-sha256$<hex>",
                               settings->keys_file);
    }
    return ERROR_NONE;
}

enum error keys_load(struct arena *arena, const struct livedata_settings *settings,
                     struct live_keys *keys, struct problem *problem)
{
    enum error error;

    *keys = (struct live_keys){.items = ARENA_ARRAY(arena, struct live_key, KEYS_MAX + 1)};
    if (settings->demo_mode) {
        struct live_key *demo =
            add_key(arena, settings, keys, settings->demo_key, "demo", "default");

        demo->key_id = "demo-public";
        demo->rate_limit_rpm = 60;
    }
    error = load_list(arena, settings, keys, problem);
    return error ? error : load_file(arena, settings, keys, problem);
}

static const struct string_list *read_types(struct arena *arena, const char *joined)
{
    struct string_list *types;
    struct json_fault fault;
    json_t *json;

    if (!joined || json_read(arena, joined, strlen(joined), JSON_DEPTH_LIMIT, &json, &fault))
        return NULL;
    types = ARENA_NEW(arena, struct string_list);
    *types = json_strings(arena, json);
    return types;
}

static void take_key(struct query *query, struct arena *arena, struct live_key *key)
{
    *key = (struct live_key){.key_id = query_text(query, 0, arena),
                             .name = query_text(query, 1, arena),
                             .tenant = query_text(query, 2, arena),
                             .lookup = query_text(query, 3, arena),
                             .rate_limit_rpm = query_integer(query, 4),
                             .types = read_types(arena, query_text_or_null(query, 5, arena)),
                             .can_ingest = query_boolean(query, 6),
                             .created_at = query_integer(query, 7),
                             .previous_lookup = query_text_or_null(query, 8, arena),
                             .previous_until = query_optional_integer(query, 9).value,
                             .by_previous = query_integer(query, 10) != 0};
}

enum error live_key_find(const struct keys_call *call, const char *lookup, struct live_key *key,
                         bool *found)
{
    struct query *query = db_query(call->db, &find_key);

    query_bind_text(query, lookup);
    query_bind_text(query, lookup);
    query_bind_integer(query, call->now);
    *found = query_next(query);
    if (*found)
        take_key(query, call->arena, key);
    return query_end(query, call->problem);
}

enum error live_key_any(const struct keys_call *call, bool *any)
{
    struct query *query = db_query(call->db, &any_key);

    *any = query_next(query);
    return query_end(query, call->problem);
}

static enum error check_quota(const struct keys_call *call, const char *tenant)
{
    const struct tenant *known = tenant_find(call->tenants, tenant);
    struct query *query;
    int64_t count = 0;
    enum error error;

    if (!known || !known->keys_most)
        return ERROR_NONE;
    query = db_query(call->db, &count_keys);
    query_bind_text(query, tenant);
    count = query_next(query) ? query_integer(query, 0) : 0;
    error = query_end(query, call->problem);
    if (error || count < known->keys_most)
        return error;
    return problem_set(call->problem, ERROR_CONFLICT, "key_quota",
                       "Tenant '%s' has its %lld API keys already.", tenant,
                       (long long)known->keys_most);
}

static const char *slug(struct arena *arena, const char *text)
{
    char *copy = arena_copy_string(arena, text);

    for (char *at = copy; *at; at++)
        *at = isalnum((unsigned char)*at) ? (char)tolower((unsigned char)*at) : '-';
    return copy;
}

static const char *new_plaintext(const struct keys_call *call, const char *tenant, const char *name)
{
    char secret[TOKEN_TEXT_MAX];

    token_random_text(SECRET_BYTES, secret, sizeof secret);
    return arena_print(call->arena, "live-%s-%s-%s", slug(call->arena, tenant),
                       slug(call->arena, name), secret);
}

static const char *types_json(struct arena *arena, const struct string_list *types)
{
    return types ? json_of_strings(arena, 4096, types->items, types->count) : NULL;
}

enum error live_key_issue(const struct keys_call *call, const struct key_request *order,
                          struct live_key *key, const char **plaintext)
{
    char lookup[KEY_LOOKUP_TEXT];
    struct query *query;
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    if (error)
        return error;
    *plaintext = new_plaintext(call, order->tenant, order->name);
    key_lookup_of(call->settings, *plaintext, lookup);
    *key = (struct live_key){.key_id = id_of(call->arena, order->tenant, order->name, lookup),
                             .name = order->name,
                             .tenant = order->tenant,
                             .rate_limit_rpm = order->rate_limit_rpm,
                             .types = order->types,
                             .can_ingest = true,
                             .created_at = call->now};
    error = db_lock(call->db, "livedata.keys", call->problem);
    if (!error)
        error = check_quota(call, order->tenant);
    if (!error) {
        query = db_query(call->db, &insert_key);
        query_bind_text(query, key->key_id);
        query_bind_text(query, key->name);
        query_bind_text(query, key->tenant);
        query_bind_text(query, lookup);
        query_bind_integer(query, key->rate_limit_rpm);
        query_bind_text(query, types_json(call->arena, key->types));
        query_bind_integer(query, call->now);
        error = query_end(query, call->problem);
    }
    return db_finish(call->db, error, call->problem);
}

enum error live_key_list(const struct keys_call *call, struct live_keys *keys)
{
    struct query *query = db_query(call->db, &list_keys);

    *keys = (struct live_keys){.items = ARENA_ARRAY(call->arena, struct live_key, LISTED_MAX)};
    query_bind_integer(query, LISTED_MAX);
    while (keys->count < LISTED_MAX && query_next(query))
        take_key(query, call->arena, &keys->items[keys->count++]);
    return query_end(query, call->problem);
}

enum error live_key_read(const struct keys_call *call, const char *key_id, struct live_key *key)
{
    struct query *query = db_query(call->db, &read_key);
    enum error error;
    bool found;

    query_bind_text(query, key_id);
    found = query_next(query);
    if (found)
        take_key(query, call->arena, key);
    error = query_end(query, call->problem);
    if (error || found)
        return error;
    return problem_set(call->problem, ERROR_NOT_FOUND, "key_not_found",
                       "API key '%.200s' not found.", key_id);
}

enum error live_key_rotate(const struct keys_call *call, const char *key_id, const char **plaintext,
                           int64_t *expires_at)
{
    char lookup[KEY_LOOKUP_TEXT];
    struct live_key key;
    struct query *query;
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    if (error)
        return error;
    error = live_key_read(call, key_id, &key);
    if (!error && key.previous_lookup && key.previous_until > call->now)
        error = problem_set(call->problem, ERROR_CONFLICT, "rotation_in_progress",
                            "Rotation already in progress.");
    if (!error) {
        *expires_at = call->now + call->settings->rotation_grace_seconds * us_per_second;
        *plaintext = new_plaintext(call, key.tenant, key.name);
        key_lookup_of(call->settings, *plaintext, lookup);
        query = db_query(call->db, &rotate_key);
        query_bind_integer(query, *expires_at);
        query_bind_text(query, lookup);
        query_bind_text(query, key_id);
        error = query_end(query, call->problem);
    }
    return db_finish(call->db, error, call->problem);
}

enum error live_key_revoke_old(const struct keys_call *call, const char *key_id)
{
    struct live_key key;
    struct query *query;
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    if (error)
        return error;
    error = live_key_read(call, key_id, &key);
    if (!error && (!key.previous_lookup || key.previous_until <= call->now))
        error = problem_set(call->problem, ERROR_CONFLICT, "no_old_key",
                            "No old key is pending revocation.");
    if (!error) {
        query = db_query(call->db, &revoke_old);
        query_bind_text(query, key_id);
        error = query_end(query, call->problem);
    }
    return db_finish(call->db, error, call->problem);
}

enum error live_key_delete(const struct keys_call *call, const char *key_id)
{
    struct query *query = db_query(call->db, &delete_key);
    char lookup[KEY_LOOKUP_TEXT];
    int64_t changes;
    enum error error;

    key_lookup_of(call->settings, key_id, lookup);
    query_bind_text(query, key_id);
    query_bind_text(query, lookup);
    changes = query_changes(query);
    error = query_end(query, call->problem);
    if (error || changes)
        return error;
    return problem_set(call->problem, ERROR_NOT_FOUND, "key_not_found",
                       "API key '%.200s' not found.", key_id);
}
