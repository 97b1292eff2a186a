/* All SQL of alerts, and the change of a rule after a delivered notice. */
#include "livedata/alerts/rules.h"

#include "base/json.h"
#include "crypto/token.h"
#include "db/query.h"
#include "jobs/inbox.h"

#include <stdlib.h>
#include <string.h>

enum { SECRET_BYTES = 32, SECRET_TEXT = 44, DUE_MOST = 50, LISTS_MAX = 65536, ID_TEXT = 64 };

/* Time limit of an evaluation, and time after which an undelivered notice counts as lost. */
#define LEASE "120000000"

#define RULE_COLUMNS                                                                               \
    "id, tenant_id AS tenant, name, metric, source_table, metric_window AS \"window\","            \
    " alert_condition AS \"condition\", threshold, webhook_url, secret, cooldown_minutes,"         \
    " escalation, flap_enabled, flap_window_minutes, flap_max_changes, active, created_at,"        \
    " updated_at, state, fired_at, resolved_at, last_triggered_at, last_escalation_level,"         \
    " last_condition_triggered, state_changes AS changed_at, pending_event, undelivered_event,"    \
    " undelivered_since, undelivered_error, undelivered_taken"

static const struct statement count_rules = {
    .name = "alert_count",
    .sql = "SELECT count(*) FROM alert_rules WHERE tenant_id = ?",
};
static const struct statement insert_rule = {
    .name = "alert_insert",
    .sql = "INSERT INTO alert_rules (id, tenant_id, name, metric, source_table, metric_window,"
           " alert_condition, threshold, webhook_url, secret, cooldown_minutes, escalation,"
           " flap_enabled, flap_window_minutes, flap_max_changes, active, created_at, updated_at)"
           " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
};
static const struct statement list_rules = {
    .name = "alert_list",
    .sql = "SELECT " RULE_COLUMNS " FROM alert_rules WHERE tenant_id = ?"
           " ORDER BY created_at, id LIMIT ?",
};
static const struct statement find_rule = {
    .name = "alert_find",
    .sql = "SELECT " RULE_COLUMNS " FROM alert_rules WHERE id = ?"
           " AND (CAST(? AS TEXT) IS NULL OR tenant_id = ?)",
};
static const struct statement change_rule = {
    .name = "alert_change",
    .sql = "UPDATE alert_rules SET name = ?, metric = ?, source_table = ?, metric_window = ?,"
           " alert_condition = ?, threshold = ?, webhook_url = ?, cooldown_minutes = ?,"
           " escalation = ?, flap_enabled = ?, flap_window_minutes = ?, flap_max_changes = ?,"
           " active = ?, updated_at = ?, evaluated_at = 0, evaluated_gen = -1,"
           " tick_lease_expires_at = 0, pending_event = NULL, undelivered_taken = 0"
           " WHERE id = ? AND tenant_id = ?"
           " AND updated_at = ?",
};
static const struct statement delete_rule = {
    .name = "alert_delete",
    .sql = "DELETE FROM alert_rules WHERE id = ? AND tenant_id = ?",
};
static const struct statement delete_history = {
    .name = "alert_history_delete",
    .sql = "DELETE FROM alert_history WHERE alert_id = ?",
};
#define IS_FREE                                                                                    \
    "active = 1 AND tick_lease_expires_at <= {now_microseconds} AND (pending_event IS NULL"        \
    " OR pending_at <= {now_microseconds} - " LEASE ")"
static const struct statement overdue_rules = {
    .name = "alert_overdue",
    .sql = "SELECT id, evaluated_at FROM alert_rules WHERE " IS_FREE
           " AND evaluated_at <= {now_microseconds} - CAST(? AS BIGINT)"
           " ORDER BY evaluated_at LIMIT ?",
};
/* Rules stay on one node, generations may be distributed: rules are selected first, and the result
 * is joined. A rule whose notice is unreachable is retried at the interval alone. */
