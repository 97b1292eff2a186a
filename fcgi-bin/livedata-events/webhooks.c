/* Webhooks: registered, listed, removed, tried, and what became of their deliveries. */
#include "livedata/webhooks/outbound.h"

#include "livedata-events/events.h"
#include "livedata/access/types.h"

#include <string.h>

enum { HISTORY_SHOWN = 20, FILTERS_BYTES_MAX = 1 << 16 };

struct webhook_body {
    const char *url;
    json_t *filters;
};

#define OWNER struct webhook_body
static const struct field webhook_request_fields[] = {
    STRING(OWNER, url, .required = true, .min_length = 1, .max_length = 2000,
           .help = "Where events are POSTed to."),
    JSON_OBJECT(OWNER, filters, .nullable = true,
                .help = "event_types, entity_ids, min_amount: all that are given must hold."),
};
#undef OWNER
SCHEMA(webhook_request_schema, struct webhook_body, "WebhookCreateRequest", webhook_request_fields,
       .example = "{\"url\":\"https://example.org/hook\"}");

struct webhooks_answer {
    OBJECT_LIST(struct live_webhook, webhooks);
};

#define OWNER struct webhooks_answer
static const struct field webhooks_fields[] = {OBJECTS(OWNER, webhooks, live_webhook_schema)};
#undef OWNER
SCHEMA(webhooks_schema, struct webhooks_answer, "WebhookList", webhooks_fields);

#define OWNER struct delivery_answer
static const struct field result_fields[] = {
    DELIVERY_ROWS({.name = "webhook_id",
                   .type = FIELD_STRING,
                   .offset = offsetof(struct delivery_answer, receiver_id)})};
#undef OWNER
SCHEMA(webhook_result_schema, struct delivery_answer, "WebhookDelivery", result_fields);

struct resent {
    const char *webhook_id, *event_id, *status;
};

#define OWNER struct resent
static const struct field resent_fields[] = {STRING(OWNER, webhook_id), STRING(OWNER, event_id),
                                             STRING(OWNER, status)};
#undef OWNER
SCHEMA(webhook_resent_schema, struct resent, "WebhookResent", resent_fields);

struct webhook_log {
    const char *delivery_id, *webhook_id, *event_id, *event_type;
    int64_t attempt;
    struct optional_integer status_code;
    bool success;
    const char *error;
    int64_t delivered_at;
};

#define OWNER struct webhook_log
static const struct field log_fields[] = {
    STRING(OWNER, delivery_id),
    STRING(OWNER, webhook_id),
    STRING(OWNER, event_id),
    STRING(OWNER, event_type),
    INTEGER(OWNER, attempt),
    NULLABLE_INTEGER(OWNER, status_code),
    BOOLEAN(OWNER, success),
    STRING(OWNER, error, .nullable = true),
    TIME(OWNER, delivered_at, .time = TIME_Z),
};
#undef OWNER
static SCHEMA(log_schema, struct webhook_log, "WebhookLog", log_fields);

struct webhook_logs {
    OBJECT_LIST(struct webhook_log, logs);
};

#define OWNER struct webhook_logs
static const struct field logs_fields[] = {OBJECTS(OWNER, logs, log_schema)};
#undef OWNER
SCHEMA(webhook_logs_schema, struct webhook_logs, "WebhookLogs", logs_fields);

struct egress_policy webhook_egress(const struct request *request)
{
    return (struct egress_policy){.allowed_hosts = service_settings(request)->egress_hosts};
}

static const char *const filter_names[] = {"event_types", "entity_ids", "min_amount"};

/* All three members, null where nothing is asked of them. */
static const char *filters_text(struct arena *arena, const json_t *filters)
{
    const struct webhook_filters known = {json_object_get(filters, "event_types"),
                                          json_object_get(filters, "entity_ids"),
                                          json_object_get(filters, "min_amount")};

    return schema_json(arena, FILTERS_BYTES_MAX, &webhook_filters_schema, &known);
}

