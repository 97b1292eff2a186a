/* SQL of webhook subscriptions. */
#include "experiments/webhooks/subscription_store.h"
#include "base/clock.h"
#include "crypto/token.h"
#include "db/query.h"
#include "experiments/audit/audit_store.h"
#include "experiments/webhooks/subscription_body.h"
#include "net/address.h"

#include <netdb.h>
#include <string.h>

enum { FILTER_BYTES_MAX = 4 * 1024 * 1024 };

const char *const subscription_scope_names[SUBSCRIPTION_SCOPE__MAX] = {"global", "api_key"};

#define OWNER struct subscription
static const struct field subscription_fields[] = {
    STRING(OWNER, id),
    STRING(OWNER, name),
    STRING(OWNER, target_url),
    STRING(OWNER, secret, .nullable = true, .secret = true,
           .help = "In the answer that makes it, and never again."),
    CHOICE(OWNER, format, subscription_format_names, .choice_count = FORMAT__MAX),
    STRINGS(OWNER, event_filter),
    CHOICE(OWNER, scope, subscription_scope_names, .choice_count = SUBSCRIPTION_SCOPE__MAX),
    STRING(OWNER, api_key_id, .nullable = true),
    STRING(OWNER, created_at),
    STRING(OWNER, updated_at),
    STRING(OWNER, last_delivered_at, .nullable = true),
    STRING(OWNER, last_error_at, .nullable = true),
    BOOLEAN(OWNER, enabled),
};
#undef OWNER
SCHEMA(webhook_schema, struct subscription, "Webhook", subscription_fields,
       .help = "Receivers of entries of the audit log.");

#define COLUMNS                                                                                    \
    "SELECT id, name, target_url, format, event_filter, scope, api_key_id, created_at,"            \
    " updated_at, last_delivered_at, last_error_at, enabled FROM webhook_subscriptions"

static const struct statement list_all = {
    .name = "subscription_list",
    .sql = COLUMNS " ORDER BY created_at DESC, id DESC",
};
static const struct statement read_one = {
    .name = "subscription_read",
    .sql = COLUMNS " WHERE id = ?",
};
static const struct statement lock_one = {
    .name = "subscription_lock",
    .sql = COLUMNS " WHERE id = ? {for_update}",
};
static const struct statement count_all = {
    .name = "subscription_count",
    .sql = "SELECT count(*) FROM webhook_subscriptions",
};
static const struct statement insert_one = {
    .name = "subscription_insert",
    .sql = "INSERT INTO webhook_subscriptions (id, name, target_url, secret, format, event_filter,"
           " scope, api_key_id, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
};
static const struct statement update_one = {
    .name = "subscription_update",
    .sql =
        "UPDATE webhook_subscriptions SET name = ?, target_url = ?, secret = coalesce(?, secret),"
        " format = ?, event_filter = ?, scope = ?, api_key_id = ?, enabled = ?, updated_at = ?"
        " WHERE id = ?",
};
static const struct statement delete_one = {
    .name = "subscription_delete",
    .sql = "DELETE FROM webhook_subscriptions WHERE id = ?",
};
static const struct statement delete_totals = {
    .name = "subscription_delete_totals",
    .sql = "DELETE FROM delivery_totals WHERE subscription_id = ?",
};
static const struct statement find_key = {
    .name = "subscription_key",
    .sql = "SELECT 1 FROM api_keys WHERE id = ?",
};

static enum error refuse_url(struct problem *problem, const char *text)
{
    return problem_set(problem, ERROR_INVALID, "webhook_target", "target_url %s", text);
}

/* Every way to write an address counts, also as one number or in octal. */
static enum error refuse_hidden_address(const char *host, bool local, struct problem *problem)
{
    const struct addrinfo hints = {.ai_flags = AI_NUMERICHOST, .ai_socktype = SOCK_STREAM};
    char bare[EGRESS_HOST_MAX];
    struct addrinfo *found;
    bool hidden;
    int code;

