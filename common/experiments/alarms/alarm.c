/* Schemas and rules of guardrail alarms. */
#include "experiments/alarms/alarm.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

enum { ALARM_NAME_MAX = 100, NAMES_BYTES_MAX = 32 * 1024 };
static const double percent = 100;

const char *const alarm_condition_names[ALARM_CONDITION__MAX] = {"above", "below", "changed"};
const char *const alarm_status_names[ALARM_STATUS__MAX] = {"never_read", "quiet", "raised", "stale",
                                                           "no_value"};

#define OWNER struct alarm_rule
static const struct field rule_fields[] = {
    STRING(OWNER, metric, .required = true, .min_length = 1, .max_length = ALARM_NAME_MAX,
           .help = "Name of a metric of live data."),
    STRING(OWNER, window, .required = true, .min_length = 1, .max_length = ALARM_NAME_MAX,
           .help = "One of its windows, such as `1h`."),
    CHOICE(OWNER, condition, alarm_condition_names, .choice_count = ALARM_CONDITION__MAX,
           .required = true),
    NUMBER(OWNER, threshold, .required = true,
           .help = "In the unit of the metric; of `changed` in percent of the reference, in either "
                   "direction."),
    NULLABLE_NUMBER(OWNER, reference,
                    .help = "Of `changed`: the value to compare with, not 0; without it the first "
                            "value that is read and is not 0."),
};
#undef OWNER

/* They stand in an address of live data. */
static bool names_are_words(const void *object)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
    const struct alarm_rule *rule = object;

    return strspn(rule->metric, allowed) == strlen(rule->metric) &&
           strspn(rule->window, allowed) == strlen(rule->window);
}

static bool change_has_size(const void *object)
{
    const struct alarm_rule *rule = object;

    if (rule->condition != ALARM_CHANGED)
        return !rule->reference.given;
    return rule->threshold > 0 && (!rule->reference.given || rule->reference.value != 0);
}

static const struct schema_rule rules[] = {
    {"errors.schemas.alarm_names", names_are_words},
    {"errors.schemas.alarm_change", change_has_size},
};
SCHEMA(alarm_rule_schema, struct alarm_rule, "AlarmRule", rule_fields, RULES(rules),
       .help = "When a figure of live data is alarming.",
       .example = "{\"metric\":\"revenue\",\"window\":\"1h\",\"condition\":\"below\","
                  "\"threshold\":1000}");

#define OWNER struct alarm
static const struct field alarm_fields[] = {
    STRING(OWNER, id),
    STRING(OWNER, metric),
    STRING(OWNER, window),
    CHOICE(OWNER, condition, alarm_condition_names, .choice_count = ALARM_CONDITION__MAX),
    NUMBER(OWNER, threshold),
    NULLABLE_NUMBER(OWNER, reference),
    TIME_OR_NULL(OWNER, reference_at, .time = TIME_Z, .help = "null where it was given."),
    CHOICE(OWNER, status, alarm_status_names, .choice_count = ALARM_STATUS__MAX,
           .help = "stale by one of the two limits, whatever the value was; no_value: a mean of no "
                   "rows."),
    NULLABLE_NUMBER(OWNER, value, .help = "As last read."),
    STRING(OWNER, unit, .nullable = true),
    TIME_OR_NULL(OWNER, read_at, .time = TIME_Z, .help = "As of when live data gave the value."),
    NULLABLE_NUMBER(OWNER, event_age_seconds, ROUNDED(3),
                    .help = "How far live data itself lagged behind its sources then."),
    NULLABLE_NUMBER(OWNER, stale_seconds, .help = "AB_LIVEDATA_STALE_SECONDS."),
    NULLABLE_NUMBER(OWNER, event_age_seconds_max,
                    .help = "AB_LIVEDATA_EVENT_AGE_SECONDS; 0: not judged."),
    TIME_OR_NULL(OWNER, raised_at, .time = TIME_Z, .help = "Since when it is raised."),
    TIME_OR_NULL(OWNER, failed_at, .time = TIME_Z,
                 .help = "When reading failed last, if it has not succeeded since."),
    STRING(OWNER, failure, .nullable = true),
    STRING(OWNER, actor, .nullable = true, .help = "Who added it."),
    STRING(OWNER, created_at),
};
#undef OWNER
SCHEMA(experiment_alarm_schema, struct alarm, "ExperimentAlarm", alarm_fields,
       .help = "A guardrail alarm on a figure of live data; it warns, and decides nothing.");

static bool is_alarming(const struct alarm *alarm, double value)
{
    switch (alarm->condition) {
    case ALARM_ABOVE:
        return value > alarm->threshold;
    case ALARM_BELOW:
        return value < alarm->threshold;
    default:
        return fabs(value - alarm->reference.value) >
               alarm->threshold / percent * fabs(alarm->reference.value);
    }
}

/* A share of 0 is nothing, so that 0 is no reference. */
static bool has_reference(const struct alarm *alarm)
{
    return alarm->reference.given && alarm->reference.value != 0;
}

void alarm_take(struct alarm *alarm, const struct alarm_reading *reading, int64_t now)
{
    alarm->value = reading->value;
    alarm->unit = reading->unit;
    alarm->read_at = reading->read_at;
    alarm->event_age_seconds = reading->event_age_seconds;
    alarm->failed_at = 0;
    alarm->failure = NULL;
    if (!reading->value.given || alarm_status_at(alarm, now) == ALARM_STALE)
        return;
    if (alarm->condition == ALARM_CHANGED && !has_reference(alarm)) {
        if (reading->value.value == 0)
            return;
        alarm->reference = reading->value;
        alarm->reference_at = reading->read_at;
    }
    if (!is_alarming(alarm, reading->value.value))
        alarm->raised_at = 0;
    else if (!alarm->raised_at)
        alarm->raised_at = reading->read_at;
}

enum alarm_status alarm_status_at(const struct alarm *alarm, int64_t now)
{
    int64_t at = alarm->archived_at && alarm->archived_at < now ? alarm->archived_at : now;
    double seconds = alarm->stale_seconds.value;

    if (!alarm->read_at)
        return ALARM_UNREAD;
    if (alarm->event_age_seconds_max.value > 0 && alarm->event_age_seconds.given)
        seconds =
            fmin(seconds, alarm->event_age_seconds_max.value - alarm->event_age_seconds.value);
    if (at > alarm->read_at + (int64_t)(seconds * 1e6))
        return ALARM_STALE;
    if (!alarm->value.given)
        return ALARM_NO_VALUE;
    return alarm->raised_at ? ALARM_RAISED : ALARM_QUIET;
}

const char *alarm_names(const struct alarm_list *alarms, enum alarm_status status,
                        struct arena *arena)
{
    size_t count = 0;
    struct text text;

    text_start(&text, arena, NAMES_BYTES_MAX);
    for (size_t i = 0; i < alarms->count; i++)
        if (alarms->items[i].status == (int)status)
            text_append_format(&text, "%s%s (%s)", count++ ? ", " : "", alarms->items[i].metric,
                               alarms->items[i].window);
    return count ? text.bytes : NULL;
}
