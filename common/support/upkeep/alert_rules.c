/* The table of rules, their inputs, and their texts. */
#include "support/upkeep/alert_rules.h"
#include "base/log.h"
#include "base/number.h"
#include "support/documents/document_store.h"
#include "support/documents/task.h"
#include "support/models/breakers.h"
#include "support/traces/metrics_snapshot.h"
#include "support/trends/nightly.h"

#include <string.h>

enum { STALE_DAYS = 90, STALE_MOST = 20, BODY_MOST = 65536 };

enum {
    RULE_ESCALATION,
    RULE_QUALITY,
    RULE_LOW_QUALITY,
    RULE_LATENCY,
    RULE_THUMBS_DOWN,
    RULE_STALE,
    RULE_COMPONENT,
    RULE_BREAKER,
    RULE_DRIFT,
    RULE__MAX
};

static const struct alert_rule rules[RULE__MAX] = {
    [RULE_ESCALATION] = {"escalation_rate", "quality", "warning", "Escalation rate", "%", "24h"},
    [RULE_QUALITY] = {"avg_quality", "quality", "warning", "Avg quality", "", "7d", .below = true},
    [RULE_LOW_QUALITY] = {"low_quality_share", "quality", "warning", "Low-quality share", "%",
                          "7d"},
    [RULE_LATENCY] = {"p95_latency", "latency", "warning", "p95 latency", "s", "24h"},
    [RULE_THUMBS_DOWN] = {"thumbs_down_rate", "quality", "warning", "Thumbs-down rate", "%", "7d"},
    [RULE_STALE] = {"stale_docs", "stale_documents", "warning", "Stale cited documents", "", NULL},
    [RULE_COMPONENT] = {"component_down", "health", "critical", "Component", "", NULL},
    [RULE_BREAKER] = {"breaker_open", "resilience", "warning", "Circuit breaker", "", NULL},
    [RULE_DRIFT] = {"eval_drift", "nightly_eval_drift", "warning", "Eval drift", "", NULL},
};

/* 40 and 35.1, not 40.0. */
static const char *shown(struct arena *arena, double value)
{
    char number[NUMBER_TEXT_MAX];
    size_t length = number_format(value, number);

    if (length > 2 && strcmp(number + length - 2, ".0") == 0)
        length -= 2;
    return arena_copy(arena, number, length);
}

static void add(struct arena *arena, struct alert_readings *readings, int which,
                struct optional_number value, double threshold, const char *window)
{
    const struct alert_rule *rule = &rules[which];
    struct alert_reading *reading = &readings->items[readings->count++];

    *reading = (struct alert_reading){.rule = rule, .value = value, .threshold = threshold};
    reading->violated =
        value.given && (rule->below ? value.value < threshold : value.value > threshold);
    reading->message = arena_print(arena, "%s %s%s %s %s%s%s%s%s", rule->what,
                                   value.given ? shown(arena, value.value) : "-", rule->unit,
                                   rule->below ? "<" : ">", shown(arena, threshold), rule->unit,
                                   window ? " (" : "", window ? window : "", window ? ")" : "");
}

/* A value from fewer than `least` samples is unknown. */
static struct optional_number of_enough(struct optional_number figure, int64_t count, int64_t least)
{
    return count >= least ? figure : (struct optional_number){.given = false};
}

static void add_snapshot(struct arena *arena, const struct support_settings *settings,
                         const struct metrics_snapshot *snapshot, struct alert_readings *readings)
{
    int64_t least = settings->alert_least;

    add(arena, readings, RULE_ESCALATION,
        of_enough(snapshot->escalation_rate_pct, snapshot->total_traces, least),
        settings->alert_escalation, "24h");
    add(arena, readings, RULE_QUALITY,
        of_enough(snapshot->avg_quality, snapshot->scored_traces, least), settings->alert_quality,
        "7d");
    add(arena, readings, RULE_LOW_QUALITY,
        of_enough(snapshot->low_quality_share_pct, snapshot->scored_traces, least),
        settings->alert_low_quality, "7d");
    add(arena, readings, RULE_LATENCY, of_enough(snapshot->p95_sec, snapshot->timed_traces, least),
        settings->alert_latency, "24h");
    add(arena, readings, RULE_THUMBS_DOWN,
        of_enough(snapshot->thumbs_down_rate_pct, snapshot->votes,
                  settings->alert_thumbs_down_least),
        settings->alert_thumbs_down, arena_print(arena, "7d, n=%lld", (long long)snapshot->votes));
}