static const struct statement changed_rules = {
    .name = "alert_changed",
    .sql = "WITH free AS MATERIALIZED (SELECT id, tenant_id, source_table, evaluated_at,"
           " evaluated_gen FROM alert_rules WHERE " IS_FREE
           " AND evaluated_at <= {now_microseconds} - CAST(? AS BIGINT)"
           " AND evaluated_at > {now_microseconds} - CAST(? AS BIGINT)"
           " AND undelivered_event IS NULL) SELECT free.id, free.evaluated_at FROM free"
           " JOIN cache_generation AS g ON g.tenant_id = free.tenant_id"
           " AND g.table_name = free.source_table WHERE g.gen <> free.evaluated_gen"
           " ORDER BY free.evaluated_at LIMIT ?",
};
static const struct statement claim_rule = {
    .name = "alert_claim",
    .sql = "UPDATE alert_rules SET tick_lease_expires_at = {now_microseconds} + " LEASE
           " WHERE id = ? AND active = 1 AND evaluated_at = ?"
           " AND tick_lease_expires_at <= {now_microseconds}",
};
static const struct statement end_evaluation = {
    .name = "alert_end_look",
    .sql = "UPDATE alert_rules SET state = ?, last_condition_triggered = ?, state_changes = ?,"
           " source_table = ?, evaluated_gen = ?, evaluated_at = {now_microseconds},"
           " tick_lease_expires_at = 0, pending_event = ?, pending_state = ?, pending_level = ?,"
           " pending_left = ?, pending_failed = 0, pending_at = {now_microseconds},"
           " undelivered_event = CASE WHEN ? = 1 THEN NULL ELSE undelivered_event END,"
           " undelivered_taken = CASE WHEN CAST(? AS TEXT) IS NULL OR undelivered_event = ?"
           " THEN undelivered_taken ELSE 0 END"
           " WHERE id = ? AND updated_at = ? AND tick_lease_expires_at > 0",
};
static const struct statement insert_history = {
    .name = "alert_history_insert",
    .sql =
        "INSERT INTO alert_history (delivery_id, alert_id, event_type, status_code, success,"
        " error, payload, triggered_at) SELECT ?, id, ?, CAST(? AS BIGINT), CAST(? AS {boolean}),"
        " CAST(? AS TEXT), ?, {now_microseconds} FROM alert_rules WHERE id = ?"
        " ON CONFLICT (delivery_id) DO NOTHING",
};
static const struct statement count_delivery = {
    .name = "alert_count_delivery",
    .sql = "UPDATE alert_rules SET pending_left = pending_left - 1,"
           " pending_failed = CASE WHEN ? = 1 THEN pending_failed ELSE 1 END,"
           " undelivered_taken = undelivered_taken | CAST(? AS BIGINT),"
           " undelivered_error = coalesce(CAST(? AS TEXT), undelivered_error)"
           " WHERE id = ? AND pending_event = ?",
};
/* The right side of a SET has the values from before the statement. */
static const struct statement end_notice = {
    .name = "alert_end_notice",
    .sql = "UPDATE alert_rules SET pending_event = NULL,"
           " state = CASE WHEN pending_failed = 0 THEN pending_state ELSE state END,"
           " last_escalation_level = CASE WHEN pending_failed = 1 THEN last_escalation_level"
           " WHEN pending_state = 'resolved' THEN 0 ELSE pending_level END,"
           " last_triggered_at = CASE WHEN pending_failed = 1 OR pending_state = 'resolved'"
           " THEN last_triggered_at ELSE {now_microseconds} END,"
           " resolved_at = CASE WHEN pending_failed = 0 AND pending_state = 'resolved'"
           " THEN {now_microseconds} ELSE resolved_at END,"
           " fired_at = CASE WHEN pending_failed = 1 THEN fired_at WHEN pending_state = 'resolved'"
           " THEN NULL ELSE coalesce(fired_at, CASE WHEN undelivered_event IS NOT NULL"
           " THEN undelivered_since END, {now_microseconds}) END,"
           " undelivered_since = CASE WHEN undelivered_event IS NOT NULL THEN undelivered_since"
           " ELSE pending_at END,"
           " undelivered_event = CASE WHEN pending_failed = 1 THEN CAST(? AS TEXT) END,"
           " undelivered_taken = CASE WHEN pending_failed = 1 THEN undelivered_taken ELSE 0 END"
           " WHERE id = ? AND pending_event = ? AND pending_left <= 0",
};
static const struct statement read_history = {
    .name = "alert_history_read",
    .sql = "SELECT delivery_id, event_type, status_code, success, error, payload, triggered_at"
           " FROM alert_history WHERE alert_id = ? ORDER BY id DESC LIMIT ?",
};
static const struct statement read_recent = {
    .name = "alert_history_recent",
    .sql = "SELECT h.delivery_id, h.event_type, h.status_code, h.success, h.error, h.payload,"
           " h.triggered_at, h.alert_id FROM alert_history AS h JOIN alert_rules AS r"
           " ON r.id = h.alert_id WHERE r.tenant_id = ? ORDER BY h.id DESC LIMIT ?",
};
static const struct statement forget_history = {
    .name = "alert_history_forget",
    .sql = "DELETE FROM alert_history WHERE id IN (SELECT id FROM alert_history"
           " WHERE triggered_at < ? ORDER BY triggered_at LIMIT ?)",
};

