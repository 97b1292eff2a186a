/* Alerts: made, listed, changed, removed, tried, and the notices that were sent. */
#include "livedata/alerts/watch.h"

#include "livedata-events/events.h"
#include "livedata/moment.h"
#include "livedata/shapes.h"
#include "livedata/webhooks/outbound.h"

#include <string.h>

enum { HISTORY_SHOWN = 20, NAME_MAX_LENGTH = 200, MINUTES_MAX = 525600, LEVEL_MAX = 1000 };

struct step_body {
    int64_t level;
    int64_t after_minutes;
    const char *webhook_url;
};
struct flap_body {
    bool enabled;
    int64_t window_minutes;
    int64_t max_changes;
};

#define OWNER struct step_body
static const struct field step_fields[] = {
    INTEGER(OWNER, level, .required = true, .lower = AT_LEAST(1), .upper = AT_MOST(LEVEL_MAX)),
    INTEGER(OWNER, after_minutes, .required = true, .lower = AT_LEAST(0),
            .upper = AT_MOST(MINUTES_MAX)),
    STRING(OWNER, webhook_url, .required = true, .min_length = 1, .max_length = 2000),
};
#undef OWNER
static SCHEMA(step_schema, struct step_body, "AlertStep", step_fields);

#define OWNER struct flap_body
static const struct field flap_fields[] = {
    BOOLEAN(OWNER, enabled, .default_value = 0),
    INTEGER(OWNER, window_minutes, .lower = AT_LEAST(1), .upper = AT_MOST(1440),
            .default_value = 5),
    INTEGER(OWNER, max_changes, .lower = AT_LEAST(1), .upper = AT_MOST(100), .default_value = 3,
            .help = "More changes of the condition within the window silence the alert."),
};
#undef OWNER
static SCHEMA(flap_schema, struct flap_body, "AlertFlapDetection", flap_fields);

/* The same rows read a new alert and a change of one, where all may be absent. */
struct alert_request {
    const char *name;
    const char *metric;
    const char *window;
    int condition;
    struct optional_number threshold;
    const char *webhook_url;
    struct optional_integer cooldown_minutes;
    struct optional_boolean active;
    OBJECT_LIST(struct step_body, escalation);
    const struct flap_body *flap_detection;
    const json_t *document;
};

#define OWNER struct alert_request
#define NAME_RULES .min_length = 1, .max_length = NAME_MAX_LENGTH
#define URL_RULES                                                                                  \
    .min_length = 1, .max_length = 2000, .help = "Where notices are POSTed to, signed."
#define COOLDOWN_RULES .lower = AT_LEAST(0), .upper = AT_MOST(1440)
#define SHARED_ROWS                                                                                \
    OBJECTS(OWNER, escalation, step_schema, .nullable = true, .max_length = ALERT_STEPS_MAX - 1,   \
            .help = "Who else is told, and after how long."),                                      \
        OBJECT(OWNER, flap_detection, flap_schema, .nullable = true)
static const struct field create_fields[] = {
    STRING(OWNER, name, .required = true, NAME_RULES),
    STRING(OWNER, metric, .required = true, .help = "One of the catalog."),
    STRING(OWNER, window, .default_text = "1h", .help = "One of the metric's windows."),
    CHOICE(OWNER, condition, alert_condition_names, .choice_count = ALERT_CONDITION__MAX,
           .required = true),
    NULLABLE_NUMBER(OWNER, threshold, .required = true,
                    .help = "A value of the metric; of change_pct a percentage."),
    STRING(OWNER, webhook_url, .required = true, URL_RULES),
    NULLABLE_INTEGER(OWNER, cooldown_minutes, COOLDOWN_RULES,
                     .help = "How long until a notice that still holds is repeated; 30."),
    SHARED_ROWS,
};
static const struct field change_fields[] = {
    STRING(OWNER, name, .nullable = true, NAME_RULES),
    STRING(OWNER, metric, .nullable = true),
    STRING(OWNER, window, .nullable = true),
    CHOICE(OWNER, condition, alert_condition_names, .choice_count = ALERT_CONDITION__MAX,
           .nullable = true),
    NULLABLE_NUMBER(OWNER, threshold),
    STRING(OWNER, webhook_url, .nullable = true, URL_RULES),
    NULLABLE_INTEGER(OWNER, cooldown_minutes, COOLDOWN_RULES),
    NULLABLE_BOOLEAN(OWNER, active, .help = "false: the alert stays, and is not looked at."),
    SHARED_ROWS,
};
#undef OWNER
SCHEMA(alert_request_schema, struct alert_request, "AlertCreateRequest", create_fields,
       .keeps_document = true, .document = offsetof(struct alert_request, document),
       .example = "{\"name\":\"Little revenue\",\"metric\":\"revenue\",\"condition\":\"below\","
                  "\"threshold\":1000,\"webhook_url\":\"https://example.org/hook\"}");
