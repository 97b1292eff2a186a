/* Webhooks: registered, listed, removed, tried, and what became of their deliveries. */
#include "livedata/webhooks/outbound.h"

#include "livedata-events/events.h"
#include "livedata/access/types.h"
#include "livedata/moment.h"
#include "livedata/shapes.h"

#include <string.h>

enum { HISTORY_SHOWN = 20 };

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

static const struct field filters_fields[] = {TELLS_ANY("event_types"), TELLS_ANY("entity_ids"),
                                              TELLS_NUMBER_OR_NULL("min_amount")};
static TELLING(filters_schema, "WebhookFilters", filters_fields);
static const struct field webhook_fields[] = {
    TELLS_TEXT("id"),         TELLS_TEXT("url"),
    TELLS_TEXT("tenant"),     TELLS_SHAPE("filters", &filters_schema),
    TELLS_TEXT("created_at"), TELLS_FLAG("active")};
TELLING(webhook_schema, "Webhook", webhook_fields);
static const struct field webhooks_fields[] = {TELLS_LIST_OF("webhooks", &webhook_schema)};
TELLING(webhooks_schema, "WebhookList", webhooks_fields);
static const struct field webhook_result_fields[] = {
    TELLS_TEXT("delivery_id"),   TELLS_TEXT("webhook_id"), TELLS_TEXT("event_id"),
    TELLS_TEXT("event_type"),    TELLS_FLAG("success"),    TELLS_INTEGER_OR_NULL("status_code"),
    TELLS_TEXT_OR_NULL("error"), TELLS_INTEGER("attempts")};
TELLING(webhook_result_schema, "WebhookDelivery", webhook_result_fields);
static const struct field webhook_resent_fields[] = {TELLS_TEXT("webhook_id"),
                                                     TELLS_TEXT("event_id"), TELLS_TEXT("status")};
TELLING(webhook_resent_schema, "WebhookResent", webhook_resent_fields);
static const struct field webhook_logs_fields[] = {TELLS_OBJECTS("logs")};
TELLING(webhook_logs_schema, "WebhookLogs", webhook_logs_fields);

struct egress_policy webhook_egress(const struct request *request)
{
    return (struct egress_policy){.allowed_hosts = service_settings(request)->egress_hosts};
}

static const char *const filter_names[] = {"event_types", "entity_ids", "min_amount"};

/* All three members, null where nothing is asked of them. */
static const char *filters_text(struct arena *arena, const json_t *filters)
{
    struct json_writer writer;
    struct text text;

    text_start(&text, arena, 1 << 16);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    for (size_t i = 0; i < COUNT_OF(filter_names); i++) {
        const json_t *value = json_object_get(filters, filter_names[i]);

        writer_key(&writer, filter_names[i]);
        if (value)
            writer_value(&writer, value);
        else
            writer_null(&writer);
    }
    writer_close_object(&writer);
    return text.bytes;
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

static void write_webhook(struct json_writer *writer, const struct live_webhook *webhook,
                          bool with_secret)
{
    writer_open_object(writer);
    writer_key_string(writer, "id", webhook->id);
    writer_key_string(writer, "url", webhook->url);
    if (with_secret)
        writer_key_string(writer, "secret", webhook->secret);
    writer_key_string(writer, "tenant", webhook->tenant);
    writer_key(writer, "filters");
    writer_raw(writer, webhook->filters);
    moment_write(writer, "created_at", webhook->created_at);
    writer_key_boolean(writer, "active", webhook->active);
    writer_close_object(writer);
}

/* `types` are those that the key may see: its webhooks hear of them alone. */
static enum error storage_of(struct request *request, struct storage_call *call, const char **types)
{
    struct reading reading;
    enum error error = service_reading(request, &reading);

    *call = reading.storage;
    *types = entity_types_text(request->arena, reading.types);
    return error;
}

/* A webhook that hears of more than the key may see does not exist for it. */
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
    const char *filters = filters_text(request->arena, body->filters);
    struct json_writer writer = service_writer(reply);
    struct live_webhook webhook = {.url = body->url, .filters = filters};
    struct storage_call call;
    enum error error = webhook_check_url(request, "url", body->url);

    if (!error)
        error = check_filters(request, body->filters);
    if (!error)
        error = storage_of(request, &call, &webhook.types);
    if (!error)
        error = outbound_register(&call, service_settings(request)->webhooks_max, &webhook);
    if (!error)
        write_webhook(&writer, &webhook, true);
    return error;
}

enum error webhook_list_handle(struct request *request, struct reply *reply)
{
    struct json_writer writer = service_writer(reply);
    struct live_webhooks webhooks;
    struct storage_call call;
    const char *types;
    enum error error = storage_of(request, &call, &types);

    if (!error)
        error = outbound_list(&call, &webhooks);
    if (error)
        return error;
    writer_open_object(&writer);
    writer_key(&writer, "webhooks");
    writer_open_array(&writer);
    for (size_t i = 0; i < webhooks.count; i++)
        if (entity_types_cover(types, webhooks.items[i].types))
            write_webhook(&writer, &webhooks.items[i], false);
    writer_close_array(&writer);
    writer_close_object(&writer);
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

enum error webhook_test_handle(struct request *request, struct reply *reply)
{
    struct egress_policy policy = webhook_egress(request);
    struct webhook_delivery_config config = outbound_config(service_settings(request), &policy);
    struct json_writer writer = service_writer(reply);
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
    event.body = outbound_test_body(&call, webhook.id, event.event_id);
    error = webhook_send_now(call.db, request->arena, &config, &target, &event, &result,
                             &request->problem);
    if (!error)
        outbound_write_result(&writer, webhook.id, &event, &result);
    return error;
}

enum error webhook_resend_handle(struct request *request, struct reply *reply)
{
    const char *event_id = request->arguments[1];
    struct json_writer writer = service_writer(reply);
    struct live_webhook webhook;
    struct storage_call call;
    enum error error = find(request, &call, &webhook);

    if (!error)
        error = webhook_send_again(call.db, request->arena, &live_webhook_kind, webhook.id,
                                   event_id, &request->problem);
    if (error)
        return error;
    writer_open_object(&writer);
    writer_key_string(&writer, "webhook_id", webhook.id);
    writer_key_string(&writer, "event_id", event_id);
    writer_key_string(&writer, "status", "pending");
    writer_close_object(&writer);
    return ERROR_NONE;
}

enum error webhook_logs_handle(struct request *request, struct reply *reply)
{
    struct json_writer writer = service_writer(reply);
    struct webhook_history history;
    struct live_webhook webhook;
    struct storage_call call;
    enum error error = find(request, &call, &webhook);

    if (!error)
        error = webhook_read_history(call.db, request->arena, &live_webhook_kind, webhook.id,
                                     HISTORY_SHOWN, &history, &request->problem);
    if (!error)
        outbound_write_history(&writer, webhook.id, &history);
    return error;
}