static const char *steps_text(struct arena *arena, const struct alert_rule *rule)
{
    struct json_writer writer;
    struct text text;

    text_start(&text, arena, LISTS_MAX);
    writer_start(&writer, &text);
    writer_open_array(&writer);
    for (size_t i = 0; i < rule->step_count; i++)
        schema_write(&writer, &alert_step_schema, &rule->steps[i]);
    writer_close_array(&writer);
    return text.bytes;
}

static const char *changes_text(struct arena *arena, const struct alert_rule *rule)
{
    struct json_writer writer;
    struct text text;

    text_start(&text, arena, LISTS_MAX);
    writer_start(&writer, &text);
    writer_open_array(&writer);
    for (size_t i = 0; i < rule->change_count; i++)
        writer_integer(&writer, rule->changes[i]);
    writer_close_array(&writer);
    return text.bytes;
}

static void take_rule(struct query *query, struct arena *arena, struct alert_rule *rule)
{
    const struct alert_step *steps;

    *rule = (struct alert_rule){0};
    query_read(query, &alert_schema, rule, arena);
    steps = rule->escalation.items;
    for (; rule->step_count < rule->escalation.count && rule->step_count < ALERT_STEPS_MAX;
         rule->step_count++)
        rule->steps[rule->step_count] = steps[rule->step_count];
    for (; rule->change_count < rule->changed_at.count && rule->change_count < ALERT_CHANGES_MAX;
         rule->change_count++)
        rule->changes[rule->change_count] = rule->changed_at.items[rule->change_count];
}

static enum error count_of(const struct storage_call *call, int64_t *count)
{
    struct query *query = db_query(call->db, &count_rules);

    query_bind_text(query, call->tenant);
    *count = query_next(query) ? query_integer(query, 0) : 0;
    return query_end(query, call->problem);
}

static void bind_condition(struct query *query, const struct alert_rule *rule)
{
    query_bind_text(query, rule->name);
    query_bind_text(query, rule->metric);
    query_bind_text(query, rule->source_table);
    query_bind_text(query, rule->window);
    query_bind_text(query, alert_condition_names[rule->condition]);
    query_bind_number(query, rule->threshold);
    query_bind_text(query, rule->webhook_url);
}

static void bind_behavior(struct query *query, const struct storage_call *call,
                          const struct alert_rule *rule)
{
    query_bind_integer(query, rule->cooldown_minutes);
    query_bind_text(query, steps_text(call->arena, rule));
    query_bind_boolean(query, rule->flap.enabled);
    query_bind_integer(query, rule->flap.window_minutes);
    query_bind_integer(query, rule->flap.max_changes);
    query_bind_boolean(query, rule->active);
}