SCHEMA(alert_change_schema, struct alert_request, "AlertUpdateRequest", change_fields,
       .keeps_document = true, .document = offsetof(struct alert_request, document),
       .answer = &alert_schema, .example = "{\"threshold\":2000}");

#define ALERT_ROWS                                                                                 \
    TELLS_TEXT("id"), TELLS_TEXT("name"), TELLS_TEXT("tenant"), TELLS_TEXT("metric"),              \
        TELLS_TEXT("window"), TELLS_TEXT("condition"), TELLS_NUMBER("threshold"),                  \
        TELLS_TEXT("webhook_url"), TELLS_INTEGER("cooldown_minutes"), TELLS_FLAG("active"),        \
        TELLS_TEXT("created_at"), TELLS_TEXT("updated_at"),                                        \
        TELLS_TEXT_OR_NULL("last_triggered_at"), TELLS_OBJECTS("escalation"),                      \
        TELLS_OBJECT("flap_detection"), TELLS_TEXT("state"), TELLS_TEXT_OR_NULL("fired_at"),       \
        TELLS_TEXT_OR_NULL("resolved_at"), TELLS_INTEGER("last_escalation_level"),                 \
        {.name = "last_condition_triggered",                                                       \
         .type = FIELD_BOOLEAN,                                                                    \
         .nullable = true,                                                                         \
         .help = "Whether the condition held at the last look; null before the first."},           \
        TELLS_OBJECT_OR_NULL("undelivered"), TELLS_TEXTS("state_changes")

static const struct field alert_fields[] = {ALERT_ROWS};
TELLING(alert_schema, "Alert", alert_fields);
static const struct field alert_secret_fields[] = {ALERT_ROWS, TELLS_TEXT("secret")};
TELLING(alert_secret_schema, "NewAlert", alert_secret_fields);
static const struct field alerts_fields[] = {TELLS_LIST_OF("alerts", &alert_schema)};
TELLING(alerts_schema, "AlertList", alerts_fields);
static const struct field result_fields[] = {
    TELLS_TEXT("delivery_id"),   TELLS_TEXT("alert_id"),   TELLS_TEXT("event_id"),
    TELLS_TEXT("event_type"),    TELLS_FLAG("success"),    TELLS_INTEGER_OR_NULL("status_code"),
    TELLS_TEXT_OR_NULL("error"), TELLS_INTEGER("attempts")};
TELLING(alert_result_schema, "AlertDelivery", result_fields);
static const struct field history_fields[] = {TELLS_OBJECTS("history")};
TELLING(alert_history_schema, "AlertHistory", history_fields);

static void write_steps(struct json_writer *writer, const struct alert_rule *rule)
{
    writer_key(writer, "escalation");
    writer_open_array(writer);
    for (size_t i = 0; i < rule->step_count; i++) {
        writer_open_object(writer);
        writer_key_integer(writer, "level", rule->steps[i].level);
        writer_key_integer(writer, "after_minutes", rule->steps[i].after_minutes);
        writer_key_string(writer, "webhook_url", rule->steps[i].webhook_url);
        writer_close_object(writer);
    }
    writer_close_array(writer);
    writer_key(writer, "flap_detection");
    writer_open_object(writer);
    writer_key_boolean(writer, "enabled", rule->flap_enabled);
    writer_key_integer(writer, "window_minutes", rule->flap_window_minutes);
    writer_key_integer(writer, "max_changes", rule->flap_max_changes);
    writer_close_object(writer);
}