/* The document reader counts as down if it has reported before, but not recently. */
static enum error add_component(struct db *db, struct arena *arena,
                                const struct support_settings *settings,
                                struct alert_readings *readings, struct problem *problem)
{
    struct alert_reading *reading = &readings->items[readings->count++];
    bool silent = false;
    enum error error = task_is_silent(db, arena, settings, &silent, problem);

    *reading =
        (struct alert_reading){.rule = &rules[RULE_COMPONENT],
                               .value = GIVEN_NUMBER(silent),
                               .violated = silent,
                               .message = silent ? "Component ingest down" : "Component ingest up"};
    return error;
}

/* Metrics of the nightly evaluation that drifted last night. */
static enum error add_drift(struct db *db, struct arena *arena, struct alert_readings *readings,
                            struct problem *problem)
{
    struct alert_reading *reading = &readings->items[readings->count++];
    const char *names;
    int64_t count = 0;
    enum error error = nightly_drifting(db, arena, &count, &names, problem);

    *reading = (struct alert_reading){
        .rule = &rules[RULE_DRIFT], .value = GIVEN_NUMBER((double)count), .violated = count > 0};
    reading->message = arena_print(arena, "Eval drift on %s", count ? names : "nothing");
    return error;
}

/* Open breakers on this host; unknown without its shared memory, or while the registry is invalid.
 * A half-open breaker counts as open: no call has succeeded yet. */
static void add_breakers(struct arena *arena, const struct support_settings *settings,
                         struct shm_region *region, struct alert_readings *readings)
{
    struct alert_reading *reading = &readings->items[readings->count++];
    const struct provider_breaker *breakers;
    struct registry *registry;
    struct object_list list;
    struct text names;
    struct problem problem = {0};
    int64_t open = 0;

    *reading = (struct alert_reading){.rule = &rules[RULE_BREAKER],
                                      .message = "Circuit breakers are not known"};
    if (!region)
        return;
    if (registry_load(settings, arena, &registry, &problem)) {
        log_event(LOG_ERROR, "registry_not_read", problem.text);
        return;
    }
    list = provider_breakers_read(region, arena, registry);
    breakers = list.items;
    text_start(&names, arena, BODY_MOST);
    for (size_t i = 0; i < list.count; i++)
        if (breakers[i].kind != BREAKER_CLOSED)
            text_append_format(&names, "%s%s", open++ ? ", " : "", breakers[i].name);
    reading->value = (struct optional_number)GIVEN_NUMBER((double)open);
    reading->violated = open > 0;
    reading->message = arena_print(arena, "Circuit breaker open: %s", open ? names.bytes : "none");
}

enum error alert_take_readings(struct db *db, struct arena *arena,
                               const struct support_settings *settings, struct shm_region *region,
                               struct alert_readings *readings, struct problem *problem)
{
    const struct trace_call call = {.db = db, .arena = arena, .problem = problem};
    struct metrics_snapshot snapshot;
    int64_t stale = 0;
    enum error error = metrics_snapshot(&call, &snapshot);

    readings->count = 0;
    if (!error)
        error = document_count_stale(db, STALE_DAYS, STALE_MOST, &stale, problem);
    if (error)
        return error;
    add_snapshot(arena, settings, &snapshot, readings);
    add(arena, readings, RULE_STALE, (struct optional_number)GIVEN_NUMBER((double)stale),
        (double)settings->alert_stale_documents, NULL);
    error = add_component(db, arena, settings, readings, problem);
    if (!error)
        error = add_drift(db, arena, readings, problem);
    if (!error)
        add_breakers(arena, settings, region, readings);
    return error;
}

#define OWNER struct alert_entry
static const struct field entry_fields[] = {STRING(OWNER, rule),
                                            STRING(OWNER, group),
                                            STRING(OWNER, severity),
                                            STRING(OWNER, state),
                                            NULLABLE_NUMBER(OWNER, value),
                                            NUMBER(OWNER, threshold),
                                            STRING(OWNER, window, .nullable = true),
                                            STRING(OWNER, message)};