static enum error insert(const struct storage_call *call, const struct alert_rule *rule)
{
    struct query *query = db_query(call->db, &insert_rule);

    query_bind_text(query, rule->id);
    query_bind_text(query, call->tenant);
    bind_condition(query, rule);
    query_bind_text(query, rule->secret);
    bind_behavior(query, call, rule);
    query_bind_integer(query, rule->created_at);
    query_bind_integer(query, rule->updated_at);
    return query_end(query, call->problem);
}

enum error alert_add(const struct storage_call *call, struct alert_rule *rule, int64_t most)
{
    char *id = arena_alloc(call->arena, TOKEN_UUID_TEXT);
    char *secret = arena_alloc(call->arena, SECRET_TEXT);
    int64_t count = 0;
    enum error error;

    token_uuid(id);
    token_random_text(SECRET_BYTES, secret, SECRET_TEXT);
    rule->id = id;
    rule->secret = secret;
    rule->tenant = call->tenant;
    rule->created_at = rule->updated_at = call->now;
    error = db_begin(call->db, DB_WRITE, call->problem);
    if (error)
        return error;
    error = db_lock(call->db, arena_print(call->arena, "livedata.alerts %s", call->tenant),
                    call->problem);
    if (!error)
        error = count_of(call, &count);
    if (!error && count >= most)
        error = problem_set(call->problem, ERROR_CONFLICT, "alert_quota",
                            "The tenant has %lld alerts already.", (long long)count);
    if (!error)
        error = insert(call, rule);
    return db_finish(call->db, error, call->problem);
}

enum error alert_list(const struct storage_call *call, int64_t most, struct alert_rules *rules)
{
    struct query *query = db_query(call->db, &list_rules);

    *rules =
        (struct alert_rules){.items = ARENA_ARRAY(call->arena, struct alert_rule, (size_t)most)};
    query_bind_text(query, call->tenant);
    query_bind_integer(query, most);
    while (rules->count < (size_t)most && query_next(query))
        take_rule(query, call->arena, &rules->items[rules->count++]);
    return query_end(query, call->problem);
}

static enum error not_found(const struct storage_call *call, const char *id)
{
    return problem_set(call->problem, ERROR_NOT_FOUND, "alert_not_found",
                       "Alert '%.200s' not found.", id);
}

enum error alert_find(const struct storage_call *call, const char *id, struct alert_rule *rule)
{
    struct query *query = db_query(call->db, &find_rule);
    enum error error;
    bool found;

    query_bind_text(query, id);
    query_bind_text(query, call->tenant);
    query_bind_text(query, call->tenant);
    found = query_next(query);
    if (found)
        take_rule(query, call->arena, rule);
    error = query_end(query, call->problem);
    return error || found ? error : not_found(call, id);
}

const char *alert_receiver(struct arena *arena, const struct alert_rule *rule, size_t step)
{
    return arena_print(arena, "%s:%zu", rule->id, step + 1);
}

enum error alert_stop_notices(const struct storage_call *call, const struct alert_rule *rule)
{
    enum error error = ERROR_NONE;
    int64_t stopped;

    for (size_t i = 0; !error && i < rule->step_count; i++)
        error = job_stop_lane(call->db, &live_alert_kind.job, alert_receiver(call->arena, rule, i),
                              "the alert has changed", &stopped, call->problem);
    return error;
}

static enum error change(const struct storage_call *call, struct alert_rule *rule)
{
    struct query *query = db_query(call->db, &change_rule);
    int64_t changes, read_as = rule->updated_at;
    enum error error;

    rule->updated_at = call->now > rule->updated_at ? call->now : rule->updated_at + 1;
    bind_condition(query, rule);
    bind_behavior(query, call, rule);
    query_bind_integer(query, rule->updated_at);
    query_bind_text(query, rule->id);
    query_bind_text(query, call->tenant);
    query_bind_integer(query, read_as);
    changes = query_changes(query);
    error = query_end(query, call->problem);
    return error || changes
               ? error
               : problem_set(call->problem, ERROR_CONFLICT, "alert_changed",
                             "Alert '%.200s' is being changed by others; try again.", rule->id);
}