/* A notice that its receivers have not taken yet. */
static void write_undelivered(struct json_writer *writer,
                              const struct alert_undelivered *undelivered)
{
    if (!undelivered->event) {
        writer_key_null(writer, "undelivered");
        return;
    }
    writer_key(writer, "undelivered");
    writer_open_object(writer);
    writer_key_string(writer, "event_type", undelivered->event);
    moment_write(writer, "since", undelivered->since);
    writer_key_string(writer, "error", undelivered->error);
    writer_close_object(writer);
}

static void write_state(struct json_writer *writer, const struct alert_rule *rule)
{
    writer_key_string(writer, "state", alert_state_names[rule->state]);
    moment_write(writer, "fired_at", rule->fired_at);
    moment_write(writer, "resolved_at", rule->resolved_at);
    moment_write(writer, "last_triggered_at", rule->last_triggered_at);
    writer_key_integer(writer, "last_escalation_level", rule->last_level);
    if (rule->last_condition.given)
        writer_key_boolean(writer, "last_condition_triggered", rule->last_condition.value);
    else
        writer_key_null(writer, "last_condition_triggered");
    write_undelivered(writer, &rule->undelivered);
    writer_key(writer, "state_changes");
    writer_open_array(writer);
    for (size_t i = 0; i < rule->change_count; i++) {
        char text[MOMENT_TEXT];

        moment_format(rule->changes[i], text);
        writer_string(writer, text);
    }
    writer_close_array(writer);
}

static void write_alert(struct json_writer *writer, const struct alert_rule *rule, bool with_secret)
{
    writer_open_object(writer);
    writer_key_string(writer, "id", rule->id);
    writer_key_string(writer, "name", rule->name);
    writer_key_string(writer, "tenant", rule->tenant);
    writer_key_string(writer, "metric", rule->metric);
    writer_key_string(writer, "window", rule->window);
    writer_key_string(writer, "condition", alert_condition_names[rule->condition]);
    writer_key_number(writer, "threshold", rule->threshold);
    writer_key_string(writer, "webhook_url", rule->webhook_url);
    if (with_secret)
        writer_key_string(writer, "secret", rule->secret);
    writer_key_integer(writer, "cooldown_minutes", rule->cooldown_minutes);
    writer_key_boolean(writer, "active", rule->active);
    moment_write(writer, "created_at", rule->created_at);
    moment_write(writer, "updated_at", rule->updated_at);
    write_steps(writer, rule);
    write_state(writer, rule);
    writer_close_object(writer);
}

/* An alert tells what its metric is worth: it is there for keys that may see the metric. */
static bool may_see(const struct reading *reading, const struct alert_rule *rule)
{
    const struct live_metric *metric = catalog_metric(reading->catalog, rule->metric);

    return metric ? may_see_table(reading, metric->table) : !reading->types;
}

static enum error find(struct request *request, struct reading *reading, struct alert_rule *rule)
{
    enum error error = service_reading(request, reading);

    if (!error)
        error = alert_find(&reading->storage, request->arguments[0], rule);
    if (error || may_see(reading, rule))
        return error;
    return problem_set(&request->problem, ERROR_NOT_FOUND, "alert_not_found",
                       "Alert '%.200s' not found.", rule->id);
}

/* Members that were sent take the place of the rule's. */
static enum error take_steps(struct request *request, const struct alert_request *body,
                             struct alert_rule *rule)
{
    struct alert_step steps[ALERT_STEPS_MAX];
    const struct step_body *sent = body->escalation.items;
    size_t count = 0;

    if (json_object_get(body->document, "escalation")) {
        for (; count < body->escalation.count && count < ALERT_STEPS_MAX; count++) {
            const char *field = arena_print(request->arena, "escalation.%zu.webhook_url", count);
            enum error error = webhook_check_url(request, field, sent[count].webhook_url);

            if (error)
                return error;
            steps[count] = (struct alert_step){sent[count].level, sent[count].after_minutes,
                                               sent[count].webhook_url};
        }
    } else {
        for (size_t i = 1; i < rule->step_count; i++)
            steps[count++] = rule->steps[i];
    }
    if (alert_order_steps(rule, steps, count))
        return request_fault(request, "body", "escalation", "too_long", "too many steps");
    return ERROR_NONE;
}

