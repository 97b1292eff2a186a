/* Conditions and states of alerts. */
#include "livedata/alerts/alert.h"

#include "base/number.h"
#include "livedata/timestamp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VALUE_DECIMALS = 4, MINUTES_MAX = 525600, LEVEL_MAX = 1000 };

const char *const alert_condition_names[ALERT_CONDITION__MAX] = {"above", "below", "change_pct"};
const char *const alert_state_names[ALERT_STATE__MAX] = {"ok",       "firing",     "sustained",
                                                         "resolved", "suppressed", "no_data"};
const char *const alert_notice_types[ALERT_NOTICE__MAX] = {
    [ALERT_TRIGGERS] = "alert.triggered",
    [ALERT_SUSTAINS] = "alert.sustained",
    [ALERT_ESCALATES] = "alert.escalated",
    [ALERT_RESOLVES] = "alert.resolved",
};
const char *const alert_notice_states[ALERT_NOTICE__MAX] = {
    [ALERT_TRIGGERS] = "firing",
    [ALERT_SUSTAINS] = "sustained",
    [ALERT_ESCALATES] = "sustained",
    [ALERT_RESOLVES] = "resolved",
};

#define OWNER struct alert_step
static const struct field step_fields[] = {
    INTEGER(OWNER, level, .required = true, .lower = AT_LEAST(1), .upper = AT_MOST(LEVEL_MAX)),
    INTEGER(OWNER, after_minutes, .required = true, .lower = AT_LEAST(0),
            .upper = AT_MOST(MINUTES_MAX)),
    STRING(OWNER, webhook_url, .required = true, .min_length = 1, .max_length = 2000),
};
#undef OWNER
SCHEMA(alert_step_schema, struct alert_step, "AlertStep", step_fields, .complete = true);

#define OWNER struct alert_flap
static const struct field flap_fields[] = {
    BOOLEAN(OWNER, enabled, .default_value = 0, .optional = true),
    INTEGER(OWNER, window_minutes, .lower = AT_LEAST(1), .upper = AT_MOST(1440), .default_value = 5,
            .optional = true),
    INTEGER(OWNER, max_changes, .lower = AT_LEAST(1), .upper = AT_MOST(100), .default_value = 3,
            .optional = true,
            .help = "More changes of the condition within the window silence the alert."),
};
#undef OWNER
SCHEMA(alert_flap_schema, struct alert_flap, "AlertFlapDetection", flap_fields, .complete = true);

#define OWNER struct alert_undelivered
static const struct field undelivered_fields[] = {
    STRING(OWNER, event_type),
    TIME(OWNER, since, .time = TIME_Z),
    STRING(OWNER, error, .nullable = true),
};
#undef OWNER
static SCHEMA(undelivered_schema, struct alert_undelivered, "AlertUndelivered", undelivered_fields);

#define OWNER struct alert_rule
/* A column of the rule's row that answers show as a member of an object. */
#define COLUMN(title, field_type, member, ...)                                                     \
    {                                                                                              \
        .name = (title), .type = (field_type), .offset = offsetof(struct alert_rule, member),      \
        .internal = true, __VA_ARGS__                                                              \
    }
#define ALERT_ROWS(secret_row)                                                                     \
    STRING(OWNER, id), STRING(OWNER, name), STRING(OWNER, tenant), STRING(OWNER, metric),          \
        STRING(OWNER, source_table, .internal = true), STRING(OWNER, window),                      \
        CHOICE(OWNER, condition, alert_condition_names, .choice_count = ALERT_CONDITION__MAX),     \
        NUMBER(OWNER, threshold), STRING(OWNER, webhook_url), secret_row,                          \
        INTEGER(OWNER, cooldown_minutes), BOOLEAN(OWNER, active),                                  \
        TIME(OWNER, created_at, .time = TIME_Z), TIME(OWNER, updated_at, .time = TIME_Z),          \
        OBJECTS(OWNER, escalation, alert_step_schema),                                             \
        OBJECT(OWNER, flap_detection, alert_flap_schema),                                          \
        CHOICE(OWNER, state, alert_state_names, .choice_count = ALERT_STATE__MAX),                 \
        TIME_OR_NULL(OWNER, fired_at, .time = TIME_Z),                                             \
        TIME_OR_NULL(OWNER, resolved_at, .time = TIME_Z),                                          \
        TIME_OR_NULL(OWNER, last_triggered_at, .time = TIME_Z),                                    \
        INTEGER(OWNER, last_escalation_level),                                                     \
        NULLABLE_BOOLEAN(OWNER, last_condition_triggered,                                          \
                         .help = "Whether the condition held at the last evaluation; null before " \
                                 "the first."),                                                    \
        {.name = "undelivered",                                                                    \
         .type = FIELD_OBJECT,                                                                     \
         .nullable = true,                                                                         \
         .offset = offsetof(struct alert_rule, undelivered_notice),                                \
         .schema = &undelivered_schema},                                                           \
        STRINGS(OWNER, state_changes, .help = "When the condition changed."),                      \
        INTEGERS(OWNER, changed_at, .internal = true),                                             \
        STRING(OWNER, pending_event, .nullable = true, .internal = true),                          \
        COLUMN("flap_enabled", FIELD_BOOLEAN, flap.enabled),                                       \
        COLUMN("flap_window_minutes", FIELD_INTEGER, flap.window_minutes),                         \
        COLUMN("flap_max_changes", FIELD_INTEGER, flap.max_changes),                               \
        COLUMN("undelivered_event", FIELD_STRING, undelivered.event_type, .nullable = true),       \
        COLUMN("undelivered_since", FIELD_MOMENT, undelivered.since),                              \
        COLUMN("undelivered_error", FIELD_STRING, undelivered.error, .nullable = true),            \
        COLUMN("undelivered_taken", FIELD_INTEGER, undelivered.taken)