enum error alert_change(const struct storage_call *call, struct alert_rule *rule)
{
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    if (error)
        return error;
    error = alert_stop_notices(call, rule);
    if (!error)
        error = change(call, rule);
    return db_finish(call->db, error, call->problem);
}

static enum error remove_rows(const struct storage_call *call, const char *id)
{
    struct query *query = db_query(call->db, &delete_rule);
    int64_t changes;
    enum error error;

    query_bind_text(query, id);
    query_bind_text(query, call->tenant);
    changes = query_changes(query);
    error = query_end(query, call->problem);
    if (error || !changes)
        return error ? error : not_found(call, id);
    query = db_query(call->db, &delete_history);
    query_bind_text(query, id);
    return query_end(query, call->problem);
}

enum error alert_remove(const struct storage_call *call, const char *id)
{
    struct alert_rule *rule = ARENA_NEW(call->arena, struct alert_rule);
    enum error error = alert_find(call, id, rule);

    if (!error)
        error = db_begin(call->db, DB_WRITE, call->problem);
    if (error)
        return error;
    error = alert_stop_notices(call, rule);
    if (!error)
        error = remove_rows(call, id);
    return db_finish(call->db, error, call->problem);
}

/* Reads the result of a query that is bound but for its last value. */
static enum error take_dues(const struct storage_call *call, struct query *query,
                            struct alert_dues *dues)
{
    query_bind_integer(query, DUE_MOST - (int64_t)dues->count);
    while (dues->count < DUE_MOST && query_next(query))
        dues->items[dues->count++] =
            (struct alert_due){query_text(query, 0, call->arena), query_integer(query, 1)};
    return query_end(query, call->problem);
}

enum error alert_list_due(const struct storage_call *call, int64_t interval, int64_t gap,
                          struct alert_dues *dues)
{
    struct query *query = db_query(call->db, &overdue_rules);
    enum error error;

    *dues = (struct alert_dues){.items = ARENA_ARRAY(call->arena, struct alert_due, DUE_MOST)};
    query_bind_integer(query, interval);
    error = take_dues(call, query, dues);
    if (error || dues->count == DUE_MOST)
        return error;
    query = db_query(call->db, &changed_rules);
    query_bind_integer(query, gap);
    query_bind_integer(query, interval);
    return take_dues(call, query, dues);
}

enum error alert_claim(const struct storage_call *call, const struct alert_due *due, bool *claimed)
{
    struct query *query = db_query(call->db, &claim_rule);

    query_bind_text(query, due->id);
    query_bind_integer(query, due->evaluated_at);
    *claimed = query_changes(query) > 0;
    return query_end(query, call->problem);
}

enum error alert_end_evaluation(const struct storage_call *call, const struct alert_rule *rule,
                                int64_t generation, const struct alert_pending *pending, bool *kept)
{
    struct query *query = db_query(call->db, &end_evaluation);

    query_bind_text(query, alert_state_names[rule->state]);
    if (rule->last_condition_triggered.given)
        query_bind_boolean(query, rule->last_condition_triggered.value);
    else
        query_bind_null(query);
    query_bind_text(query, changes_text(call->arena, rule));
    query_bind_text(query, rule->source_table);
    query_bind_integer(query, generation);
    query_bind_text(query, pending->event_id);
    query_bind_text(query, alert_state_names[pending->state]);
    query_bind_integer(query, pending->level);
    query_bind_integer(query, pending->receivers);
    query_bind_boolean(query, pending->nothing_owed);
    query_bind_text(query, pending->event_type);
    query_bind_text(query, pending->event_type);
    query_bind_text(query, rule->id);
    query_bind_integer(query, rule->updated_at);
    *kept = query_changes(query) > 0;
    return query_end(query, call->problem);
}