enum error webhook_check_url(struct request *request, const char *field, const char *url)
{
    struct egress_policy policy = webhook_egress(request);
    struct problem why;
    enum error error = egress_check(url, &policy, &why);

    if (!error)
        return ERROR_NONE;
    if (error == ERROR_SYSTEM)
        return problem_set(&request->problem, error, why.reason, "%s", why.text);
    if (strcmp(why.reason, "url_malformed") == 0 || strcmp(why.reason, "url_host") == 0)
        return request_fault(request, "body", field, "url_parsing", "Input should be a valid URL");
    if (strcmp(why.reason, "url_scheme") == 0)
        return request_fault(request, "body", field, "url_scheme",
                             "URL scheme should be 'http' or 'https'");
    return problem_set(&request->problem, ERROR_INVALID, "unsafe_url", "Unsafe webhook URL: %s%s%s",
                       why.text, strchr(field, '.') ? " in " : "", strchr(field, '.') ? field : "");
}

static enum error check_list(struct request *request, const json_t *filters, const char *name)
{
    const json_t *list = json_object_get(filters, name), *item;
    size_t i;

    if (!list || json_is_null(list))
        return ERROR_NONE;
    if (!json_is_array(list))
        return request_fault(request, "body", "filters", "list_type",
                             "Input should be a valid list");
    json_array_foreach(list, i, item)
    {
        if (!json_is_string(item))
            return request_fault(request, "body", "filters", "string_type",
                                 "Input should be a valid string");
    }
    return ERROR_NONE;
}

static enum error check_filters(struct request *request, const json_t *filters)
{
    const json_t *least = json_object_get(filters, "min_amount");
    enum error error =
        request_check_names(request, "filters", filters, filter_names, COUNT_OF(filter_names));

    if (!error)
        error = check_list(request, filters, "event_types");
    if (!error)
        error = check_list(request, filters, "entity_ids");
    if (!error && least && !json_is_null(least) && !json_is_number(least))
        return request_fault(request, "body", "filters", "float_type",
                             "Input should be a valid number");
    return error;
}

/* `types` are those that the key may see: its webhooks get events of these only. */
static enum error storage_of(struct request *request, struct storage_call *call, const char **types)
{
    struct reading reading;
    enum error error = service_reading(request, &reading);

    *call = reading.storage;
    *types = entity_types_text(request->arena, reading.types);
    return error;
}

/* A webhook with events of more types than the key may read does not exist for the key. */
static enum error find(struct request *request, struct storage_call *call,
                       struct live_webhook *webhook)
{
    const char *types;
    enum error error = storage_of(request, call, &types);

    if (!error)
        error = outbound_find(call, request->arguments[0], webhook);
    if (error || entity_types_cover(types, webhook->types))
        return error;
    return problem_set(&request->problem, ERROR_NOT_FOUND, "webhook_not_found",
                       "Webhook '%.200s' not found.", webhook->id);
}

enum error webhook_create_handle(struct request *request, struct reply *reply)
{
    const struct webhook_body *body = request->body;
    struct live_webhook *webhook = ARENA_NEW(request->arena, struct live_webhook);
    struct storage_call call;
    enum error error = webhook_check_url(request, "url", body->url);

    webhook->url = body->url;
    webhook->filters = filters_text(request->arena, body->filters);
    if (!error)
        error = check_filters(request, body->filters);
    if (!error)
        error = storage_of(request, &call, &webhook->types);
    if (!error)
        error = outbound_register(&call, service_settings(request)->webhooks_max, webhook);
    if (!error)
        reply->object = webhook;
    return error;
}

enum error webhook_list_handle(struct request *request, struct reply *reply)
{
    struct webhooks_answer *answer = ARENA_NEW(request->arena, struct webhooks_answer);
    struct live_webhooks webhooks;
    struct storage_call call;
    const char *types;
    size_t count = 0;
    enum error error = storage_of(request, &call, &types);

    if (!error)
        error = outbound_list(&call, &webhooks);
    if (error)
        return error;
    for (size_t i = 0; i < webhooks.count; i++)
        if (entity_types_cover(types, webhooks.items[i].types))
            webhooks.items[count++] = webhooks.items[i];
    answer->webhooks = (struct object_list){count, webhooks.items};
    reply->object = answer;
    return ERROR_NONE;
}