    (void)!snprintf(bare, sizeof bare, "%s", host[0] == '[' ? host + 1 : host);
    if (host[0] == '[')
        bare[strcspn(bare, "]")] = '\0';
    code = getaddrinfo(bare, NULL, &hints, &found);
    if (code == EAI_MEMORY)
        return problem_set(problem, ERROR_SYSTEM, "out_of_memory", "no memory for an address");
    if (code != 0)
        return ERROR_NONE; /* a name: resolved at each delivery */
    hidden = !address_may_be_called(address_classify(found->ai_addr), false, local);
    freeaddrinfo(found);
    return hidden ? refuse_url(problem, "must not be a non-public address") : ERROR_NONE;
}

enum error subscription_check_url(const char *url, bool local, struct problem *problem)
{
    char host[EGRESS_HOST_MAX];
    enum error error = egress_host(url, host, problem);

    if (error && error != ERROR_INVALID)
        return error;
    if (error || strstr(url, ":///"))
        return refuse_url(problem, "must be an https URL with a host and without credentials");
    if (strncasecmp(url, "https:", 6) != 0) {
        if (local && (strcmp(host, "localhost") == 0 || strcmp(host, "127.0.0.1") == 0))
            return ERROR_NONE;
        return refuse_url(problem, "must be https");
    }
    return refuse_hidden_address(host, local, problem);
}

static const char *filter_text(struct arena *arena, const struct string_list *filter)
{
    struct json_writer writer;
    struct text text;

    text_start(&text, arena, FILTER_BYTES_MAX);
    writer_start(&writer, &text);
    writer_open_array(&writer);
    for (size_t i = 0; i < filter->count; i++) {
        const char *kind = text_trimmed(arena, filter->items[i], strlen(filter->items[i]));

        if (*kind)
            writer_string(&writer, kind);
    }
    writer_close_array(&writer);
    return text.bytes;
}

static void read_row(struct query *query, struct arena *arena, struct subscription *row)
{
    *row = (struct subscription){0};
    query_read(query, &webhook_schema, row, arena);
}

static enum error fetch(const struct key_call *call, const struct statement *statement,
                        const char *id, struct subscription *row)
{
    enum error error = ERROR_NONE;
    bool found = false;

    if (store_is_id(id)) {
        struct query *query = db_query(call->db, statement);

        query_bind_text(query, id);
        found = query_next(query);
        if (found)
            read_row(query, call->arena, row);
        error = query_end(query, call->problem);
    }
    if (error || found)
        return error;
    return problem_set(call->problem, ERROR_NOT_FOUND, "webhook_not_found", "Webhook not found");
}

static enum error check_key(const struct key_call *call, const char *key_id)
{
    struct query *query;
    enum error error;
    bool found;

    if (!key_id)
        return ERROR_NONE;
    query = db_query(call->db, &find_key);
    query_bind_text(query, key_id);
    found = query_next(query);
    error = query_end(query, call->problem);
    if (error || found)
        return error;
    return problem_set(call->problem, ERROR_NOT_FOUND, "api_key_not_found", "API key not found");
}

static enum error count(const struct key_call *call, int64_t *total)
{
    struct query *query = db_query(call->db, &count_all);

    *total = query_next(query) ? query_integer(query, 0) : 0;
    return query_end(query, call->problem);
}

static enum error check_room(const struct key_call *call, int64_t most)
{
    int64_t total = 0;
    enum error error = db_lock(call->db, "webhook_subscriptions", call->problem);

    if (!error)
        error = count(call, &total);
    if (error || total < most)
        return error;
    return problem_set(call->problem, ERROR_CONFLICT, "webhook_limit_reached",
                       "There are %lld webhooks, as many as may be kept", (long long)total);
}

static enum error record(const struct key_call *call, const char *action, const char *key_id)
{
    return audit_record(call->db, call->arena, call->actor,
                        &(struct audit_event){.action = action, .key_id = key_id}, call->problem);
}

static enum error insert(const struct key_call *call, const char *id,
                         const struct subscription_request *new)
{
    struct query *query = db_query(call->db, &insert_one);
    const char *now = store_now(call->arena);

    query_bind_text(query, id);
    query_bind_text(query, new->name);
    query_bind_text(query, new->target_url);
    query_bind_text(query, new->secret);
    query_bind_text(query, subscription_format_names[new->format]);
    query_bind_json(query, filter_text(call->arena, &new->event_filter));
    query_bind_text(query, subscription_scope_names[new->scope]);
    query_bind_text(query, new->api_key_id);
    query_bind_text(query, now);
    query_bind_text(query, now);
    return query_end(query, call->problem);
}