static const struct field alert_fields[] = {ALERT_ROWS(STRING(OWNER, secret, .internal = true))};
static const struct field new_alert_fields[] = {ALERT_ROWS(STRING(OWNER, secret))};
#undef OWNER
SCHEMA(alert_schema, struct alert_rule, "Alert", alert_fields);
SCHEMA(new_alert_schema, struct alert_rule, "NewAlert", new_alert_fields);

void alert_show(struct alert_rule *rule, struct arena *arena)
{
    rule->escalation = (struct object_list){rule->step_count, rule->steps};
    rule->flap_detection = &rule->flap;
    rule->undelivered_notice = rule->undelivered.event_type ? &rule->undelivered : NULL;
    rule->state_changes =
        (struct string_list){.items = ARENA_ARRAY(arena, const char *, rule->change_count)};
    for (size_t i = 0; i < rule->change_count; i++) {
        char *text = arena_alloc(arena, TIMESTAMP_TEXT);

        timestamp_format(rule->changes[i], text);
        rule->state_changes.items[rule->state_changes.count++] = text;
    }
}

static int order_of_steps(const void *a, const void *b)
{
    const struct alert_step *one = a, *other = b;

    if (one->after_minutes != other->after_minutes)
        return one->after_minutes < other->after_minutes ? -1 : 1;
    return one->level < other->level ? -1 : one->level > other->level;
}

enum error alert_order_steps(struct alert_rule *rule, const struct alert_step *steps, size_t count)
{
    rule->step_count = 0;
    if (*rule->webhook_url)
        rule->steps[rule->step_count++] =
            (struct alert_step){.level = 1, .webhook_url = rule->webhook_url};
    for (size_t i = 0; i < count; i++) {
        if (steps[i].level == 1 && steps[i].after_minutes == 0)
            continue;
        if (rule->step_count == ALERT_STEPS_MAX)
            return ERROR_INVALID;
        rule->steps[rule->step_count++] = steps[i];
    }
    if (rule->step_count > 1)
        qsort(rule->steps + 1, rule->step_count - 1, sizeof *rule->steps, order_of_steps);
    return ERROR_NONE;
}

/* Without a previous value, only the sign decides: the percentage is undefined. */
static bool changed_enough(double threshold, const struct alert_reading *reading)
{
    double change = reading->change_pct.given ? reading->change_pct.value : reading->value;

    if (!reading->change_pct.given)
        return threshold >= 0 ? change > 0 : change < 0;
    return threshold >= 0 ? change >= threshold : change <= threshold;
}

void alert_read(enum alert_condition condition, double threshold, double value,
                struct optional_number previous, struct alert_reading *reading)
{
    *reading = (struct alert_reading){.value = number_round(value, VALUE_DECIMALS)};
    if (condition == ALERT_ABOVE) {
        reading->triggered = value > threshold;
        return;
    }
    if (condition == ALERT_BELOW) {
        reading->triggered = value < threshold;
        return;
    }
    reading->no_data = !previous.given;
    if (!previous.given)
        return;
    reading->previous = GIVEN_NUMBER(number_round(previous.value, VALUE_DECIMALS));
    if (previous.value != 0)
        reading->change_pct = GIVEN_NUMBER(
            number_round((value - previous.value) / fabs(previous.value) * 100, VALUE_DECIMALS));
    else if (value == 0)
        reading->change_pct = GIVEN_NUMBER(0);
    reading->triggered = changed_enough(threshold, reading);
}