enum error webhook_delete_handle(struct request *request, struct reply *reply)
{
    struct live_webhook webhook;
    struct storage_call call;
    enum error error = find(request, &call, &webhook);

    (void)reply;
    return error ? error : outbound_remove(&call, webhook.id);
}

const struct delivery_answer *delivery_answer(struct arena *arena, const char *receiver_id,
                                              const struct webhook_event *event,
                                              const struct webhook_result *result)
{
    struct delivery_answer *answer = ARENA_NEW(arena, struct delivery_answer);

    *answer = (struct delivery_answer){.delivery_id = arena_copy_string(arena, result->delivery_id),
                                       .receiver_id = receiver_id,
                                       .event_id = event->event_id,
                                       .event_type = event->event_type,
                                       .success = result->success,
                                       .status_code = result->status_code,
                                       .error = result->error,
                                       .attempts = result->attempts};
    return answer;
}

enum error webhook_test_handle(struct request *request, struct reply *reply)
{
    struct egress_policy policy = webhook_egress(request);
    struct webhook_delivery_config config = outbound_config(service_settings(request), &policy);
    struct webhook_result result;
    struct live_webhook webhook;
    struct webhook_target target;
    struct webhook_event event;
    struct storage_call call;
    enum error error = find(request, &call, &webhook);

    if (error)
        return error;
    config.region = request->server->region;
    target = (struct webhook_target){webhook.url, webhook.secret};
    event = (struct webhook_event){.webhook_id = webhook.id,
                                   .event_id = arena_print(request->arena, "test-%s", webhook.id),
                                   .event_type = "webhook.test"};
    event.body = outbound_test_body(&call, event.event_id);
    error = webhook_send_now(call.db, request->arena, &config, &target, &event, &result,
                             &request->problem);
    if (!error)
        reply->object = delivery_answer(request->arena, webhook.id, &event, &result);
    return error;
}

enum error webhook_resend_handle(struct request *request, struct reply *reply)
{
    const char *event_id = request->arguments[1];
    struct resent *answer = ARENA_NEW(request->arena, struct resent);
    struct live_webhook webhook;
    struct storage_call call;
    enum error error = find(request, &call, &webhook);

    if (!error)
        error = webhook_send_again(call.db, request->arena, &live_webhook_kind, webhook.id,
                                   event_id, &request->problem);
    if (error)
        return error;
    *answer = (struct resent){.webhook_id = webhook.id, .event_id = event_id, .status = "pending"};
    reply->object = answer;
    return ERROR_NONE;
}

static struct object_list logs_of(struct arena *arena, const char *webhook_id,
                                  const struct webhook_history *history)
{
    struct webhook_log *logs = ARENA_ARRAY(arena, struct webhook_log, history->count);

    for (size_t i = 0; i < history->count; i++) {
        const struct webhook_history_row *row = &history->items[i];

        logs[i] = (struct webhook_log){.delivery_id = row->delivery_id,
                                       .webhook_id = webhook_id,
                                       .event_id = row->event_id,
                                       .event_type = row->event_type,
                                       .attempt = row->attempt,
                                       .status_code = row->status_code,
                                       .success = row->success,
                                       .error = row->error,
                                       .delivered_at = row->delivered_at};
    }
    return (struct object_list){history->count, logs};
}

enum error webhook_logs_handle(struct request *request, struct reply *reply)
{
    struct webhook_logs *answer = ARENA_NEW(request->arena, struct webhook_logs);
    struct webhook_history history;
    struct live_webhook webhook;
    struct storage_call call;
    enum error error = find(request, &call, &webhook);

    if (!error)
        error = webhook_read_history(call.db, request->arena, &live_webhook_kind, webhook.id,
                                     HISTORY_SHOWN, &history, &request->problem);
    if (error)
        return error;
    answer->logs = logs_of(request->arena, webhook.id, &history);
    reply->object = answer;
    return ERROR_NONE;
}
