/* Webhook subscriptions over HTTP. The secret is shown in one answer only, the one that makes it.
 */
#include "experiments-operations/webhooks.h"
#include "experiments/service.h"
#include "experiments/webhooks/subscription_store.h"

#include <string.h>

enum {
    NAME_MAX_LENGTH = 100,
    URL_MAX_LENGTH = 2000,
    SECRET_MAX_LENGTH = 200,
    KINDS_MAX = 100,
    DELIVERIES_MAX = 200
};

struct webhooks_reply {
    OBJECT_LIST(struct subscription, subscriptions);
    int64_t total;
};

struct deleted_webhook {
    const char *id;
    bool deleted;
};

struct deliveries_query {
    int64_t limit;
    int status; /* enum delivery_status, -1 = all */
};

struct deliveries_reply {
    OBJECT_LIST(struct delivery_record, deliveries);
    int64_t total;
};

struct tested_webhook {
    const char *delivery_id;
    const char *status;
    struct optional_integer response_code;
};

/* A key is named for that scope, and for no other. */
static bool key_fits_scope(const void *object)
{
    const struct subscription_request *request = object;

    return (request->scope == SUBSCRIPTION_API_KEY) == (request->api_key_id != NULL);
}

static const struct schema_rule scope_rules[] = {
    {"errors.schemas.webhook_scope_key", key_fits_scope},
};

#define OWNER struct subscription_request
static const struct field request_fields[] = {
    STRING(OWNER, name, .required = true, .min_length = 1, .max_length = NAME_MAX_LENGTH),
    STRING(OWNER, target_url, .required = true, .min_length = 1, .max_length = URL_MAX_LENGTH,
           .help = "https, and no address that is not public."),
    STRING(OWNER, secret, .required = true, .min_length = 1, .max_length = SECRET_MAX_LENGTH,
           .secret = true, .help = "Signs what is sent."),
    CHOICE(OWNER, format, subscription_format_names, .choice_count = FORMAT__MAX, .required = true),
    STRINGS(OWNER, event_filter, .max_length = KINDS_MAX,
            .help = "Actions of the audit log; none = all of them."),
    CHOICE(OWNER, scope, subscription_scope_names, .choice_count = SUBSCRIPTION_SCOPE__MAX,
           .required = true),
    STRING(OWNER, api_key_id, .nullable = true, .help = "With the scope api_key."),
};
static const struct field change_fields[] = {
    STRING(OWNER, name, .nullable = true, .min_length = 1, .max_length = NAME_MAX_LENGTH),
    STRING(OWNER, target_url, .nullable = true, .min_length = 1, .max_length = URL_MAX_LENGTH),
    STRING(OWNER, secret, .nullable = true, .min_length = 1, .max_length = SECRET_MAX_LENGTH,
           .secret = true),
    CHOICE(OWNER, format, subscription_format_names, .choice_count = FORMAT__MAX, .nullable = true),
    STRINGS(OWNER, event_filter, .nullable = true, .max_length = KINDS_MAX),
    CHOICE(OWNER, scope, subscription_scope_names, .choice_count = SUBSCRIPTION_SCOPE__MAX,
           .nullable = true),
    STRING(OWNER, api_key_id, .nullable = true),
    NULLABLE_BOOLEAN(OWNER, enabled),
};
static const struct field trial_fields[] = {
    STRING(OWNER, target_url, .required = true, .min_length = 1, .max_length = URL_MAX_LENGTH,
           .help = "https, and no address that is not public."),
    STRING(OWNER, secret, .required = true, .min_length = 1, .max_length = SECRET_MAX_LENGTH,
           .secret = true, .help = "Signs what is sent."),
    CHOICE(OWNER, format, subscription_format_names, .choice_count = FORMAT__MAX, .required = true),
};
#undef OWNER
SCHEMA(webhook_trial_schema, struct subscription_request, "WebhookTrial", trial_fields,
       .help = "A webhook to be tried.",
       .example = "{\"target_url\":\"https://example.org/hook\",\"secret\":\"shared\","
                  "\"format\":\"generic\"}");
