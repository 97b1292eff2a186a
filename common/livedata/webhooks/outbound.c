/* All SQL of registered webhooks, and the matching of rows with their filters. */
#include "livedata/webhooks/outbound.h"

#include "base/list.h"
#include "base/number.h"
#include "crypto/token.h"
#include "db/query.h"
#include "livedata/access/types.h"
#include "livedata/timestamp.h"

#include <string.h>

enum { SECRET_BYTES = 32, SECRET_TEXT = 44, BODY_BYTES_MAX = 512 * 1024, TEST_BYTES_MAX = 4096 };

#define WEBHOOK_COLUMNS                                                                            \
    "id, tenant_id AS tenant, url, secret, filters, active, created_at, entity_types AS types"

static const struct statement insert_webhook = {
    .name = "live_webhook_insert",
    .sql = "INSERT INTO webhook_registrations (id, tenant_id, url, secret, filters, entity_types,"
           " active, created_at) VALUES (?, ?, ?, ?, ?, ?, 1, ?)",
};
static const struct statement list_webhooks = {
    .name = "live_webhook_list",
    .sql = "SELECT " WEBHOOK_COLUMNS " FROM webhook_registrations WHERE tenant_id = ?"
           " AND active = 1 ORDER BY created_at, id",
};
static const struct statement count_webhooks = {
    .name = "live_webhook_count",
    .sql = "SELECT count(*) FROM webhook_registrations WHERE tenant_id = ? AND active = 1",
};
static const struct statement find_webhook = {
    .name = "live_webhook_find",
    .sql = "SELECT " WEBHOOK_COLUMNS " FROM webhook_registrations WHERE id = ? AND tenant_id = ?"
           " AND active = 1",
};
static const struct statement target_of_webhook = {
    .name = "live_webhook_target",
    .sql = "SELECT url, secret FROM webhook_registrations WHERE id = ? AND active = 1",
};
static const struct statement deactivate_webhook = {
    .name = "live_webhook_deactivate",
    .sql = "UPDATE webhook_registrations SET active = 0 WHERE id = ? AND tenant_id = ?"
           " AND active = 1",
};

static enum error find_target(struct db *db, struct arena *arena, const char *webhook_id,
                              struct webhook_target *target, struct problem *problem)
{
    struct query *query = db_query(db, &target_of_webhook);

    query_bind_text(query, webhook_id);
    if (query_next(query))
        *target = (struct webhook_target){.url = query_text(query, 0, arena),
                                          .secret = query_text(query, 1, arena)};
    return query_end(query, problem);
}

static const double round_pauses[] = {WEBHOOK_PAUSES};
const struct webhook_kind live_webhook_kind = {
    .job = WEBHOOK_JOB("livedata.webhook", WEBHOOK_ATTEMPTS_MAX, round_pauses),
    .event_header = "X-Live-Event",
    .signature_header = "X-Live-Signature",
    .delivery_header = "X-Live-Delivery",
    .user_agent = "Live-Data-Webhooks/1.0",
    .attempt_seconds = 5,
    .tries = 3,
    .first_pause_seconds = 1,
    .pause_factor = 5,
    .find = find_target,
};

struct webhook_delivery_config outbound_config(const struct livedata_settings *settings,
                                               const struct egress_policy *egress)
{
    return (struct webhook_delivery_config){
        .kind = &live_webhook_kind,
        .egress = egress,
        .answers = {.read = settings->webhook_answer_bytes,
                    .kept = settings->webhook_answer_kept_bytes},
        .retry_seconds = settings->webhook_retry_hours * 3600,
        .brands = &settings->compat_brands};
}

#define OWNER struct webhook_filters
static const struct field filters_fields[] = {
    JSON_VALUE(OWNER, event_types, .help = "A list of types, or null: all."),
    JSON_VALUE(OWNER, entity_ids, .help = "A list of ids, or null: all."),
    JSON_VALUE(OWNER, min_amount, .help = "The least amount of an order, or null."),
};
#undef OWNER
SCHEMA(webhook_filters_schema, struct webhook_filters, "WebhookFilters", filters_fields);

#define OWNER struct live_webhook
#define WEBHOOK_ROWS(secret_row)                                                                   \
    STRING(OWNER, id), STRING(OWNER, url), secret_row, STRING(OWNER, tenant),                      \
        WRITTEN_OBJECT(OWNER, filters, "filters", webhook_filters_schema),                         \
        TIME(OWNER, created_at, .time = TIME_Z), BOOLEAN(OWNER, active),                           \
        STRING(OWNER, types, .internal = true, .nullable = true)
static const struct field webhook_fields[] = {
    WEBHOOK_ROWS(STRING(OWNER, secret, .internal = true))};
