/* One evaluation of a rule: its metric, the decision, and the notices that are enqueued. */
#include "livedata/alerts/watch.h"

#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "base/number.h"
#include "crypto/token.h"
#include "livedata/journal/journal.h"
#include "livedata/metrics/metric.h"
#include "livedata/tables/tables.h"
#include "livedata/timestamp.h"

#include <math.h>

enum { BODY_BYTES_MAX = 16384, MINUTE_DECIMALS = 2 };

enum error alert_evaluate(const struct storage_call *call, const struct livedata_settings *settings,
                          const struct catalog *catalog, const struct alert_rule *rule,
                          struct alert_reading *reading)
{
    struct metric_request request = {.metric = catalog_metric(catalog, rule->metric),
                                     .window = rule->window};
    struct optional_number previous = {0};
    struct metric_value now, before;
    enum error error;
    int64_t size = 0;

    if (!request.metric)
        return problem_set(call->problem, ERROR_NOT_FOUND, "unknown_metric",
                           "the metric %s is not declared any more", rule->metric);
    error = metric_compute(call, settings, &request, &now);
    if (!error && rule->condition == ALERT_CHANGE && window_parse(rule->window, &size)) {
        request.as_of = call->now - size;
        error = metric_compute(call, settings, &request, &before);
        if (!error && !before.undefined)
            previous = GIVEN_NUMBER(before.value);
    }
    if (error)
        return error;
    alert_read(rule->condition, rule->threshold, now.value, previous, reading);
    reading->no_data |= now.undefined || (now.value == 0 && !now.newest.applied_at);
    return ERROR_NONE;
}

/* When the condition began to hold, also if its notice is late. */
static int64_t beginning_of(const struct storage_call *call, const struct alert_rule *rule)
{
    if (rule->fired_at)
        return rule->fired_at;
    return rule->undelivered.event_type ? rule->undelivered.since : call->now;
}

/* The body of a notice, its keys in their order: receivers check the signature of these bytes. */
struct notice_body {
    const char *alert_id, *alert_name;
    struct optional_number change_pct;
    int condition;
    double current_value, duration_minutes;
    int64_t fired_at;
    int64_t level;
    const char *metric;
    struct optional_number previous_value;
    int64_t resolved_at;
    struct optional_number resolved_value;
    const char *status, *tenant;
    double threshold;
    int64_t triggered_at;
    const char *window;
};

/* `of_change` says whether the condition compares with a previous value. */
#define OWNER struct notice_body
#define NOTICE_ROWS(of_change)                                                                     \
    STRING(OWNER, alert_id), STRING(OWNER, alert_name),                                            \
        NULLABLE_NUMBER(OWNER, change_pct, .internal = !(of_change)),                              \
        CHOICE(OWNER, condition, alert_condition_names, .choice_count = ALERT_CONDITION__MAX),     \
        NUMBER(OWNER, current_value), NUMBER(OWNER, duration_minutes),                             \
        TIME(OWNER, fired_at, .time = TIME_Z), INTEGER(OWNER, level), STRING(OWNER, metric),       \
        NULLABLE_NUMBER(OWNER, previous_value, .internal = !(of_change)),                          \
        TIME_OR_NULL(OWNER, resolved_at, .time = TIME_Z),                                          \
        NULLABLE_NUMBER(OWNER, resolved_value, .omit_if_null = true), STRING(OWNER, status),       \
        STRING(OWNER, tenant), NUMBER(OWNER, threshold),                                           \
        TIME(OWNER, triggered_at, .time = TIME_Z), STRING(OWNER, window)
static const struct field notice_fields[] = {NOTICE_ROWS(false)};
static const struct field change_notice_fields[] = {NOTICE_ROWS(true)};
#undef OWNER
static SCHEMA(notice_schema, struct notice_body, "AlertNotice", notice_fields);
static SCHEMA(change_notice_schema, struct notice_body, "AlertChangeNotice", change_notice_fields);