SCHEMA(webhook_request_schema, struct subscription_request, "WebhookRequest", request_fields,
       RULES(scope_rules), .help = "A webhook to be made.",
       .example = "{\"name\":\"Chat\",\"target_url\":\"https://example.org/hook\","
                  "\"secret\":\"shared\",\"format\":\"generic\",\"scope\":\"global\"}");
SCHEMA(webhook_change_schema, struct subscription_request, "WebhookChange", change_fields,
       RULES(scope_rules), .help = "What is to be different; null = as it is.",
       .example = "{\"enabled\":false}");

#define OWNER struct webhooks_reply
static const struct field webhooks_fields[] = {OBJECTS(OWNER, subscriptions, webhook_schema),
                                               INTEGER(OWNER, total)};
#undef OWNER
SCHEMA(webhooks_schema, struct webhooks_reply, "WebhookList", webhooks_fields,
       .help = "All webhooks, newest first.");

#define OWNER struct deleted_webhook
static const struct field deleted_fields[] = {STRING(OWNER, id), BOOLEAN(OWNER, deleted)};
#undef OWNER
SCHEMA(webhook_deleted_schema, struct deleted_webhook, "WebhookDeleted", deleted_fields,
       .help = "The webhook is gone, and its deliveries.");

#define OWNER struct deliveries_query
static const struct field deliveries_query_fields[] = {
    INTEGER(OWNER, limit, .lower = AT_LEAST(1), .upper = AT_MOST(DELIVERIES_MAX),
            .default_value = 50),
    CHOICE(OWNER, status, delivery_status_names, .choice_count = DELIVERY__MAX, .nullable = true),
};
#undef OWNER
SCHEMA(webhook_deliveries_query_schema, struct deliveries_query, "DeliveriesQuery",
       deliveries_query_fields);

#define OWNER struct deliveries_reply
static const struct field deliveries_fields[] = {
    OBJECTS(OWNER, deliveries, webhook_delivery_schema), INTEGER(OWNER, total)};
#undef OWNER
SCHEMA(webhook_deliveries_schema, struct deliveries_reply, "DeliveryList", deliveries_fields,
       .help = "Deliveries, those tried last first.");

#define OWNER struct tested_webhook
static const struct field tested_fields[] = {
    STRING(OWNER, delivery_id),
    STRING(OWNER, status, .help = "delivered or failed."),
    NULLABLE_INTEGER(OWNER, response_code),
};
#undef OWNER
SCHEMA(webhook_tested_schema, struct tested_webhook, "WebhookTested", tested_fields,
       .help = "How the test went.");

static enum error begin(struct request *request, struct key_call *call)
{
    *call = (struct key_call){
        .arena = request->arena, .actor = service_actor(request), .problem = &request->problem};
    return service_database(request, &call->db);
}

static bool is_local(const struct request *request)
{
    return strcmp(service_settings(request)->environment, "local") == 0;
}

/* As it is stored, and whether it may be. */
static enum error take_url(struct request *request, struct subscription_request *asked)
{
    if (!asked->target_url)
        return ERROR_NONE;
    asked->target_url = text_trimmed(request->arena, asked->target_url, strlen(asked->target_url));
    return subscription_check_url(asked->target_url, is_local(request), &request->problem);
}

enum error webhooks_list(struct request *request, struct reply *reply)
{
    struct webhooks_reply *answer = ARENA_NEW(request->arena, struct webhooks_reply);
    struct key_call call;
    enum error error = begin(request, &call);

    if (!error)
        error = subscription_list(&call, &answer->subscriptions);
    answer->total = (int64_t)answer->subscriptions.count;
    reply->object = answer;
    return error;
}

enum error webhooks_create(struct request *request, struct reply *reply)
{
    struct subscription_request asked = *(const struct subscription_request *)request->body;
    struct subscription *made = ARENA_NEW(request->arena, struct subscription);
    struct key_call call;
    enum error error = take_url(request, &asked);