#undef OWNER
static SCHEMA(entry_schema, struct alert_entry, "SupportAlert", entry_fields);

#define OWNER struct alert_notice
static const struct field notice_fields[] = {
    STRING(OWNER, text), OBJECTS(OWNER, alerts, entry_schema), STRING(OWNER, generated_at)};
#undef OWNER
SCHEMA(alert_notice_schema, struct alert_notice, "SupportAlertNotice", notice_fields);

static struct alert_entry entry_of(const struct alert_reading *reading, enum alert_news news)
{
    const struct alert_rule *rule = reading->rule;

    return (struct alert_entry){.rule = rule->name,
                                .group = rule->group,
                                .severity = rule->severity,
                                .state = news == ALERT_FIRING ? "firing" : "resolved",
                                .value = reading->value,
                                .threshold = reading->threshold,
                                .window = rule->window,
                                .message = reading->message};
}

static size_t count_news(const struct alert_readings *readings, const enum alert_news *news,
                         enum alert_news which)
{
    size_t count = 0;

    for (size_t i = 0; i < readings->count; i++)
        count += news[i] == which;
    return count;
}

static const char *notice_text(struct arena *arena, const struct alert_readings *readings,
                               const enum alert_news *news, const char *now)
{
    struct text text;

    text_start(&text, arena, BODY_MOST);
    text_append_format(&text, "Support alerts: %zu firing, %zu resolved\n",
                       count_news(readings, news, ALERT_FIRING),
                       count_news(readings, news, ALERT_RESOLVED));
    for (size_t i = 0; i < readings->count; i++) {
        if (news[i] == ALERT_FIRING)
            text_append_format(&text, "\n- %s", readings->items[i].message);
        else if (news[i] == ALERT_RESOLVED)
            text_append_format(&text, "\n- resolved: %s", readings->items[i].rule->name);
    }
    text_append_format(&text, "\n\nGenerated: %s", now);
    return text.bytes;
}

const char *alert_notice_json(struct arena *arena, const struct alert_readings *readings,
                              const enum alert_news *news, const char *now)
{
    struct alert_entry entries[ALERT_READINGS_MAX];
    struct alert_notice notice = {.alerts = {0, entries}, .generated_at = now};

    if (count_news(readings, news, ALERT_NOTHING) == readings->count)
        return NULL;
    notice.text = notice_text(arena, readings, news, now);
    for (size_t i = 0; i < readings->count; i++)
        if (news[i] != ALERT_NOTHING)
            entries[notice.alerts.count++] = entry_of(&readings->items[i], news[i]);
    return schema_json(arena, BODY_MOST, &alert_notice_schema, &notice);
}

/* Names in a row, with commas. */
static void list(struct text *text, const struct alert_readings *readings,
                 const enum alert_news *news)
{
    bool first = true;

    for (size_t i = 0; i < readings->count; i++) {
        if (news ? news[i] != ALERT_FIRING : !readings->items[i].violated)
            continue;
        text_append_format(text, "%s%s", first ? "" : ", ", readings->items[i].rule->name);
        first = false;
    }
}

const char *alert_report_text(struct arena *arena, const struct alert_readings *readings,
                              const enum alert_news *news, const char *now, bool is_sent)
{
    bool changed = count_news(readings, news, ALERT_NOTHING) < readings->count;
    bool violated = false;
    struct text text;

    for (size_t i = 0; i < readings->count; i++)
        violated = violated || readings->items[i].violated;
    text_start(&text, arena, BODY_MOST);
    if (!violated && !changed)
        return arena_print(arena, "[%s] All OK.", now);
    text_append_format(&text, "[%s] Violations: [", now);
    list(&text, readings, NULL);
    text_append_string(&text, "] | Alerting: [");
    list(&text, readings, news);
    text_append_string(&text, "]");
    if (changed)
        text_append_format(&text, "\n%s", notice_text(arena, readings, news, now));
    if (changed && !is_sent)
        text_append_string(&text, "\nALERT_WEBHOOK_URL is not set: nobody is told.");
    return text.bytes;
}