static const struct field new_webhook_fields[] = {WEBHOOK_ROWS(STRING(OWNER, secret))};
#undef OWNER
SCHEMA(live_webhook_schema, struct live_webhook, "Webhook", webhook_fields);
SCHEMA(new_live_webhook_schema, struct live_webhook, "NewWebhook", new_webhook_fields);

static enum error check_quota(const struct storage_call *call, int64_t most)
{
    struct query *query = db_query(call->db, &count_webhooks);
    int64_t count;
    enum error error;

    query_bind_text(query, call->tenant);
    count = query_next(query) ? query_integer(query, 0) : 0;
    error = query_end(query, call->problem);
    if (error || count < most)
        return error;
    return problem_set(call->problem, ERROR_CONFLICT, "webhook_quota",
                       "The tenant has %lld webhooks already.", (long long)count);
}

static enum error insert(const struct storage_call *call, const struct live_webhook *webhook)
{
    struct query *query = db_query(call->db, &insert_webhook);

    query_bind_text(query, webhook->id);
    query_bind_text(query, call->tenant);
    query_bind_text(query, webhook->url);
    query_bind_text(query, webhook->secret);
    query_bind_text(query, webhook->filters);
    query_bind_text(query, webhook->types);
    query_bind_integer(query, call->now);
    return query_end(query, call->problem);
}

enum error outbound_register(const struct storage_call *call, int64_t most,
                             struct live_webhook *webhook)
{
    char *id = arena_alloc(call->arena, TOKEN_UUID_TEXT);
    char *secret = arena_alloc(call->arena, SECRET_TEXT);
    enum error error;

    token_uuid(id);
    token_random_text(SECRET_BYTES, secret, SECRET_TEXT);
    webhook->id = id;
    webhook->secret = secret;
    webhook->tenant = call->tenant;
    webhook->active = true;
    webhook->created_at = call->now;
    error = db_begin(call->db, DB_WRITE, call->problem);
    if (error)
        return error;
    error = db_lock(call->db, arena_print(call->arena, "livedata.webhooks %s", call->tenant),
                    call->problem);
    if (!error)
        error = check_quota(call, most);
    if (!error)
        error = insert(call, webhook);
    return db_finish(call->db, error, call->problem);
}

enum error outbound_list(const struct storage_call *call, struct live_webhooks *webhooks)
{
    struct query *query = db_query(call->db, &list_webhooks);

    *webhooks = (struct live_webhooks){0};
    query_bind_text(query, call->tenant);
    while (query_next(query))
        query_read(query, &live_webhook_schema, LIST_ADD(call->arena, webhooks), call->arena);
    return query_end(query, call->problem);
}

static enum error not_found(const struct storage_call *call, const char *id)
{
    return problem_set(call->problem, ERROR_NOT_FOUND, "webhook_not_found",
                       "Webhook '%.200s' not found.", id);
}

enum error outbound_find(const struct storage_call *call, const char *id,
                         struct live_webhook *webhook)
{
    struct query *query = db_query(call->db, &find_webhook);
    enum error error;
    bool found;

    query_bind_text(query, id);
    query_bind_text(query, call->tenant);
    error =
        query_read_one(query, &live_webhook_schema, webhook, call->arena, &found, call->problem);
    return error || found ? error : not_found(call, id);
}

enum error outbound_remove(const struct storage_call *call, const char *id)
{
    struct query *query;
    int64_t changes, stopped;
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    if (error)
        return error;
    query = db_query(call->db, &deactivate_webhook);
    query_bind_text(query, id);
    query_bind_text(query, call->tenant);
    changes = query_changes(query);
    error = query_end(query, call->problem);
    if (!error && !changes)
        error = not_found(call, id);
    if (!error)
        error = job_stop_lane(call->db, &live_webhook_kind.job, id, "webhook inactive or removed",
                              &stopped, call->problem);
    return db_finish(call->db, error, call->problem);
}

static bool type_matches(const json_t *types, const char *event_type)
{
    const json_t *type;
    size_t i;

    if (!json_is_array(types))
        return true;
    json_array_foreach(types, i, type)
    {
        const char *text = json_string_value(type);
        size_t length = text ? strlen(text) : 0;

        if (text && event_type && strncmp(event_type, text, length) == 0 &&
            (event_type[length] == '\0' || event_type[length] == '.'))
            return true;
    }
    return false;
}

static bool is_named(const json_t *ids, const char *id)
{
    const json_t *one;
    size_t i;

    json_array_foreach(ids, i, one)
    {
        if (id && json_is_string(one) && strcmp(json_string_value(one), id) == 0)
            return true;
    }
    return false;
}