    if (!error)
        error = begin(request, &call);
    if (!error)
        error = subscription_create(&call, &asked, service_settings(request)->max_webhooks, made);
    reply->object = made;
    return error;
}

enum error webhooks_read(struct request *request, struct reply *reply)
{
    struct subscription *found = ARENA_NEW(request->arena, struct subscription);
    struct key_call call;
    enum error error = begin(request, &call);

    if (!error)
        error = subscription_read(&call, request->arguments[0], found);
    reply->object = found;
    return error;
}

enum error webhooks_update(struct request *request, struct reply *reply)
{
    struct subscription_request asked = *(const struct subscription_request *)request->body;
    struct subscription *changed = ARENA_NEW(request->arena, struct subscription);
    struct key_call call;
    enum error error = take_url(request, &asked);

    if (!error)
        error = begin(request, &call);
    if (!error)
        error = subscription_update(&call, request->arguments[0], &asked, changed);
    reply->object = changed;
    return error;
}

enum error webhooks_delete(struct request *request, struct reply *reply)
{
    struct deleted_webhook *answer = ARENA_NEW(request->arena, struct deleted_webhook);
    struct key_call call;
    enum error error = begin(request, &call);

    if (!error)
        error = subscription_delete(&call, request->arguments[0]);
    *answer = (struct deleted_webhook){.id = request->arguments[0], .deleted = true};
    reply->object = answer;
    return error;
}

enum error webhooks_deliveries(struct request *request, struct reply *reply)
{
    const struct deliveries_query *query = request->query;
    struct deliveries_reply *answer = ARENA_NEW(request->arena, struct deliveries_reply);
    struct key_call call;
    enum error error = begin(request, &call);

    if (!error)
        error = subscription_deliveries(&call, request->arguments[0], query->status, query->limit,
                                        &answer->deliveries, &answer->total);
    reply->object = answer;
    return error;
}

enum error webhooks_resend(struct request *request, struct reply *reply)
{
    struct delivery_record *delivery = ARENA_NEW(request->arena, struct delivery_record);
    struct key_call call;
    enum error error = begin(request, &call);

    if (!error)
        error = subscription_resend(&call, request->arguments[0], request->arguments[1], delivery);
    reply->object = delivery;
    return error;
}

static struct webhook_delivery_config config_of(const struct request *request,
                                                const struct egress_policy *egress)
{
    return (struct webhook_delivery_config){
        .kind = &experiments_webhook_kind,
        .egress = egress,
        .answers = subscription_answer_limits(service_settings(request))};
}

static enum error answer_test(struct request *request, struct reply *reply,
                              const struct delivery_record *delivery)
{
    struct tested_webhook *answer = ARENA_NEW(request->arena, struct tested_webhook);

    *answer = (struct tested_webhook){delivery->id, delivery->status, delivery->response_code};
    reply->object = answer;
    return ERROR_NONE;
}

enum error webhooks_test(struct request *request, struct reply *reply)
{
    const struct egress_policy egress = {.loopback_too = is_local(request)};
    const struct webhook_delivery_config config = config_of(request, &egress);
    struct delivery_record delivery;
    struct key_call call;
    enum error error = begin(request, &call);

    if (!error)
        error = subscription_test(&call, request->arguments[0], &config, &delivery);
    return error ? error : answer_test(request, reply, &delivery);
}

enum error webhooks_try(struct request *request, struct reply *reply)
{
    const struct egress_policy egress = {.loopback_too = is_local(request)};
    const struct webhook_delivery_config config = config_of(request, &egress);
    struct subscription_request asked = *(const struct subscription_request *)request->body;
    struct delivery_record delivery;
    struct key_call call;
    enum error error = take_url(request, &asked);

    if (!error)
        error = begin(request, &call);
    if (!error)
        error = subscription_try(&call, &asked, &config, &delivery);
    return error ? error : answer_test(request, reply, &delivery);
}
