/* The form of typed plans in JSON. */
#include "livedata/query/typed_plan.h"

#include "base/text.h"

#include <string.h>

enum { PLAN_BYTES_MAX = 64 * 1024 };

const char *const typed_selects[] = {"rows", "record", "count",    "sum",      "average",
                                     "min",  "max",    "distinct", "quantile", "metric"};
const char *const typed_operators[] = {"=",      "!=",       "<",       "<=",
                                       ">",      ">=",       "between", "in",
                                       "not_in", "contains", "is_null", "is_not_null"};

#define OWNER struct typed_filter
static const struct field filter_fields[] = {
    STRING(OWNER, column, .required = true, .min_length = 1, .max_length = 200,
           .help = "A column, or that of a related row: machine.site."),
    CHOICE(OWNER, op, typed_operators, .choice_count = TYPED_OPERATOR__MAX, .required = true),
    JSON_VALUE(OWNER, values, .optional = true,
               .help = "A list. One value, two for between, any number for in and not_in, none for "
                       "is_null and is_not_null."),
};
#undef OWNER
static SCHEMA(filter_schema, struct typed_filter, "PlanFilter", filter_fields);

#define OWNER struct typed_period
static const struct field period_fields[] = {
    MOMENT(OWNER, from, .time = TIME_Z, .help = "null: open."),
    MOMENT(OWNER, to, .time = TIME_Z, .help = "Not included; null: open."),
};
#undef OWNER
static SCHEMA(period_schema, struct typed_period, "PlanPeriod", period_fields);

#define OWNER struct typed_order
static const struct field order_fields[] = {
    STRING(OWNER, by, .required = true, .min_length = 1, .max_length = 200,
           .help = "A column, or `value` for what is computed."),
    BOOLEAN(OWNER, descending),
};
#undef OWNER
static SCHEMA(order_schema, struct typed_order, "PlanOrder", order_fields);

#define OWNER struct typed_plan
static const struct field plan_fields[] = {
    STRING(OWNER, entity, .nullable = true, .max_length = 100),
    CHOICE(OWNER, select, typed_selects, .choice_count = TYPED_SELECT__MAX, .required = true),
    STRING(OWNER, column, .nullable = true, .max_length = 200,
           .help = "What is added up, averaged, counted by its values; of rows, the column shown."),
    STRING(OWNER, metric, .nullable = true, .max_length = 100),
    STRING(OWNER, key, .nullable = true, .max_length = 200, .help = "Of one record."),
    OBJECTS(OWNER, filters, filter_schema, .max_length = MEASURE_CONDITIONS_MAX),
    OBJECT(OWNER, period, period_schema, .nullable = true),
    STRINGS(OWNER, group_by, .max_length = MEASURE_GROUPS_MAX + 1,
            .help = "Columns, and one of hour, day, week and month."),
    OBJECT(OWNER, order, order_schema, .nullable = true),
    NULLABLE_INTEGER(OWNER, limit, .lower = AT_LEAST(0), .upper = AT_MOST(PLAN_TOP_MOST)),
    OBJECT(OWNER, compare, period_schema, .nullable = true,
           .help = "Another period, for which the same is computed."),
    NULLABLE_NUMBER(OWNER, quantile, .lower = ABOVE(0), .upper = BELOW(1),
                    .help = "Which one; 0.5 is the median."),
};
#undef OWNER
SCHEMA(typed_plan_schema, struct typed_plan, "QuestionPlan", plan_fields);

static json_t *read_list(struct arena *arena, const struct text *text)
{
    struct json_fault fault;
    json_t *list = NULL;

    return json_read(arena, text->bytes, text->length, 2, &list, &fault) ? NULL : list;
}

json_t *typed_texts(struct arena *arena, const struct string_list *texts)
{
    struct json_writer writer;
    struct text text;

    text_start(&text, arena, PLAN_BYTES_MAX);
    writer_start(&writer, &text);
    writer_strings(&writer, texts->items, texts->count);
    return read_list(arena, &text);
}

json_t *typed_numbers(struct arena *arena, const double *numbers, size_t count)
{
    struct json_writer writer;
    struct text text;

    text_start(&text, arena, PLAN_BYTES_MAX);
    writer_start(&writer, &text);
    writer_open_array(&writer);
    for (size_t i = 0; i < count; i++)
        if (numbers[i] == (double)(int64_t)numbers[i])
            writer_integer(&writer, (int64_t)numbers[i]);
        else
            writer_number(&writer, numbers[i]);
    writer_close_array(&writer);
    return read_list(arena, &text);
}

json_t *typed_flag(struct arena *arena, bool value)
{
    struct json_writer writer;
    struct text text;

    text_start(&text, arena, PLAN_BYTES_MAX);
    writer_start(&writer, &text);
    writer_open_array(&writer);
    writer_boolean(&writer, value);
    writer_close_array(&writer);
    return read_list(arena, &text);
}

const struct typed_period *typed_period_of(struct arena *arena, const struct period *period,
                                           int64_t now)
{
    static const struct {
        const char *unit;
        int64_t length;
    } units[] = {{"minutes", 60000000}, {"hours", 3600000000}, {"days", 86400000000}};
    struct typed_period *made = ARENA_NEW(arena, struct typed_period);

    made->relative = typed_relative(arena, period);
    if (period->kind == PERIOD_NONE || period->kind == PERIOD_ALL)
        return NULL;
    if (period->kind == PERIOD_DURATION) {
        for (size_t i = 0; i < COUNT_OF(units); i++)
            if (strcmp(units[i].unit, period->unit) == 0)
                made->from = GIVEN_INTEGER(now - period->amount * units[i].length);
    } else {
        made->from = (struct optional_integer){period->from != 0, period->from};
        made->to = (struct optional_integer){period->to != 0, period->to};
    }
    return made;
}

const char *typed_relative(struct arena *arena, const struct period *period)
{
    return period->kind == PERIOD_DURATION
               ? arena_print(arena, "last %lld %s", (long long)period->amount, period->unit)
               : NULL;
}

const char *typed_plan_text(struct arena *arena, const struct typed_plan *plan)
{
    struct typed_plan copy = *plan;
    struct typed_filter *filters = ARENA_ARRAY(arena, struct typed_filter, plan->filters.count);
    const char *words = plan->relative ? plan->relative : "", *text;

    if (plan->relative)
        copy.period = NULL;
    if (plan->compare && plan->compare->relative) {
        copy.compare = NULL;
        words = arena_print(arena, "%s compared with %s", words, plan->compare->relative);
    }
    copy.filters.items = filters;
    for (size_t i = 0; i < plan->filters.count; i++) {
        filters[i] = ((const struct typed_filter *)plan->filters.items)[i];
        if (!filters[i].relative)
            continue;
        filters[i].values = NULL;
        words = arena_print(arena, "%s; %s", words, filters[i].relative);
    }
    text = schema_json(arena, PLAN_BYTES_MAX, &typed_plan_schema, &copy);
    return text ? arena_print(arena, "%s %s", words, text) : NULL;
}