static bool entity_matches(const json_t *ids, const struct journal_row *row, const json_t *data)
{
    static const char *const keys[] = {"order_id", "user_id", "product_id", "session_id"};

    if (!json_is_array(ids) || is_named(ids, row->entity_id))
        return true;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (is_named(ids, json_string_value(json_object_get(data, keys[i]))))
            return true;
    return false;
}

/* Amounts come as numbers or as texts. */
static bool amount_of(const json_t *value, double *amount)
{
    if (json_is_string(value))
        return number_parse(json_string_value(value), amount);
    *amount = json_number_value(value);
    return json_is_number(value);
}

static bool amount_matches(const json_t *least, const struct journal_row *row, const json_t *data)
{
    double amount;

    if (!json_is_number(least))
        return true;
    if (!row->event_type || strncmp(row->event_type, "order", 5) != 0)
        return false;
    return (amount_of(json_object_get(data, "total_amount"), &amount) ||
            amount_of(json_object_get(data, "amount"), &amount)) &&
           amount >= json_number_value(least);
}

bool outbound_matches(const json_t *filters, const struct journal_row *row, const json_t *data)
{
    return type_matches(json_object_get(filters, "event_types"), row->event_type) &&
           entity_matches(json_object_get(filters, "entity_ids"), row, data) &&
           amount_matches(json_object_get(filters, "min_amount"), row, data);
}

/* The tenant's webhooks are read once per transaction. */
static enum error hooks_of(struct apply_call *call, struct live_webhooks **webhooks)
{
    enum error error = ERROR_NONE;

    if (!call->outbound_state) {
        struct live_webhooks *found = ARENA_NEW(call->storage.arena, struct live_webhooks);

        error = outbound_list(&call->storage, found);
        call->outbound_state = found;
    }
    *webhooks = call->outbound_state;
    return error;
}

/* The canonical form, which receivers can rebuild from the parsed body. */
static const char *sorted(struct arena *arena, const char *json)
{
    struct json_writer writer;
    struct json_fault fault;
    struct text text;
    json_t *value;

    if (json_read(arena, json, strlen(json), JSON_DEPTH_LIMIT, &value, &fault))
        return json;
    text_start(&text, arena, BODY_BYTES_MAX);
    writer_start(&writer, &text);
    writer.ascii = true;
    writer_value_sorted(&writer, value);
    return text.overflowed ? json : text.bytes;
}

/* Without the data where the body would be too large. */
static const char *body_of(struct arena *arena, const struct journal_row *row)
{
    const char *body = journal_row_text(arena, row, true, BODY_BYTES_MAX / 2);

    return sorted(arena, body ? body : journal_row_text(arena, row, false, BODY_BYTES_MAX / 2));
}

enum error outbound_row(struct apply_call *call, const struct journal_row *row,
                        const struct event *event)
{
    struct arena *arena = call->storage.arena;
    struct live_webhooks *webhooks;
    const char *body = NULL;
    enum error error = hooks_of(call, &webhooks);

    for (size_t i = 0; !error && i < webhooks->count; i++) {
        struct webhook_event out = {.webhook_id = webhooks->items[i].id,
                                    .event_id = row->event_id,
                                    .event_type = row->event_type};
        struct json_fault fault;
        json_t *filters;

        if (!entity_types_have(webhooks->items[i].types, row->entity_type) ||
            json_read(arena, webhooks->items[i].filters, strlen(webhooks->items[i].filters),
                      JSON_DEPTH_LIMIT, &filters, &fault) ||
            !outbound_matches(filters, row, event->payload))
            continue;
        body = body ? body : body_of(arena, row);
        out.body = body;
        error = webhook_enqueue(call->storage.db, arena, &live_webhook_kind, &out,
                                call->storage.problem);
    }
    return error;
}

/* The body of a test, its keys in their order. */
struct test_body {
    int64_t created_at;
    const char *event_id, *event_type, *tenant;
    bool test;
};

#define OWNER struct test_body
static const struct field test_fields[] = {TIME(OWNER, created_at, .time = TIME_Z),
                                           STRING(OWNER, event_id), STRING(OWNER, event_type),
                                           STRING(OWNER, tenant), BOOLEAN(OWNER, test)};
#undef OWNER
static SCHEMA(test_schema, struct test_body, "WebhookTest", test_fields);

const char *outbound_test_body(const struct storage_call *call, const char *event_id)
{
    const struct test_body body = {.created_at = call->now,
                                   .event_id = event_id,
                                   .event_type = "webhook.test",
                                   .tenant = call->tenant,
                                   .test = true};

    return schema_json(call->arena, TEST_BYTES_MAX, &test_schema, &body);
}