static void forget_changes(struct alert_rule *rule, int64_t before)
{
    size_t kept = 0;

    for (size_t i = 0; i < rule->change_count; i++)
        if (rule->changes[i] > before)
            rule->changes[kept++] = rule->changes[i];
    rule->change_count = kept;
}

static void note_change(struct alert_rule *rule, bool triggered, int64_t now)
{
    bool changed = rule->last_condition_triggered.given
                       ? rule->last_condition_triggered.value != triggered
                       : triggered;

    forget_changes(rule, now - rule->flap.window_minutes * us_per_minute);
    if (changed && rule->change_count == ALERT_CHANGES_MAX) {
        rule->change_count--;
        memmove(rule->changes, rule->changes + 1, rule->change_count * sizeof *rule->changes);
    }
    if (changed)
        rule->changes[rule->change_count++] = now;
    rule->last_condition_triggered = GIVEN_BOOLEAN(triggered);
}

/* The lowest level above the last one that is due. */
static const struct alert_step *next_step(const struct alert_rule *rule, int64_t now)
{
    const struct alert_step *next = NULL;

    for (size_t i = 0; i < rule->step_count; i++) {
        const struct alert_step *step = &rule->steps[i];

        if (step->level > rule->last_escalation_level &&
            now - rule->fired_at >= step->after_minutes * us_per_minute &&
            (!next || step->level < next->level))
            next = step;
    }
    return next;
}

static void go_on(const struct alert_rule *rule, int64_t now, int64_t interval,
                  struct alert_decision *decision)
{
    const struct alert_step *step = next_step(rule, now);
    int64_t pause = rule->cooldown_minutes * us_per_minute;

    decision->delivered = ALERT_SUSTAINED;
    if (step) {
        decision->notice = ALERT_ESCALATES;
        decision->level = step->level;
    } else if (rule->step_count == 1 &&
               now - rule->last_triggered_at >= (pause > interval ? pause : interval)) {
        decision->notice = ALERT_SUSTAINS;
    }
}

/* The highest level that is due while the first notice is undelivered. */
static int64_t level_of_first(const struct alert_rule *rule, int64_t now)
{
    int64_t level = 1;

    for (size_t i = 0; rule->undelivered.event_type && i < rule->step_count; i++)
        if (rule->steps[i].level > level &&
            now - rule->undelivered.since >= rule->steps[i].after_minutes * us_per_minute)
            level = rule->steps[i].level;
    return level;
}

bool alert_is_receiver(const struct alert_rule *rule, size_t step,
                       const struct alert_decision *decision)
{
    const struct alert_undelivered *undelivered = &rule->undelivered;
    int64_t level = rule->steps[step].level;

    if (decision->notice == ALERT_SILENT ||
        (undelivered->event_type &&
         strcmp(undelivered->event_type, alert_notice_types[decision->notice]) == 0 &&
         (undelivered->taken >> step & 1)))
        return false;
    return decision->notice == ALERT_TRIGGERS || decision->notice == ALERT_RESOLVES
               ? level <= decision->level
               : level == decision->level;
}

void alert_decide_without_data(const struct alert_rule *rule, struct alert_decision *decision)
{
    *decision =
        (struct alert_decision){.state = ALERT_NO_DATA, .level = rule->last_escalation_level};
}

/* Also if the triggered notice was never delivered. */
static void resolve(const struct alert_rule *rule, struct alert_decision *decision)
{
    decision->notice = ALERT_RESOLVES;
    decision->delivered = ALERT_RESOLVED;
    decision->level = rule->last_escalation_level > 0 ? rule->last_escalation_level : 1;
}

void alert_decide(struct alert_rule *rule, bool triggered, int64_t now, int64_t interval,
                  struct alert_decision *decision)
{
    bool fires = rule->fired_at != 0;
    bool was_silenced = rule->state == ALERT_SUPPRESSED || rule->state == ALERT_NO_DATA;

    note_change(rule, triggered, now);
    *decision = (struct alert_decision){.state = rule->state, .level = rule->last_escalation_level};
    if (rule->flap.enabled && (int64_t)rule->change_count > rule->flap.max_changes) {
        decision->state = ALERT_SUPPRESSED;
        return;
    }
    if (was_silenced)
        decision->state = fires ? ALERT_FIRING : ALERT_OK;
    if (fires && triggered) {
        go_on(rule, now, interval, decision);
    } else if (fires || (!triggered && rule->undelivered.event_type)) {
        resolve(rule, decision);
    } else if (triggered) {
        decision->notice = ALERT_TRIGGERS;
        decision->delivered = ALERT_FIRING;
        decision->level = level_of_first(rule, now);
    } else {
        decision->state = ALERT_OK;
    }
    decision->nothing_owed = decision->notice == ALERT_SILENT;
}
