/* Registered programs: all SQL about them. */
#include "accounts/oauth_clients.h"

#include "accounts/oauth_internal.h"
#include "accounts/oauth_redirect.h"
#include "accounts/store_internal.h"
#include "base/clock.h"
#include "base/json.h"
#include "text/fold.h"

#include <string.h>

enum { URIS_JSON_MAX = 16384 };

#define HOUR_US INT64_C(3600000000)

#define OWNER struct oauth_client
static const struct field client_fields[] = {
    STRING(OWNER, id),       STRING(OWNER, name),          STRINGS(OWNER, redirect_uris),
    TIME(OWNER, created_at), TIME_OR_NULL(OWNER, used_at),
};
#undef OWNER
static SCHEMA(client_schema, struct oauth_client, "OauthClient", client_fields);

static const struct statement insert_client = {
    .name = "oauth_client_insert",
    .sql = "INSERT INTO oauth_clients (id, name, redirect_uris, network, created_at)"
           " VALUES (?, ?, ?, ?, ?)",
};
static const struct statement find_client = {
    .name = "oauth_client_find",
    .sql = "SELECT id, name, redirect_uris, created_at, used_at FROM oauth_clients WHERE id = ?",
};
static const struct statement count_clients = {
    .name = "oauth_client_count",
    .sql = "SELECT (SELECT count(*) FROM oauth_clients), (SELECT count(*) FROM oauth_clients"
           " WHERE network = ? AND used_at IS NULL)",
};
static const struct statement purge_grants = {
    .name = "oauth_grant_purge",
    .sql = "DELETE FROM oauth_grants WHERE ends_at <= {now_microseconds}"
           " OR (exchanged_at IS NULL AND code_ends_at <= {now_microseconds})"
           " OR (exchanged_at IS NOT NULL AND refresh_ends_at <= {now_microseconds}"
           " AND access_ends_at <= {now_microseconds})",
};
static const struct statement purge_clients = {
    .name = "oauth_client_purge",
    .sql = "DELETE FROM oauth_clients WHERE coalesce(used_at, 0) < ? AND (used_at IS NOT NULL OR"
           " created_at < ?) AND NOT EXISTS (SELECT 1 FROM oauth_grants WHERE client_id ="
           " oauth_clients.id)",
};
/* Unused ones first, then those that nobody lets in any more. */
static const struct statement make_room = {
    .name = "oauth_client_make_room",
    .sql = "DELETE FROM oauth_clients WHERE id = (SELECT id FROM oauth_clients WHERE NOT EXISTS"
           " (SELECT 1 FROM oauth_grants WHERE client_id = oauth_clients.id)"
           " ORDER BY used_at IS NOT NULL, coalesce(used_at, created_at), id LIMIT 1)",
};

/* A name may have blanks, but nothing else that nobody sees. */
static bool is_name(struct arena *arena, const char *name)
{
    char *visible = arena_copy_string(arena, name);

    for (char *at = visible; *at; at++)
        if (*at == ' ')
            *at = '-';
    return *name && utf8_count(name) <= OAUTH_CLIENT_NAME_MAX && !text_has_invisible(visible);
}

static enum error check(const struct accounts_call *call, const struct new_oauth_client *wanted)
{
    if (wanted->name && !is_name(call->arena, wanted->name))
        return problem_set(call->problem, ERROR_INVALID, "invalid_client_metadata",
                           "client_name has 1 to %d visible characters", OAUTH_CLIENT_NAME_MAX);
    if (wanted->redirect_uris.count < 1 || wanted->redirect_uris.count > OAUTH_REDIRECTS_MAX)
        return problem_set(call->problem, ERROR_INVALID, "invalid_redirect_uri",
                           "redirect_uris has 1 to %d addresses", OAUTH_REDIRECTS_MAX);
    for (size_t i = 0; i < wanted->redirect_uris.count; i++)
        if (oauth_redirect_kind_of(wanted->redirect_uris.items[i]) == OAUTH_REDIRECT_NONE)
            return problem_set(call->problem, ERROR_INVALID, "invalid_redirect_uri",
                               "redirect_uris.%zu must be https, http at this computer, or of a "
                               "scheme of the program's own, without a fragment",
                               i);
    return ERROR_NONE;
}