enum error subscription_create(const struct key_call *call, const struct subscription_request *new,
                               int64_t most, struct subscription *subscription)
{
    char *id = arena_alloc(call->arena, TOKEN_UUID_TEXT);
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    if (error)
        return error;
    token_uuid(id);
    error = check_key(call, new->api_key_id);
    if (!error)
        error = check_room(call, most);
    if (!error)
        error = insert(call, id, new);
    if (!error)
        error = record(call, "webhook.create", new->api_key_id);
    if (!error)
        error = fetch(call, &read_one, id, subscription);
    subscription->secret = new->secret;
    return db_finish(call->db, error, call->problem);
}

enum error subscription_list(const struct key_call *call, struct object_list *list)
{
    struct query *query;
    int64_t total = 0;
    enum error error = db_begin(call->db, DB_READ, call->problem);

    *list = (struct object_list){0};
    if (error)
        return error;
    error = count(call, &total);
    list->items = ARENA_ARRAY(call->arena, struct subscription, (size_t)total);
    query = db_query(call->db, &list_all);
    while (list->count < (size_t)total && query_next(query))
        read_row(query, call->arena, (struct subscription *)list->items + list->count++);
    if (query_end(query, call->problem) && !error)
        error = call->problem->error;
    return db_finish(call->db, error, call->problem);
}

enum error subscription_read(const struct key_call *call, const char *id,
                             struct subscription *subscription)
{
    return fetch(call, &read_one, id, subscription);
}

static bool changes_nothing(const struct subscription_request *change)
{
    return !change->name && !change->target_url && !change->secret && change->format < 0 &&
           !change->event_filter.items && change->scope < 0 && !change->enabled.given;
}

static enum error write_change(const struct key_call *call, const struct subscription *old,
                               const struct subscription_request *change)
{
    struct query *query = db_query(call->db, &update_one);
    const struct string_list *filter =
        change->event_filter.items ? &change->event_filter : &old->event_filter;
    int scope = change->scope < 0 ? old->scope : change->scope;

    query_bind_text(query, change->name ? change->name : old->name);
    query_bind_text(query, change->target_url ? change->target_url : old->target_url);
    query_bind_text(query, change->secret);
    query_bind_text(query,
                    subscription_format_names[change->format < 0 ? old->format : change->format]);
    query_bind_json(query, filter_text(call->arena, filter));
    query_bind_text(query, subscription_scope_names[scope]);
    query_bind_text(query, change->scope < 0 ? old->api_key_id : change->api_key_id);
    query_bind_boolean(query, change->enabled.given ? change->enabled.value : old->enabled);
    query_bind_text(query, store_later(call->arena, old->updated_at));
    query_bind_text(query, old->id);
    return query_end(query, call->problem);
}

enum error subscription_update(const struct key_call *call, const char *id,
                               const struct subscription_request *change,
                               struct subscription *subscription)
{
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    if (error)
        return error;
    error = fetch(call, &lock_one, id, subscription);
    if (!error && !changes_nothing(change)) {
        error = check_key(call, change->api_key_id);
        if (!error)
            error = write_change(call, subscription, change);
        if (!error)
            error = record(call, "webhook.update", subscription->api_key_id);
        if (!error)
            error = fetch(call, &read_one, id, subscription);
    }
    return db_finish(call->db, error, call->problem);
}

enum error subscription_delete(const struct key_call *call, const char *id)
{
    struct subscription row;
    struct query *query;
    int64_t stopped;
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    if (error)
        return error;
    error = fetch(call, &lock_one, id, &row);
    if (!error)
        error = job_stop_lane(call->db, &experiments_webhook_kind.job, id, "the webhook is gone",
                              &stopped, call->problem);
    if (!error) {
        query = db_query(call->db, &delete_one);
        query_bind_text(query, id);
        error = query_end(query, call->problem);
    }
    if (!error) { /* after its deliveries have gone with it, and were counted */
        query = db_query(call->db, &delete_totals);
        query_bind_text(query, id);
        error = query_end(query, call->problem);
    }
    if (!error)
        error = record(call, "webhook.delete", row.api_key_id);
    return db_finish(call->db, error, call->problem);
}
