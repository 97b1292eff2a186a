/* Describes a typed plan in one sentence of the reader's language. Names of entities and columns
 * stay as their files have them. Each part of a plan adds a clause to the sentence so far. */
#include "livedata/query/typed_plan.h"

#include "base/number.h"
#include "base/text.h"
#include "base/zone.h"
#include "i18n/i18n.h"
#include "livedata/timestamp.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SENTENCE_BYTES_MAX = 8000, TIME_SHOWN = 40 };

struct sentence {
    struct arena *arena;
    const struct locale *locale;
    const struct plan_context *context;
    const struct compiled_plan *compiled;
    const char *text;
};

/* Signs that are read alike everywhere. */
static const char *const signs[TYPED_OPERATOR__MAX] = {
    [TYPED_EQUAL] = "=",   [TYPED_NOT_EQUAL] = "≠", [TYPED_BELOW] = "<",
    [TYPED_AT_MOST] = "≤", [TYPED_ABOVE] = ">",     [TYPED_AT_LEAST] = "≥"};

static const char *const operators[TYPED_OPERATOR__MAX] = {
    [TYPED_BETWEEN] = "livedata.plan.between", [TYPED_IN] = "livedata.plan.in",
    [TYPED_NOT_IN] = "livedata.plan.not_in",   [TYPED_CONTAINS] = "livedata.plan.contains",
    [TYPED_IS_NULL] = "livedata.plan.is_null", [TYPED_IS_NOT_NULL] = "livedata.plan.is_not_null"};

static const char *const selects[TYPED_SELECT__MAX] = {
    [TYPED_ROWS] = "livedata.plan.rows",         [TYPED_RECORD] = "livedata.plan.record",
    [TYPED_COUNT] = "livedata.plan.count",       [TYPED_SUM] = "livedata.plan.sum",
    [TYPED_AVERAGE] = "livedata.plan.average",   [TYPED_MIN] = "livedata.plan.min",
    [TYPED_MAX] = "livedata.plan.max",           [TYPED_DISTINCT] = "livedata.plan.distinct",
    [TYPED_QUANTILE] = "livedata.plan.quantile", [TYPED_METRIC] = "livedata.plan.metric"};

#define SAY(sentence, key, ...)                                                                    \
    locale_format((sentence)->locale, (sentence)->arena, (key), TEXT_ARGUMENTS(__VA_ARGS__))

static const char *word(const struct sentence *sentence, const char *key)
{
    return locale_format(sentence->locale, sentence->arena, key, NO_TEXT_ARGUMENTS);
}

/* Appends a clause with one name. */
static void add(struct sentence *sentence, const char *key, const char *name, const char *value)
{
    sentence->text = SAY(sentence, key, {"sentence", sentence->text}, {name, value});
}

/* Names, values and times are written from left to right, also among words that are not. */
static const char *isolated(const struct sentence *sentence, const char *text)
{
    return locale_is_right_to_left(sentence->locale)
               ? arena_print(sentence->arena, "\u2066%s\u2069", text)
               : text;
}

static const char *subject_of(const struct sentence *sentence)
{
    const struct typed_plan *plan = sentence->compiled->plan;

    return plan->entity ? plan->entity : sentence->compiled->measure->tables[0].table->name;
}

static void begin(struct sentence *sentence)
{
    const struct typed_plan *plan = sentence->compiled->plan;
    const struct live_metric *metric = sentence->compiled->metric;
    const char *column = plan->column ? isolated(sentence, plan->column) : "";
    bool shown = plan->column && plan->select == TYPED_ROWS;
    char quantile[NUMBER_TEXT_MAX];

    (void)number_format(plan->quantile.given ? plan->quantile.value : 0.5, quantile);
    sentence->text =
        SAY(sentence, shown ? "livedata.plan.rows_column" : selects[plan->select],
            {"entity", isolated(sentence, subject_of(sentence))}, {"column", column},
            {"key", plan->key ? isolated(sentence, plan->key) : ""}, {"quantile", quantile},
            {"metric", plan->metric ? isolated(sentence, plan->metric) : ""},
            {"description", metric ? isolated(sentence, metric->description) : ""});
    if (plan->column && plan->select == TYPED_RECORD)
        add(sentence, "livedata.plan.record_column", "column", column);
}