enum error oauth_grants_purge(const struct accounts_call *call)
{
    return query_end(db_query(call->db, &purge_grants), call->problem);
}

/* Grants that have ended, then programs that nobody uses. */
static enum error purge(const struct accounts_call *call, const struct oauth_config *config)
{
    int64_t now = clock_unix_microseconds();
    enum error error = oauth_grants_purge(call);
    struct query *query;

    if (error)
        return error;
    query = db_query(call->db, &purge_clients);
    query_bind_integer(query, now - config->unused_days * 24 * HOUR_US);
    query_bind_integer(query, now - config->unused_hours * HOUR_US);
    return query_end(query, call->problem);
}

static enum error find_room(const struct accounts_call *call, const struct oauth_config *config,
                            const char *network)
{
    struct query *query = db_query(call->db, &count_clients);
    int64_t all = 0, unused = 0, removed = 0;
    enum error error;

    query_bind_text(query, network);
    if (query_next(query)) {
        all = query_integer(query, 0);
        unused = query_integer(query, 1);
    }
    error = query_end(query, call->problem);
    if (error)
        return error;
    if (unused >= config->clients_per_network)
        return problem_set(call->problem, ERROR_BUSY, "too_many_clients",
                           "too many programs were registered from this address and not used");
    if (all < config->clients_max)
        return ERROR_NONE;
    if (config->clients_max > 0) {
        query = db_query(call->db, &make_room);
        removed = query_changes(query);
        error = query_end(query, call->problem);
    }
    if (error || removed)
        return error;
    return problem_set(call->problem, ERROR_BUSY, "too_many_clients",
                       "no more programs may be registered");
}

static enum error insert(const struct accounts_call *call, const struct oauth_client *client,
                         const char *network)
{
    struct query *query = db_query(call->db, &insert_client);

    query_bind_text(query, client->id);
    query_bind_text(query, client->name);
    query_bind_json(query, json_of_strings(call->arena, URIS_JSON_MAX, client->redirect_uris.items,
                                           client->redirect_uris.count));
    query_bind_text(query, network);
    query_bind_integer(query, client->created_at);
    return query_end(query, call->problem);
}

enum error oauth_client_add(const struct accounts_call *call, const struct oauth_config *config,
                            const struct new_oauth_client *wanted, struct oauth_client *client)
{
    enum error error = check(call, wanted);

    if (!error)
        error = db_begin(call->db, DB_WRITE, call->problem);
    if (error)
        return error;
    *client = (struct oauth_client){
        .id = accounts_new_id(call->arena),
        .name = wanted->name ? wanted->name
                             : oauth_redirect_shown(call->arena, wanted->redirect_uris.items[0]),
        .redirect_uris = wanted->redirect_uris,
        .created_at = clock_unix_microseconds()};
    error = db_lock(call->db, "oauth_clients", call->problem);
    if (!error)
        error = purge(call, config);
    if (!error)
        error = find_room(call, config, wanted->network);
    if (!error)
        error = insert(call, client, wanted->network);
    return db_finish(call->db, error, call->problem);
}

enum error oauth_client_find(const struct accounts_call *call, const char *id,
                             struct oauth_client *client)
{
    struct query *query = db_query(call->db, &find_client);
    bool found;
    enum error error;

    *client = (struct oauth_client){0};
    query_bind_text(query, id);
    error = query_read_one(query, &client_schema, client, call->arena, &found, call->problem);
    if (error || found)
        return error;
    return problem_set(call->problem, ERROR_NOT_FOUND, "oauth_client_unknown",
                       "no program is registered under this client_id");
}
