/* Describes a typed plan in one sentence of the reader's language. Names of entities and columns
 * stay as their files have them. */
#include "livedata/query/typed_plan.h"
#include "livedata/query/typed_words.h"

#include "base/number.h"
#include "base/text.h"
#include "base/zone.h"
#include "livedata/timestamp.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SENTENCE_BYTES_MAX = 8000, TIME_SHOWN = 40 };

struct sentence {
    struct text text;
    const struct plan_context *context;
    const struct compiled_plan *compiled;
    const struct typed_words *words;
};

/* Puts `%s` of a pattern, in their order. */
static void put(struct sentence *sentence, const char *pattern, const char *first,
                const char *second)
{
    const char *values[] = {first, second};
    size_t used = 0;

    for (; *pattern; pattern++)
        if (pattern[0] == '%' && pattern[1] == 's' && used < 2) {
            text_append_string(&sentence->text, values[used] ? values[used] : "");
            used++;
            pattern++;
        } else {
            text_append_byte(&sentence->text, *pattern);
        }
}

static const char *subject_of(const struct sentence *sentence)
{
    const struct typed_plan *plan = sentence->compiled->plan;

    return plan->entity ? plan->entity : sentence->compiled->measure->tables[0].table->name;
}

static void put_selection(struct sentence *sentence)
{
    const struct typed_plan *plan = sentence->compiled->plan;
    const struct typed_words *words = sentence->words;
    char percent[NUMBER_TEXT_MAX];

    switch (plan->select) {
    case TYPED_ROWS:
        put(sentence, plan->column ? words->column : words->selects[TYPED_ROWS],
            plan->column ? plan->column : subject_of(sentence), subject_of(sentence));
        break;
    case TYPED_RECORD:
        put(sentence, words->selects[TYPED_RECORD], subject_of(sentence), plan->key);
        if (plan->column)
            put(sentence, words->only, plan->column, NULL);
        break;
    case TYPED_COUNT:
        put(sentence, words->selects[TYPED_COUNT], subject_of(sentence), NULL);
        break;
    case TYPED_METRIC:
        put(sentence, words->selects[TYPED_METRIC], plan->metric,
            sentence->compiled->metric->description);
        break;
    default:
        put(sentence, words->selects[plan->select], plan->column, subject_of(sentence));
        if (plan->select == TYPED_QUANTILE) {
            (void)number_format(plan->quantile.given ? plan->quantile.value : 0.5, percent);
            put(sentence, words->quantile, percent, NULL);
        }
    }
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

static void put_filters(struct sentence *sentence)
{
    const struct typed_plan *plan = sentence->compiled->plan;
    const struct typed_filter *filters = plan->filters.items;
    struct arena *arena = sentence->context->arena;

    for (size_t i = 0; i < plan->filters.count; i++) {
        size_t count = json_array_size(filters[i].values);

        text_append_string(&sentence->text, i ? sentence->words->and : sentence->words->where);
        text_append_string(&sentence->text, filters[i].column);
        text_append_string(&sentence->text, sentence->words->operators[filters[i].op]);
        for (size_t j = 0; j < count; j++) {
            text_append_string(&sentence->text, !j ? ""
                                                : filters[i].op == TYPED_BETWEEN
                                                    ? sentence->words->and
                                                    : ", ");
            text_append_string(&sentence->text,
                               value_text(arena, json_array_get(filters[i].values, j)));
        }
    }
}

static const char *local_time(struct arena *arena, int64_t at)
{
    time_t seconds = (time_t)(at / us_per_second);
    char shown[TIME_SHOWN];
    struct tm tm;

    localtime_r(&seconds, &tm);
    (void)strftime(shown, sizeof shown, "%Y-%m-%d %H:%M", &tm);
    return arena_copy_string(arena, shown);
}

static void put_times(struct sentence *sentence, const struct typed_period *period)
{
    const struct typed_words *words = sentence->words;
    struct arena *arena = sentence->context->arena;
    struct kept_zone kept = zone_enter(sentence->context->zone);

    if (period->from.given)
        put(sentence, words->from, local_time(arena, period->from.value), NULL);
    if (period->to.given)
        put(sentence, words->until, local_time(arena, period->to.value), NULL);
    zone_leave(&kept);
    text_append_format(&sentence->text, " (%s)", sentence->context->zone);
}

/* "last 3 hours" in words of the language. */
static void put_relative(struct sentence *sentence, const char *relative)
{
    char *end;
    long long amount = strtoll(relative + strlen("last "), &end, 10);
    int unit = strstr(end, "minute") ? 0 : strstr(end, "hour") ? 1 : 2;

    put(sentence, sentence->words->last[unit],
        arena_print(sentence->context->arena, "%lld", amount), NULL);
}

static void put_period(struct sentence *sentence)
{
    const struct typed_plan *plan = sentence->compiled->plan;
    const struct measure *measure = sentence->compiled->measure;
    const struct measure_column *time =
        measure->kind == MEASURE_RATIO ? &measure->denominator->time : &measure->time;

    if (plan->period) {
        put(sentence, sentence->words->time, time->name, NULL);
        if (plan->relative)
            put_relative(sentence, plan->relative);
        else
            put_times(sentence, plan->period);
    } else if (plan->select != TYPED_RECORD && time->column) {
        text_append_string(&sentence->text, sentence->words->always);
    }
    if (plan->compare) {
        text_append_string(&sentence->text, sentence->words->compared);
        put_times(sentence, plan->compare);
    }
}

static void put_groups(struct sentence *sentence)
{
    const struct typed_plan *plan = sentence->compiled->plan;

    for (size_t i = 0; i < plan->group_by.count; i++) {
        text_append_string(&sentence->text, i ? ", " : sentence->words->by);
        text_append_string(&sentence->text, plan->group_by.items[i]);
    }
    if (plan->order)
        put(sentence,
            plan->order->descending ? sentence->words->descending : sentence->words->ascending,
            strcmp(plan->order->by, "value") == 0 ? sentence->words->value : plan->order->by, NULL);
    if (plan->limit.given)
        put(sentence, sentence->words->limit,
            arena_print(sentence->context->arena, "%lld", (long long)plan->limit.value), NULL);
}

/* Which currencies are in a sum. */
static void put_currency(struct sentence *sentence)
{
    const struct currency_rates *rates = &sentence->context->settings->currency_rates;

    if (sentence->compiled->plan->select <= TYPED_RECORD ||
        !sentence->compiled->measure->currency.column)
        return;
    put(sentence, sentence->words->currency, sentence->context->settings->currency, NULL);
    for (size_t i = 0; i < rates->count; i++)
        text_append_format(&sentence->text, "%s1 %s = %s %s", i ? ", " : " (",
                           rates->items[i].currency, rates->items[i].text,
                           sentence->context->settings->currency);
    text_append_string(&sentence->text, rates->count ? ")" : "");
}

const char *typed_sentence(const struct plan_context *context, const struct compiled_plan *compiled,
                           const char *language)
{
    struct sentence sentence = {
        .context = context, .compiled = compiled, .words = typed_words_of(language)};

    text_start(&sentence.text, context->arena, SENTENCE_BYTES_MAX);
    put_selection(&sentence);
    put_filters(&sentence);
    put_currency(&sentence);
    put_period(&sentence);
    put_groups(&sentence);
    text_append_string(&sentence.text, sentence.words->stop);
    return sentence.text.bytes;
}