static enum error take_body(struct request *request, const struct reading *reading,
                            const struct alert_request *body, struct alert_rule *rule)
{
    const struct live_metric *metric = NULL;
    enum error error = ERROR_NONE;

    rule->name = body->name ? body->name : rule->name;
    rule->metric = body->metric ? body->metric : rule->metric;
    rule->window = body->window ? body->window : rule->window;
    if (body->condition >= 0)
        rule->condition = (enum alert_condition)body->condition;
    if (body->threshold.given)
        rule->threshold = body->threshold.value;
    if (body->cooldown_minutes.given)
        rule->cooldown_minutes = body->cooldown_minutes.value;
    if (body->active.given)
        rule->active = body->active.value;
    if (body->flap_detection) {
        rule->flap_enabled = body->flap_detection->enabled;
        rule->flap_window_minutes = body->flap_detection->window_minutes;
        rule->flap_max_changes = body->flap_detection->max_changes;
    }
    if (body->webhook_url) {
        rule->webhook_url = body->webhook_url;
        error = webhook_check_url(request, "webhook_url", body->webhook_url);
    }
    if (!error)
        error = reading_metric(reading, rule->metric, rule->window, 0, &metric);
    if (!error)
        rule->source_table = metric->table->name;
    return error ? error : take_steps(request, body, rule);
}

enum error alert_create_handle(struct request *request, struct reply *reply)
{
    const struct alert_request *body = request->body;
    struct alert_rule *rule = ARENA_NEW(request->arena, struct alert_rule);
    struct json_writer writer = service_writer(reply);
    struct reading reading;
    enum error error = service_reading(request, &reading);

    *rule = (struct alert_rule){
        .cooldown_minutes = 30, .flap_window_minutes = 5, .flap_max_changes = 3, .active = true};
    if (!error && !body->threshold.given)
        error = request_fault(request, "body", "threshold", "float_type",
                              "Input should be a valid number");
    if (!error)
        error = take_body(request, &reading, body, rule);
    if (!error)
        error = alert_add(&reading.storage, rule, service_settings(request)->alerts_max);
    if (!error)
        write_alert(&writer, rule, true);
    return error;
}

enum error alert_list_handle(struct request *request, struct reply *reply)
{
    struct json_writer writer = service_writer(reply);
    struct alert_rules rules;
    struct reading reading;
    enum error error = service_reading(request, &reading);

    if (!error)
        error = alert_list(&reading.storage, service_settings(request)->alerts_max, &rules);
    if (error)
        return error;
    writer_open_object(&writer);
    writer_key(&writer, "alerts");
    writer_open_array(&writer);
    for (size_t i = 0; i < rules.count; i++)
        if (may_see(&reading, &rules.items[i]))
            write_alert(&writer, &rules.items[i], false);
    writer_close_array(&writer);
    writer_close_object(&writer);
    return ERROR_NONE;
}

/* What a change leaves alone may be what another one has just changed: then it begins anew. */
static enum error change(struct request *request, struct reading *reading, struct alert_rule *rule)
{
    int64_t left = service_settings(request)->alert_change_attempts;
    enum error error;

    do {
        error = find(request, reading, rule);
        if (!error)
            error = take_body(request, reading, request->body, rule);
        if (!error)
            error = alert_change(&reading->storage, rule);
    } while (error == ERROR_CONFLICT && strcmp(request->problem.reason, "alert_changed") == 0 &&
             --left > 0);
    return error;
}

enum error alert_change_handle(struct request *request, struct reply *reply)
{
    struct alert_rule *rule = ARENA_NEW(request->arena, struct alert_rule);
    struct json_writer writer = service_writer(reply);
    struct reading reading;
    enum error error = change(request, &reading, rule);

    if (!error)
        write_alert(&writer, rule, false);
    return error;
}

enum error alert_delete_handle(struct request *request, struct reply *reply)
{
    struct alert_rule *rule = ARENA_NEW(request->arena, struct alert_rule);
    struct reading reading;
    enum error error = find(request, &reading, rule);

    (void)reply;
    return error ? error : alert_remove(&reading.storage, rule->id);
}

