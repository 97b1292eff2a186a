/* Alerts: made, listed, changed, removed, tried, and the notices that were sent. */
#include "livedata/alerts/backtest.h"
#include "livedata/alerts/watch.h"

#include "crypto/token.h"
#include "livedata-events/events.h"
#include "livedata/metrics/metric.h"
#include "livedata/webhooks/outbound.h"

#include <string.h>

enum { HISTORY_SHOWN = 20, NAME_MAX_LENGTH = 200, SECRET_BYTES = 32, SECRET_TEXT = 44 };

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
    OBJECT_LIST(struct alert_step, escalation);
    const struct alert_flap *flap_detection;
    const json_t *document;
};

#define OWNER struct alert_request
#define NAME_RULES .min_length = 1, .max_length = NAME_MAX_LENGTH
#define URL_RULES                                                                                  \
    .max_length = 2000, .nullable = true,                                                          \
    .help = "Where notices are POSTed to, signed; empty: they are shown in the history only."
#define COOLDOWN_RULES .lower = AT_LEAST(0), .upper = AT_MOST(1440)
#define SHARED_ROWS                                                                                \
    OBJECTS(OWNER, escalation, alert_step_schema, .nullable = true,                                \
            .max_length = ALERT_STEPS_MAX - 1,                                                     \
            .help = "Who else gets a notice, and after how long."),                                \
        OBJECT(OWNER, flap_detection, alert_flap_schema, .nullable = true)