static enum error write_history(struct db *db, const char *id, const struct webhook_event *event,
                                const struct webhook_result *result, struct problem *problem)
{
    struct query *query = db_query(db, &insert_history);

    query_bind_text(query, result->delivery_id);
    query_bind_text(query, event->event_type);
    query_bind_optional_integer(query, result->status_code);
    query_bind_boolean(query, result->success);
    query_bind_text(query, result->error);
    query_bind_text(query, event->body);
    query_bind_text(query, id);
    return query_end(query, problem);
}

enum error alert_end_unsent(const struct storage_call *call, const struct alert_rule *rule,
                            const struct alert_pending *pending, const char *body)
{
    const struct webhook_event event = {.event_type = pending->event_type, .body = body};
    struct webhook_result result = {.success = true};
    struct query *query;
    enum error error;

    (void)snprintf(result.delivery_id, sizeof result.delivery_id, "%s", pending->event_id);
    error = write_history(call->db, rule->id, &event, &result, call->problem);

    if (error)
        return error;
    query = db_query(call->db, &end_notice);
    query_bind_text(query, pending->event_type);
    query_bind_text(query, rule->id);
    query_bind_text(query, pending->event_id);
    return query_end(query, call->problem);
}

/* Of the step in "<rule>:<place>". */
static int64_t bit_of(const char *receiver)
{
    const char *colon = strchr(receiver, ':');
    long position = colon ? strtol(colon + 1, NULL, 10) : 0;

    return position >= 1 && position <= ALERT_STEPS_MAX ? (int64_t)1 << (position - 1) : 0;
}

/* In the transaction that ends a delivery. After all receivers accepted the notice, the rule gets
 * the announced state; after a refusal it stays unchanged for the next evaluation. */
static enum error after_delivery(struct db *db, const struct webhook_event *event,
                                 const struct webhook_result *result, struct problem *problem)
{
    char id[ID_TEXT];
    struct query *query;
    enum error error;

    (void)!snprintf(id, sizeof id, "%.*s", (int)strcspn(event->webhook_id, ":"), event->webhook_id);
    error = write_history(db, id, event, result, problem);
    if (error)
        return error;
    query = db_query(db, &count_delivery);
    query_bind_boolean(query, result->success);
    query_bind_integer(query, result->success ? bit_of(event->webhook_id) : 0);
    query_bind_text(query, result->success ? NULL : result->error);
    query_bind_text(query, id);
    query_bind_text(query, event->event_id);
    error = query_end(query, problem);
    if (error)
        return error;
    query = db_query(db, &end_notice);
    query_bind_text(query, event->event_type);
    query_bind_text(query, id);
    query_bind_text(query, event->event_id);
    return query_end(query, problem);
}

/* Of "<rule>:<place of the step>". */
static enum error find_target(struct db *db, struct arena *arena, const char *webhook_id,
                              struct webhook_target *target, struct problem *problem)
{
    const struct storage_call call = {.db = db, .arena = arena, .problem = problem};
    const char *colon = strchr(webhook_id, ':');
    struct alert_rule *rule = ARENA_NEW(arena, struct alert_rule);
    enum error error;

    if (!colon)
        return ERROR_NONE;
    error =
        alert_find(&call, arena_print(arena, "%.*s", (int)(colon - webhook_id), webhook_id), rule);
    if (error == ERROR_NOT_FOUND)
        return ERROR_NONE;
    for (size_t i = 0; !error && rule->active && i < rule->step_count; i++)
        if (strcmp(alert_receiver(arena, rule, i), webhook_id) == 0)
            *target = (struct webhook_target){rule->steps[i].webhook_url, rule->secret};
    return error;
}

/* Three attempts; after a failure the next evaluation decides again. */
static const double no_pauses[] = {1};
const struct webhook_kind live_alert_kind = {
    .job = WEBHOOK_JOB("livedata.alert", 1, no_pauses),
    .event_header = "X-Live-Event",
    .signature_header = "X-Live-Signature",
    .delivery_header = "X-Live-Delivery",
    .user_agent = "Live-Data-Alerts/1.0",
    .attempt_seconds = 5,
    .tries = 3,
    .first_pause_seconds = 1,
    .pause_factor = 5,
    .find = find_target,
    .after = after_delivery,
};