static void write_result(struct json_writer *writer, const struct alert_rule *rule,
                         const struct webhook_event *event, const struct webhook_result *result)
{
    writer_open_object(writer);
    writer_key_string(writer, "delivery_id", result->delivery_id);
    writer_key_string(writer, "alert_id", rule->id);
    writer_key_string(writer, "event_id", event->event_id);
    writer_key_string(writer, "event_type", event->event_type);
    writer_key_boolean(writer, "success", result->success);
    if (result->status_code.given)
        writer_key_integer(writer, "status_code", result->status_code.value);
    else
        writer_key_null(writer, "status_code");
    writer_key_string(writer, "error", result->error);
    writer_key_integer(writer, "attempts", result->attempts);
    writer_close_object(writer);
}

enum error alert_test_handle(struct request *request, struct reply *reply)
{
    struct egress_policy policy = webhook_egress(request);
    struct webhook_delivery_config config = outbound_config(service_settings(request), &policy);
    struct alert_rule *rule = ARENA_NEW(request->arena, struct alert_rule);
    struct json_writer writer = service_writer(reply);
    struct webhook_result result;
    struct webhook_target target;
    struct webhook_event event;
    struct reading reading;
    enum error error = find(request, &reading, rule);

    if (error)
        return error;
    config.kind = &live_alert_kind;
    config.region = request->server->region;
    target = (struct webhook_target){rule->webhook_url, rule->secret};
    event = (struct webhook_event){.webhook_id = alert_receiver(request->arena, rule, 0),
                                   .event_id = arena_print(request->arena, "test-%s", rule->id),
                                   .event_type = "alert.test",
                                   .body = alert_test_body(&reading.storage, rule)};
    error = webhook_send_now(reading.storage.db, request->arena, &config, &target, &event, &result,
                             &request->problem);
    if (!error)
        write_result(&writer, rule, &event, &result);
    return error;
}

static void write_of_payload(struct json_writer *writer, const json_t *payload, const char *key)
{
    const json_t *value = json_object_get(payload, key);

    writer_key(writer, key);
    if (value)
        writer_value(writer, value);
    else
        writer_null(writer);
}

static void write_notice(struct json_writer *writer, const struct alert_rule *rule,
                         const struct alert_history_row *row, const json_t *payload)
{
    static const char *const keys[] = {"alert_name", "metric",    "current_value", "previous_value",
                                       "change_pct", "threshold", "condition",     "window"};

    writer_open_object(writer);
    writer_key_string(writer, "delivery_id", row->delivery_id);
    writer_key_string(writer, "alert_id", rule->id);
    for (size_t i = 0; i < COUNT_OF(keys); i++)
        write_of_payload(writer, payload, keys[i]);
    writer_key_string(writer, "tenant", rule->tenant);
    writer_key_string(writer, "event_type", row->event_type);
    if (row->status_code.given)
        writer_key_integer(writer, "status_code", row->status_code.value);
    else
        writer_key_null(writer, "status_code");
    writer_key_boolean(writer, "success", row->success);
    writer_key_string(writer, "error", row->error);
    writer_key(writer, "payload");
    writer_value(writer, payload);
    moment_write(writer, "triggered_at", row->triggered_at);
    writer_close_object(writer);
}

enum error alert_history_handle(struct request *request, struct reply *reply)
{
    struct alert_rule *rule = ARENA_NEW(request->arena, struct alert_rule);
    struct json_writer writer = service_writer(reply);
    struct alert_history history;
    struct reading reading;
    enum error error = find(request, &reading, rule);

    if (!error)
        error = alert_read_history(&reading.storage, rule->id, HISTORY_SHOWN, &history);
    if (error)
        return error;
    writer_open_object(&writer);
    writer_key(&writer, "history");
    writer_open_array(&writer);
    for (size_t i = 0; i < history.count; i++) {
        const char *text = history.items[i].payload;
        struct json_fault fault;
        json_t *payload;

        if (!json_read(request->arena, text, strlen(text), JSON_DEPTH_LIMIT, &payload, &fault))
            write_notice(&writer, rule, &history.items[i], payload);
    }
    writer_close_array(&writer);
    writer_close_object(&writer);
    return ERROR_NONE;
}