struct test_body {
    const char *alert_id, *alert_name;
    int condition;
    const char *metric, *tenant;
    bool test;
    double threshold;
    int64_t triggered_at;
    const char *window;
};

#define OWNER struct test_body
static const struct field test_fields[] = {
    STRING(OWNER, alert_id),
    STRING(OWNER, alert_name),
    CHOICE(OWNER, condition, alert_condition_names, .choice_count = ALERT_CONDITION__MAX),
    STRING(OWNER, metric),
    STRING(OWNER, tenant),
    BOOLEAN(OWNER, test),
    NUMBER(OWNER, threshold),
    TIME(OWNER, triggered_at, .time = TIME_Z),
    STRING(OWNER, window),
};
#undef OWNER
static SCHEMA(test_schema, struct test_body, "AlertTestNotice", test_fields);

static const char *body_text(struct arena *arena, const struct schema *schema, const void *body)
{
    struct json_writer writer;
    struct text text;

    text_start(&text, arena, BODY_BYTES_MAX);
    writer_start(&writer, &text);
    writer.ascii = true;
    schema_write(&writer, schema, body);
    return text.bytes;
}

const char *alert_body(const struct storage_call *call, const struct alert_rule *rule,
                       const struct alert_reading *reading, const struct alert_decision *decision)
{
    int64_t fired_at = beginning_of(call, rule);
    bool resolves = decision->notice == ALERT_RESOLVES;
    const struct notice_body body = {
        .alert_id = rule->id,
        .alert_name = rule->name,
        .change_pct = reading->change_pct,
        .condition = rule->condition,
        .current_value = reading->value,
        .duration_minutes =
            number_round((double)(call->now - fired_at) / (double)us_per_minute, MINUTE_DECIMALS),
        .fired_at = fired_at,
        .level = decision->level,
        .metric = rule->metric,
        .previous_value = reading->previous,
        .resolved_at = resolves ? call->now : 0,
        .resolved_value = {resolves, reading->value},
        .status = alert_notice_states[decision->notice],
        .tenant = rule->tenant,
        .threshold = rule->threshold,
        .triggered_at = call->now,
        .window = rule->window,
    };

    return body_text(call->arena,
                     rule->condition == ALERT_CHANGE ? &change_notice_schema : &notice_schema,
                     &body);
}

const char *alert_test_body(const struct storage_call *call, const struct alert_rule *rule)
{
    const struct test_body body = {.alert_id = rule->id,
                                   .alert_name = rule->name,
                                   .condition = rule->condition,
                                   .metric = rule->metric,
                                   .tenant = rule->tenant,
                                   .test = true,
                                   .threshold = rule->threshold,
                                   .triggered_at = call->now,
                                   .window = rule->window};

    return body_text(call->arena, &test_schema, &body);
}

static enum error enqueue(const struct storage_call *call, const struct alert_rule *rule,
                          const struct alert_decision *decision, const char *event_id,
                          const char *body)
{
    enum error error = ERROR_NONE;

    for (size_t i = 0; !error && i < rule->step_count; i++) {
        struct webhook_event event = {
            .event_id = event_id, .event_type = alert_notice_types[decision->notice], .body = body};

        if (!alert_is_receiver(rule, i, decision))
            continue;
        event.webhook_id = alert_receiver(call->arena, rule, i);
        error = webhook_enqueue(call->db, call->arena, &live_alert_kind, &event, call->problem);
    }
    return error;
}

static struct alert_pending pending_of(const struct storage_call *call,
                                       const struct alert_rule *rule,
                                       const struct alert_decision *decision)
{
    struct alert_pending pending = {.state = decision->delivered,
                                    .level = decision->level,
                                    .nothing_owed = decision->nothing_owed,
                                    .event_type = alert_notice_types[decision->notice]};
    char *id;

    for (size_t i = 0; i < rule->step_count; i++)
        pending.receivers += alert_is_receiver(rule, i, decision);
    if (decision->notice == ALERT_SILENT || (rule->step_count && !pending.receivers))
        return pending;
    id = arena_alloc(call->arena, TOKEN_UUID_TEXT);
    token_uuid(id);
    pending.event_id = id;
    return pending;
}