static const struct field create_fields[] = {
    STRING(OWNER, name, .required = true, NAME_RULES),
    STRING(OWNER, metric, .required = true, .help = "One of the catalog."),
    STRING(OWNER, window, .default_text = "1h", .help = "One of the metric's windows."),
    CHOICE(OWNER, condition, alert_condition_names, .choice_count = ALERT_CONDITION__MAX,
           .required = true),
    NULLABLE_NUMBER(OWNER, threshold, .required = true,
                    .help = "A value of the metric; of change_pct a percentage."),
    STRING(OWNER, webhook_url, URL_RULES),
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
    STRING(OWNER, webhook_url, URL_RULES),
    NULLABLE_INTEGER(OWNER, cooldown_minutes, COOLDOWN_RULES),
    NULLABLE_BOOLEAN(OWNER, active, .help = "false: the alert stays and is not evaluated."),
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

/* What a rule would say now. */
struct alert_preview {
    const char *metric, *unit, *window;
    int condition;
    double threshold;
    struct optional_number current_value, previous_value, change_pct;
    struct optional_boolean triggered;
    const struct alert_backtest *last_week; /* NULL = not known */
};

#define OWNER struct alert_preview
static const struct field preview_fields[] = {
    STRING(OWNER, metric),
    STRING(OWNER, unit),
    STRING(OWNER, window),
    CHOICE(OWNER, condition, alert_condition_names, .choice_count = ALERT_CONDITION__MAX),
    NUMBER(OWNER, threshold),
    NULLABLE_NUMBER(OWNER, current_value, .help = "null: the metric has no value now."),
    NULLABLE_NUMBER(OWNER, previous_value, .help = "Of a change: the value one window ago."),
    NULLABLE_NUMBER(OWNER, change_pct),
    NULLABLE_BOOLEAN(OWNER, triggered,
                     .help = "Whether the condition holds now; null where there is no value."),
    OBJECT(OWNER, last_week, alert_backtest_schema, .omit_if_null = true,
           .help = "What it would have done in the last seven days."),
};
#undef OWNER
SCHEMA(alert_preview_schema, struct alert_preview, "AlertPreview", preview_fields);

struct alert_answers {
    OBJECT_LIST(struct alert_rule, alerts);
};

#define OWNER struct alert_answers
static const struct field alerts_fields[] = {OBJECTS(OWNER, alerts, alert_schema)};
#undef OWNER
SCHEMA(alerts_schema, struct alert_answers, "AlertList", alerts_fields);

#define OWNER struct delivery_answer
static const struct field result_fields[] = {
    DELIVERY_ROWS({.name = "alert_id",
                   .type = FIELD_STRING,
                   .offset = offsetof(struct delivery_answer, receiver_id)})};
#undef OWNER
SCHEMA(alert_result_schema, struct delivery_answer, "AlertDelivery", result_fields);

/* An alert shows values of its metric: only keys that may read the metric may read the alert. */
static bool may_see(const struct reading *reading, const struct alert_rule *rule)
{
    return may_see_metric(reading, rule->metric);
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
    const struct alert_step *sent = body->escalation.items;
    size_t count = 0;

    if (!*rule->webhook_url && body->escalation.count)
        return request_fault(request, "body", "escalation", "value_error",
                             "an alert without webhook_url has no further receivers");
    if (!*rule->webhook_url) {
        rule->step_count = 0;
        return ERROR_NONE;
    }
    if (json_object_get(body->document, "escalation")) {
        for (; count < body->escalation.count && count < ALERT_STEPS_MAX; count++) {
            const char *field = arena_print(request->arena, "escalation.%zu.webhook_url", count);
            enum error error = webhook_check_url(request, field, sent[count].webhook_url);

            if (error)
                return error;
            steps[count] = sent[count];
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
    if (body->flap_detection)
        rule->flap = *body->flap_detection;
    if (body->webhook_url) {
        rule->webhook_url = body->webhook_url;
        if (*body->webhook_url)
            error = webhook_check_url(request, "webhook_url", body->webhook_url);
    }
    if (!error)
        error = reading_metric(reading, rule->metric, rule->window, 0, &metric);
    if (!error)
        rule->source_table = metric->table->name;
    return error ? error : take_steps(request, body, rule);
}

/* The rule of a request that creates one. */
static enum error take_new(struct request *request, struct reading *reading,
                           struct alert_rule *rule)
{
    const struct alert_request *body = request->body;
    enum error error = service_reading(request, reading);

    *rule = (struct alert_rule){.webhook_url = "",
                                .cooldown_minutes = 30,
                                .flap = {.window_minutes = 5, .max_changes = 3},
                                .active = true};
    if (!error && !body->threshold.given)
        error = request_fault(request, "body", "threshold", "float_type",
                              "Input should be a valid number");
    return error ? error : take_body(request, reading, body, rule);
}

enum error alert_create_handle(struct request *request, struct reply *reply)
{
    struct alert_rule *rule = ARENA_NEW(request->arena, struct alert_rule);
    struct reading reading;
    enum error error = take_new(request, &reading, rule);

    if (!error)
        error = alert_add(&reading.storage, rule, service_settings(request)->alerts_max);
    if (error)
        return error;
    alert_show(rule, request->arena);
    reply->object = rule;
    return ERROR_NONE;
}

/* Those that the key may see, in place. */
static struct object_list visible(struct request *request, const struct reading *reading,
                                  struct alert_rules *rules)
{
    size_t count = 0;

    for (size_t i = 0; i < rules->count; i++) {
        if (!may_see(reading, &rules->items[i]))
            continue;
        rules->items[count] = rules->items[i];
        alert_show(&rules->items[count++], request->arena);
    }
    return (struct object_list){count, rules->items};
}

enum error alert_list_handle(struct request *request, struct reply *reply)
{
    struct alert_answers *answer = ARENA_NEW(request->arena, struct alert_answers);
    struct alert_rules rules;
    struct reading reading;
    enum error error = service_reading(request, &reading);

    if (!error)
        error = alert_list(&reading.storage, service_settings(request)->alerts_max, &rules);
    if (error)
        return error;
    answer->alerts = visible(request, &reading, &rules);
    reply->object = answer;
    return ERROR_NONE;
}

/* If another change came between reading and writing, this one starts again. */
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
    struct reading reading;
    enum error error = change(request, &reading, rule);

    if (error)
        return error;
    alert_show(rule, request->arena);
    reply->object = rule;
    return ERROR_NONE;
}

enum error alert_delete_handle(struct request *request, struct reply *reply)
{
    struct alert_rule *rule = ARENA_NEW(request->arena, struct alert_rule);
    struct reading reading;
    enum error error = find(request, &reading, rule);

    (void)reply;
    return error ? error : alert_remove(&reading.storage, rule->id);
}

enum error alert_preview_handle(struct request *request, struct reply *reply)
{
    struct alert_preview *preview = ARENA_NEW(request->arena, struct alert_preview);
    struct alert_rule *rule = ARENA_NEW(request->arena, struct alert_rule);
    const struct alert_backtest *last_week = NULL;
    const struct live_metric *metric = NULL;
    struct alert_reading now = {0};
    struct reading reading;
    enum error error = take_new(request, &reading, rule);

    if (!error)
        error = alert_evaluate(&reading.storage, reading.settings, reading.catalog, rule, &now);
    if (!error)
        metric = catalog_metric(reading.catalog, rule->metric);
    /* Of a metric in SQL, the measure may read more tables. */
    if (metric && may_see_tables_of(&reading, metric, metric->measure))
        error = alert_backtest(&reading.storage, reading.settings, metric, rule, &last_week);
    if (error)
        return error;
    *preview = (struct alert_preview){.last_week = last_week,
                                      .metric = rule->metric,
                                      .unit = metric_unit(metric, reading.settings),
                                      .window = rule->window,
                                      .condition = rule->condition,
                                      .threshold = rule->threshold};
    if (!now.no_data) {
        preview->current_value = GIVEN_NUMBER(now.value);
        preview->previous_value = now.previous;
        preview->change_pct = now.change_pct;
        preview->triggered = GIVEN_BOOLEAN(now.triggered);
    }
    reply->object = preview;
    return ERROR_NONE;
}

static enum error no_receiver(struct request *request)
{
    return problem_set(&request->problem, ERROR_CONFLICT, "alert_no_receiver",
                       "This alert has no receiver: nothing is sent.");
}

/* A test of an alert that is not stored: signed with a secret that is used once. */
enum error alert_try_handle(struct request *request, struct reply *reply)
{
    struct egress_policy policy = webhook_egress(request);
    struct webhook_delivery_config config = outbound_config(service_settings(request), &policy);
    struct alert_rule *rule = ARENA_NEW(request->arena, struct alert_rule);
    char *secret = arena_alloc(request->arena, SECRET_TEXT);
    char *id = arena_alloc(request->arena, TOKEN_UUID_TEXT);
    struct webhook_result result;
    struct webhook_target target;
    struct webhook_event event;
    struct reading reading;
    enum error error = take_new(request, &reading, rule);

    if (error)
        return error;
    if (!rule->step_count)
        return no_receiver(request);
    token_uuid(id);
    token_random_text(SECRET_BYTES, secret, SECRET_TEXT);
    rule->id = id;
    rule->tenant = reading.storage.tenant;
    config.kind = &live_alert_kind;
    config.region = request->server->region;
    target = (struct webhook_target){rule->webhook_url, secret};
    event = (struct webhook_event){.webhook_id = alert_receiver(request->arena, rule, 0),
                                   .event_id = arena_print(request->arena, "test-%s", id),
                                   .event_type = "alert.test",
                                   .body = alert_test_body(&reading.storage, rule)};
    webhook_try(request->arena, &config, &target, &event, &result);
    reply->object = delivery_answer(request->arena, id, &event, &result);
    return ERROR_NONE;
}

enum error alert_test_handle(struct request *request, struct reply *reply)
{
    struct egress_policy policy = webhook_egress(request);
    struct webhook_delivery_config config = outbound_config(service_settings(request), &policy);
    struct alert_rule *rule = ARENA_NEW(request->arena, struct alert_rule);
    struct webhook_result result;
    struct webhook_target target;
    struct webhook_event event;
    struct reading reading;
    enum error error = find(request, &reading, rule);

    if (error)
        return error;
    if (!rule->step_count)
        return no_receiver(request);
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
        reply->object = delivery_answer(request->arena, rule->id, &event, &result);
    return error;
}

/* Those whose metric the key may read, in place. */
static void keep_visible(const struct reading *reading, struct alert_history *history)
{
    struct alert_history_row *rows = (struct alert_history_row *)history->history.items;
    size_t count = 0;

    for (size_t i = 0; i < history->history.count; i++)
        if (may_see_metric(reading, rows[i].metric))
            rows[count++] = rows[i];
    history->history.count = count;
}

enum error alert_recent_handle(struct request *request, struct reply *reply)
{
    struct alert_history *history = ARENA_NEW(request->arena, struct alert_history);
    struct reading reading;
    enum error error = service_reading(request, &reading);

    if (!error)
        error = alert_read_recent(&reading.storage, HISTORY_SHOWN, history);
    if (error)
        return error;
    keep_visible(&reading, history);
    reply->object = history;
    return ERROR_NONE;
}

enum error alert_history_handle(struct request *request, struct reply *reply)
{
    struct alert_rule *rule = ARENA_NEW(request->arena, struct alert_rule);
    struct alert_history *history = ARENA_NEW(request->arena, struct alert_history);
    struct reading reading;
    enum error error = find(request, &reading, rule);

    if (!error)
        error = alert_read_history(&reading.storage, rule, HISTORY_SHOWN, history);
    if (!error)
        reply->object = history;
    return error;
}