static const char *value_text(struct arena *arena, const json_t *value)
{
    char number[NUMBER_TEXT_MAX];

    if (json_is_string(value))
        return json_string_value(value);
    if (json_is_boolean(value))
        return json_is_true(value) ? "true" : "false";
    if (json_is_integer(value))
        (void)integer_format(json_integer_value(value), number);
    else
        (void)number_format(json_number_value(value), number);
    return arena_copy_string(arena, number);
}

/* Another item behind those so far; NULL = none so far. */
static const char *joined(const struct sentence *sentence, const char *key, const char *list,
                          const char *item)
{
    return list ? SAY(sentence, key, {"first", list}, {"second", item}) : item;
}

static const char *condition_text(const struct sentence *sentence,
                                  const struct typed_filter *filter)
{
    const char *column = isolated(sentence, filter->column), *list = NULL, *value = "";
    const char *first = "";
    size_t count = json_array_size(filter->values);

    for (size_t i = 0; i < count; i++) {
        value = value_text(sentence->arena, json_array_get(filter->values, i));
        if (signs[filter->op])
            return isolated(sentence, arena_print(sentence->arena, "%s %s %s", filter->column,
                                                  signs[filter->op], value));
        value = isolated(sentence, value);
        first = i ? first : value;
        list = joined(sentence, "livedata.plan.list", list, value);
    }
    return SAY(sentence, operators[filter->op], {"column", column}, {"values", list ? list : ""},
               {"first", first}, {"second", value});
}

static void add_filters(struct sentence *sentence)
{
    const struct typed_plan *plan = sentence->compiled->plan;
    const struct typed_filter *filters = plan->filters.items;
    const char *all = NULL;

    for (size_t i = 0; i < plan->filters.count; i++)
        all = joined(sentence, "livedata.plan.and", all, condition_text(sentence, &filters[i]));
    if (all)
        add(sentence, "livedata.plan.where", "conditions", all);
}

static const char *local_time(const struct sentence *sentence, int64_t at)
{
    time_t seconds = (time_t)(at / us_per_second);
    char shown[TIME_SHOWN];
    struct tm tm;

    localtime_r(&seconds, &tm);
    (void)strftime(shown, sizeof shown, "%Y-%m-%d %H:%M", &tm);
    return isolated(sentence, arena_copy_string(sentence->arena, shown));
}

static const char *times_text(const struct sentence *sentence, const struct typed_period *period)
{
    struct kept_zone kept = zone_enter(sentence->context->zone);
    const char *from = period->from.given ? local_time(sentence, period->from.value) : NULL;
    const char *until = period->to.given ? local_time(sentence, period->to.value) : NULL;
    const char *key = !until ? "livedata.plan.from"
                      : from ? "livedata.plan.from_until"
                             : "livedata.plan.until";

    zone_leave(&kept);
    if (!from && !until)
        return "";
    return SAY(sentence, key, {"from", from}, {"until", until},
               {"zone", isolated(sentence, sentence->context->zone)});
}

/* "last 3 hours" in words of the language. */
static const char *relative_text(const struct sentence *sentence, const char *relative)
{
    static const char *const keys[][2] = {
        {"livedata.plan.last_minutes", "livedata.plan.last_minute"},
        {"livedata.plan.last_hours", "livedata.plan.last_hour"},
        {"livedata.plan.last_days", "livedata.plan.last_day"}};
    char *end;
    long long amount = strtoll(relative + strlen("last "), &end, 10);
    int unit = strstr(end, "minute") ? 0 : strstr(end, "hour") ? 1 : 2;

    return SAY(sentence, keys[unit][amount == 1],
               {"amount", arena_print(sentence->arena, "%lld", amount)});
}