/* To its receivers, or to the history alone. */
static enum error announce(const struct storage_call *call, const struct alert_rule *rule,
                           const struct alert_reading *reading,
                           const struct alert_decision *decision,
                           const struct alert_pending *pending)
{
    const char *body = alert_body(call, rule, reading, decision);

    return rule->step_count ? enqueue(call, rule, decision, pending->event_id, body)
                            : alert_end_unsent(call, rule, pending, body);
}

/* A rule that was changed during its evaluation is evaluated again. */
static enum error end_evaluation(const struct storage_call *call, struct alert_rule *rule,
                                 int64_t generation, const struct alert_reading *reading,
                                 const struct alert_decision *decision)
{
    struct alert_pending pending = pending_of(call, rule, decision);
    enum error error = db_begin(call->db, DB_WRITE, call->problem);
    bool kept = false;

    if (error)
        return error;
    if (rule->pending_event)
        error = alert_stop_notices(call, rule);
    if (!error)
        error = alert_end_evaluation(call, rule, generation, &pending, &kept);
    if (!error && kept && pending.event_id)
        error = announce(call, rule, reading, decision, &pending);
    return db_finish(call->db, error, call->problem);
}

static enum error evaluate(struct storage_call *call, const struct livedata_settings *settings,
                           const struct catalog *catalog, const struct tenants *tenants,
                           const struct alert_due *due)
{
    struct alert_rule *rule = ARENA_NEW(call->arena, struct alert_rule);
    int64_t interval = llround(settings->alert_seconds * 1e6), generation;
    struct alert_decision decision = {0};
    struct alert_reading reading = {0};
    enum error error = alert_find(call, due->id, rule);

    if (error)
        return error == ERROR_NOT_FOUND ? ERROR_NONE : error;
    call->tenant = rule->tenant;
    error = generation_of_table(call, rule->source_table, &generation); /* before its values */
    if (error)
        return error;
    catalog = tenant_catalog(tenants, rule->tenant, catalog);
    decision.state = rule->state;
    if (alert_evaluate(call, settings, catalog, rule, &reading)) {
        log_event(LOG_WARNING, "alert_unreadable",
                  arena_print(call->arena, "%s: %s", rule->id, call->problem->text));
    } else {
        rule->source_table = catalog_metric(catalog, rule->metric)->table->name;
        if (reading.no_data)
            alert_decide_without_data(rule, &decision);
        else
            alert_decide(rule, reading.triggered, call->now, interval, &decision);
    }
    rule->state = decision.state;
    return end_evaluation(call, rule, generation, &reading, &decision);
}

enum error alert_watch(struct db *db, struct arena *arena, const struct livedata_settings *settings,
                       const struct catalog *catalog, const struct tenants *tenants,
                       int64_t *evaluations, struct problem *problem)
{
    struct storage_call call = {
        .db = db, .arena = arena, .problem = problem, .now = clock_unix_microseconds()};
    struct alert_dues dues;
    enum error error = alert_list_due(&call, llround(settings->alert_seconds * 1e6),
                                      llround(settings->alert_event_seconds * 1e6), &dues);

    *evaluations = 0;
    if (!error && dues.count && catalog->table_count > serving_table_count)
        error = tables_look(&call, catalog);
    for (size_t i = 0; !error && i < dues.count; i++) {
        bool claimed = false;

        call.tenant = NULL;
        call.now = clock_unix_microseconds();
        error = alert_claim(&call, &dues.items[i], &claimed);
        if (!error && claimed) {
            ++*evaluations;
            error = evaluate(&call, settings, catalog, tenants, &dues.items[i]);
        }
    }
    return error;
}
