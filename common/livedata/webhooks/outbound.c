/* All SQL of registered webhooks, and the matching of rows with their filters. */
#include "livedata/webhooks/outbound.h"

#include "base/number.h"
#include "crypto/token.h"
#include "db/query.h"
#include "livedata/access/types.h"
#include "livedata/moment.h"

#include <string.h>

enum { WEBHOOKS_AT_FIRST = 16, SECRET_BYTES = 32, SECRET_TEXT = 44, BODY_BYTES_MAX = 512 * 1024 };

#define WEBHOOK_COLUMNS "id, tenant_id, url, secret, filters, active, created_at, entity_types"

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

static void take_webhook(struct query *query, struct arena *arena, struct live_webhook *webhook)
{
    *webhook = (struct live_webhook){.id = query_text(query, 0, arena),
                                     .tenant = query_text(query, 1, arena),
                                     .url = query_text(query, 2, arena),
                                     .secret = query_text(query, 3, arena),
                                     .filters = query_text(query, 4, arena),
                                     .active = query_boolean(query, 5),
                                     .created_at = query_integer(query, 6),
                                     .types = query_text_or_null(query, 7, arena)};
}

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
    size_t capacity = WEBHOOKS_AT_FIRST;

    *webhooks =
        (struct live_webhooks){.items = ARENA_ARRAY(call->arena, struct live_webhook, capacity)};
    query_bind_text(query, call->tenant);
    while (query_next(query)) {
        if (webhooks->count == capacity) {
            struct live_webhook *more = ARENA_ARRAY(call->arena, struct live_webhook, capacity * 2);

            memcpy(more, webhooks->items, capacity * sizeof *more);
            webhooks->items = more;
            capacity *= 2;
        }
        take_webhook(query, call->arena, &webhooks->items[webhooks->count++]);
    }
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
    found = query_next(query);
    if (found)
        take_webhook(query, call->arena, webhook);
    error = query_end(query, call->problem);
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

/* The form that receivers can make again from what they have read. */
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

static const char *body_of(struct arena *arena, const struct journal_row *row)
{
    struct json_writer writer;
    struct text text;

    text_start(&text, arena, BODY_BYTES_MAX / 2);
    writer_start(&writer, &text);
    journal_row_write(&writer, row, true);
    if (text.overflowed) {
        text_start(&text, arena, BODY_BYTES_MAX / 2);
        writer_start(&writer, &text);
        journal_row_write(&writer, row, false);
    }
    return sorted(arena, text.bytes);
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

static void write_status(struct json_writer *writer, struct optional_integer status)
{
    if (status.given)
        writer_key_integer(writer, "status_code", status.value);
    else
        writer_key_null(writer, "status_code");
}

void outbound_write_history(struct json_writer *writer, const char *webhook_id,
                            const struct webhook_history *history)
{
    writer_open_object(writer);
    writer_key(writer, "logs");
    writer_open_array(writer);
    for (size_t i = 0; i < history->count; i++) {
        const struct webhook_history_row *row = &history->items[i];

        writer_open_object(writer);
        writer_key_string(writer, "delivery_id", row->delivery_id);
        writer_key_string(writer, "webhook_id", webhook_id);
        writer_key_string(writer, "event_id", row->event_id);
        writer_key_string(writer, "event_type", row->event_type);
        writer_key_integer(writer, "attempt", row->attempt);
        write_status(writer, row->status_code);
        writer_key_boolean(writer, "success", row->success);
        writer_key_string(writer, "error", row->error);
        moment_write(writer, "delivered_at", row->delivered_at);
        writer_close_object(writer);
    }
    writer_close_array(writer);
    writer_close_object(writer);
}

void outbound_write_result(struct json_writer *writer, const char *webhook_id,
                           const struct webhook_event *event, const struct webhook_result *result)
{
    writer_open_object(writer);
    writer_key_string(writer, "delivery_id", result->delivery_id);
    writer_key_string(writer, "webhook_id", webhook_id);
    writer_key_string(writer, "event_id", event->event_id);
    writer_key_string(writer, "event_type", event->event_type);
    writer_key_boolean(writer, "success", result->success);
    write_status(writer, result->status_code);
    writer_key_string(writer, "error", result->error);
    writer_key_integer(writer, "attempts", result->attempts);
    writer_close_object(writer);
}

const char *outbound_test_body(const struct storage_call *call, const char *webhook_id,
                               const char *event_id)
{
    struct json_writer writer;
    struct text text;

    (void)webhook_id;
    text_start(&text, call->arena, 4096);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    moment_write(&writer, "created_at", call->now);
    writer_key_string(&writer, "event_id", event_id);
    writer_key_string(&writer, "event_type", "webhook.test");
    writer_key_string(&writer, "tenant", call->tenant);
    writer_key_boolean(&writer, "test", true);
    writer_close_object(&writer);
    return text.bytes;
}