static void add_period(struct sentence *sentence)
{
    const struct typed_plan *plan = sentence->compiled->plan;
    const struct measure *measure = sentence->compiled->measure;
    const struct measure_column *time =
        measure->kind == MEASURE_RATIO ? &measure->denominator->time : &measure->time;

    if (plan->period)
        sentence->text = SAY(sentence, "livedata.plan.time", {"sentence", sentence->text},
                             {"time", isolated(sentence, time->name)},
                             {"period", plan->relative ? relative_text(sentence, plan->relative)
                                                       : times_text(sentence, plan->period)});
    else if (plan->select != TYPED_RECORD && time->column)
        add(sentence, "livedata.plan.always", "", "");
    if (plan->compare)
        add(sentence, "livedata.plan.compared", "period", times_text(sentence, plan->compare));
}

static const char *group_text(const struct sentence *sentence, const char *group)
{
    static const char *const units[][2] = {{"hour", "livedata.plan.hour"},
                                           {"day", "livedata.plan.day"},
                                           {"week", "livedata.plan.week"},
                                           {"month", "livedata.plan.month"}};
    const char *unit = sentence->compiled->unit;

    for (size_t i = 0; unit && strcmp(unit, group) == 0 && i < COUNT_OF(units); i++)
        if (strcmp(units[i][0], unit) == 0)
            return word(sentence, units[i][1]);
    return isolated(sentence, group);
}

static void add_groups(struct sentence *sentence)
{
    const struct typed_plan *plan = sentence->compiled->plan;
    const char *all = NULL;

    for (size_t i = 0; i < plan->group_by.count; i++)
        all = joined(sentence, "livedata.plan.list", all,
                     group_text(sentence, plan->group_by.items[i]));
    if (all)
        add(sentence, "livedata.plan.by", "groups", all);
    if (plan->order)
        add(sentence,
            plan->order->descending ? "livedata.plan.descending" : "livedata.plan.ascending", "by",
            strcmp(plan->order->by, "value") == 0 && plan->select > TYPED_RECORD
                ? word(sentence, "livedata.plan.value")
                : isolated(sentence, plan->order->by));
    if (plan->limit.given)
        add(sentence, "livedata.plan.limit", "limit",
            arena_print(sentence->arena, "%lld", (long long)plan->limit.value));
}

/* Which currencies are in a sum. */
static void add_currency(struct sentence *sentence)
{
    const struct livedata_settings *settings = sentence->context->settings;
    const struct currency_rates *rates = &settings->currency_rates;
    const char *all = NULL;

    if (sentence->compiled->plan->select <= TYPED_RECORD ||
        !sentence->compiled->measure->currency.column)
        return;
    for (size_t i = 0; i < rates->count; i++)
        all = joined(sentence, "livedata.plan.list", all,
                     isolated(sentence,
                              arena_print(sentence->arena, "1 %s = %s %s", rates->items[i].currency,
                                          rates->items[i].text, settings->currency)));
    sentence->text = SAY(sentence, all ? "livedata.plan.currency_rates" : "livedata.plan.currency",
                         {"sentence", sentence->text},
                         {"currency", isolated(sentence, settings->currency)}, {"rates", all});
}

const char *typed_sentence(const struct plan_context *context, const struct compiled_plan *compiled,
                           const char *language)
{
    struct sentence sentence = {.arena = context->arena,
                                .locale =
                                    locale_get(language ? language_find(language) : LANGUAGE_NONE),
                                .context = context,
                                .compiled = compiled};

    begin(&sentence);
    add_filters(&sentence);
    add_currency(&sentence);
    add_period(&sentence);
    add_groups(&sentence);
    add(&sentence, "livedata.plan.stop", "", "");
    return arena_copy(context->arena, sentence.text,
                      utf8_valid_prefix(sentence.text, strnlen(sentence.text, SENTENCE_BYTES_MAX)));
}