#define OWNER struct alert_history_row
static const struct field history_row_fields[] = {
    STRING(OWNER, delivery_id),
    STRING(OWNER, alert_id),
    STRING(OWNER, alert_name),
    STRING(OWNER, metric),
    NULLABLE_NUMBER(OWNER, current_value, .help = "null in a test."),
    NULLABLE_NUMBER(OWNER, previous_value),
    NULLABLE_NUMBER(OWNER, change_pct),
    NULLABLE_NUMBER(OWNER, threshold),
    STRING(OWNER, condition),
    STRING(OWNER, window),
    STRING(OWNER, tenant),
    STRING(OWNER, event_type),
    NULLABLE_INTEGER(OWNER, status_code),
    BOOLEAN(OWNER, success),
    STRING(OWNER, error, .nullable = true),
    JSON_OBJECT(OWNER, payload, .help = "The body that was sent."),
    TIME(OWNER, triggered_at, .time = TIME_Z),
};
#undef OWNER
static SCHEMA(history_row_schema, struct alert_history_row, "AlertHistoryRow", history_row_fields);

#define OWNER struct alert_history
static const struct field history_fields[] = {OBJECTS(OWNER, history, history_row_schema)};
#undef OWNER
SCHEMA(alert_history_schema, struct alert_history, "AlertHistory", history_fields);

static struct optional_number number_of(const json_t *payload, const char *key)
{
    const json_t *value = json_object_get(payload, key);

    return (struct optional_number){json_is_number(value), json_number_value(value)};
}

/* Answers show the payload's members beside the columns. */
static void take_payload(struct alert_history_row *row)
{
    row->alert_name = json_string_value(json_object_get(row->payload, "alert_name"));
    row->metric = json_string_value(json_object_get(row->payload, "metric"));
    row->condition = json_string_value(json_object_get(row->payload, "condition"));
    row->window = json_string_value(json_object_get(row->payload, "window"));
    row->current_value = number_of(row->payload, "current_value");
    row->previous_value = number_of(row->payload, "previous_value");
    row->change_pct = number_of(row->payload, "change_pct");
    row->threshold = number_of(row->payload, "threshold");
}

/* The rows of a statement that is bound but for its last value. `alert_id` NULL: from the rows. */
static enum error take_history(const struct storage_call *call, struct query *query,
                               const char *alert_id, int64_t most, struct alert_history *history)
{
    struct alert_history_row *rows =
        ARENA_ARRAY(call->arena, struct alert_history_row, (size_t)most);
    size_t count = 0;

    query_bind_integer(query, most);
    while (count < (size_t)most && query_next(query)) {
        struct alert_history_row *row = &rows[count++];

        query_read(query, &history_row_schema, row, call->arena);
        if (alert_id)
            row->alert_id = alert_id;
        row->tenant = call->tenant;
        take_payload(row);
    }
    history->history = (struct object_list){count, rows};
    return query_end(query, call->problem);
}

enum error alert_read_history(const struct storage_call *call, const struct alert_rule *rule,
                              int64_t most, struct alert_history *history)
{
    struct query *query = db_query(call->db, &read_history);

    query_bind_text(query, rule->id);
    return take_history(call, query, rule->id, most, history);
}

enum error alert_read_recent(const struct storage_call *call, int64_t most,
                             struct alert_history *history)
{
    struct query *query = db_query(call->db, &read_recent);

    query_bind_text(query, call->tenant);
    return take_history(call, query, NULL, most, history);
}

enum error alert_forget_history(struct db *db, int64_t before, int64_t most,
                                struct problem *problem)
{
    struct query *query = db_query(db, &forget_history);

    query_bind_integer(query, before);
    query_bind_integer(query, most);
    return query_end(query, problem);
}
