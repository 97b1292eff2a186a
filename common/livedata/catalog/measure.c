/* Reading measures from files, and what requests add to them. */
#include "livedata/catalog/measure.h"

#include "base/list.h"
#include "base/number.h"
#include "base/text.h"
#include "livedata/timestamp.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum { TEXT_VALUE_MAX = 400, LITERAL_MAX = 1000 };

const char *const measure_kinds[] = {"count", "sum", "distinct", "average",
                                     "min",   "max", "quantile", "ratio"};

static enum error refuse(struct problem *problem, const char *code, const char *what,
                         const char *which)
{
    return problem_set(problem, ERROR_INVALID, code, "%s: '%.120s'", what, which);
}

/* The column that holds the key of a related entity; the lines of an order belong to two. */
static const struct table_column *relation_column(const struct catalog *catalog,
                                                  const struct serving_table *table,
                                                  const char *entity)
{
    static const char *const lines[][2] = {{"order", "order_id"}, {"product", "product_id"}};
    const struct entity_type *type = catalog_entity_of_table(catalog, table);

    for (size_t i = 0; type && i < type->relation_count; i++)
        if (strcmp(type->relations[i].to->name, entity) == 0)
            return type->relations[i].column;
    for (size_t i = 0; strcmp(table->name, "order_items") == 0 && i < COUNT_OF(lines); i++)
        if (strcmp(lines[i][0], entity) == 0)
            return serving_column_find(table, lines[i][1]);
    return NULL;
}

/* The table of the related entity, joined if it was not yet. */
static bool join(struct arena *arena, const struct catalog *catalog, struct measure *measure,
                 size_t from, const char *entity, size_t *table)
{
    const struct measure_table *start = &measure->tables[from];
    const struct entity_type *type = catalog_entity(catalog, entity);
    const struct table_column *column = relation_column(catalog, start->table, entity);

    if (!type || !column || !column->stored)
        return false;
    for (*table = 1; *table < measure->table_count; ++*table)
        if (measure->tables[*table].from == from && measure->tables[*table].column == column)
            return true;
    if (measure->table_count == MEASURE_TABLES_MAX)
        return false;
    measure->tables[measure->table_count++] = (struct measure_table){
        .table = type->table,
        .path = *start->path ? arena_print(arena, "%s.%s", start->path, entity) : entity,
        .from = from,
        .column = column};
    return true;
}

/* "There is no such column", with the path of the related row that has it. */
static enum error refuse_column(struct arena *arena, const struct catalog *catalog,
                                const struct measure_table *table, const char *name,
                                const char *path, struct problem *problem)
{
    const struct entity_type *type = catalog_entity_of_table(catalog, table->table);
    const char *prefix = *table->path ? arena_print(arena, "%s.", table->path) : "";

    for (size_t i = 0; type && i < type->relation_count; i++) {
        const struct entity_type *to = type->relations[i].to;
        const struct table_column *column = serving_column_find(to->table, name);

        if (column && column->stored && type->relations[i].column->stored)
            return problem_set(
                problem, ERROR_INVALID, "unknown_column",
                "There is no such column: '%.120s'. Did you mean '%.60s%.60s.%.60s'?", path, prefix,
                to->name, name);
    }
    return refuse(problem, "unknown_column", "There is no such column", path);
}

enum error measure_find(struct arena *arena, const struct catalog *catalog, struct measure *measure,
                        const char *path, struct measure_column *column, struct problem *problem)
{
    const char *rest = path, *point;
    size_t table = 0;

    for (; (point = strchr(rest, '.')); rest = point + 1)
        if (!join(arena, catalog, measure, table, arena_copy(arena, rest, (size_t)(point - rest)),
                  &table))
            return refuse(problem, "unknown_column", "There is no such relation", path);
    *column =
        (struct measure_column){.column = serving_column_find(measure->tables[table].table, rest),
                                .table = table,
                                .name = path};
    if (!column->column || !column->column->stored)
        return refuse_column(arena, catalog, &measure->tables[table], rest, path, problem);
    return ERROR_NONE;
}

/* A whole number of units of 10^-scale; false when the text has more places, or is no number. */
static bool read_decimal(const char *text, int scale, int64_t *units)
{
    const char *at = text + (*text == '-'), *point = strchr(at, '.');
    size_t whole = strspn(at, "0123456789"), places = point ? strspn(point + 1, "0123456789") : 0;
    char digits[40];
    size_t length = 0;

    if (!whole || whole + (size_t)scale > 18 || at[whole] != (point ? '.' : '\0') ||
        (point && (!places || point[1 + places] || places > (size_t)scale)))
        return false;
    memcpy(digits, text, (size_t)(at - text) + whole);
    length = (size_t)(at - text) + whole;
    for (size_t i = 0; i < (size_t)scale; i++)
        digits[length++] = i < places ? point[1 + i] : '0';
    digits[length] = '\0';
    return integer_parse(digits, units);
}

static bool read_units(const struct table_column *column, const char *text, int64_t *units)
{
    switch (column->type) {
    case COLUMN_TIME:
        return timestamp_parse(text, units);
    case COLUMN_BOOLEAN:
        *units = strcmp(text, "true") == 0;
        return *units || strcmp(text, "false") == 0;
    default:
        return read_decimal(text, column->type == COLUMN_NUMBER ? column->scale : 0, units);
    }
}

/* The value as a literal of SQL: a whole number, or a text with its quotes doubled. JSON is
 * compared with no value alone. */
static const char *literal(struct arena *arena, const struct table_column *column,
                           const char *value)
{
    struct text text;
    int64_t units;

    if (column->type == COLUMN_JSON)
        return NULL;
    if (column->type != COLUMN_TEXT)
        return read_units(column, value, &units) ? arena_print(arena, "%lld", (long long)units)
                                                 : NULL;
    if (strlen(value) > TEXT_VALUE_MAX)
        return NULL;
    text_start(&text, arena, LITERAL_MAX);
    text_append_byte(&text, '\'');
    for (; *value; value++) {
        text_append_byte(&text, *value);
        if (*value == '\'')
            text_append_byte(&text, '\'');
    }
    text_append_byte(&text, '\'');
    return text.bytes;
}

/* Up to the separator, without the blanks around it; `\` takes the next byte as it is. */
static const char *take_part(struct arena *arena, const char **at, const char *separators)
{
    struct text text;

    text_start(&text, arena, LITERAL_MAX);
    *at += strspn(*at, " ");
    while (**at && !strchr(separators, **at)) {
        if (**at == '\\' && (*at)[1])
            ++*at;
        text_append_byte(&text, *(*at)++);
    }
    while (text.length && text.bytes[text.length - 1] == ' ')
        text.bytes[--text.length] = '\0';
    return text.bytes;
}

static bool take_operator(const char **at, enum condition_kind *kind)
{
    static const struct {
        const char *text;
        enum condition_kind kind;
    } operators[] = {{"!=", CONDITION_NOT_IN},   {"<=", CONDITION_AT_MOST},
                     {">=", CONDITION_AT_LEAST}, {"=", CONDITION_IN},
                     {"<", CONDITION_BELOW},     {">", CONDITION_ABOVE}};

    for (size_t i = 0; i < COUNT_OF(operators); i++)
        if (strncmp(*at, operators[i].text, strlen(operators[i].text)) == 0) {
            *at += strlen(operators[i].text);
            *kind = operators[i].kind;
            return true;
        }
    return false;
}

static bool take_values(struct arena *arena, const char **at, struct measure_condition *condition)
{
    struct string_list *values = &condition->values;
    size_t most = 1;

    for (const char *byte = *at; *byte; byte++)
        most += *byte == '|';
    values->items = ARENA_ARRAY(arena, const char *, most);
    for (;; ++*at) {
        const char *value = take_part(arena, at, "|;");
        const char *checked = *value ? literal(arena, condition->column.column, value) : NULL;

        if (*value && !checked)
            return false;
        if (checked)
            values->items[values->count++] = checked;
        if (**at != '|')
            break;
    }
    return condition->kind <= CONDITION_NOT_IN || values->count == 1;
}

enum error measure_filter(struct arena *arena, const struct catalog *catalog,
                          struct measure *measure, const char *filter, struct problem *problem)
{
    const char *at = filter;

    while (*at) {
        struct measure_condition condition = {0};
        const char *name = take_part(arena, &at, "!<>=;");
        enum error error;

        if (!*name && (*at == ';' || !*at)) {
            at += *at == ';';
            continue;
        }
        error = measure_find(arena, catalog, measure, name, &condition.column, problem);
        if (error)
            return error;
        if (measure->condition_count == MEASURE_CONDITIONS_MAX ||
            !take_operator(&at, &condition.kind) || !take_values(arena, &at, &condition))
            return refuse(problem, "filter_invalid",
                          "A condition is a column, one of = != < <= > >= and a value of its type",
                          filter);
        measure->conditions[measure->condition_count++] = condition;
    }
    return ERROR_NONE;
}

struct string_list measure_group_names(struct arena *arena, const char *group_by)
{
    struct string_list names = {0};

    while (group_by && *group_by) {
        *LIST_ADD(arena, &names) = take_part(arena, &group_by, ",");
        group_by += *group_by == ',';
    }
    return names;
}

/* The text as a pattern of LIKE, whose signs are escaped by `!`. */
static const char *pattern_of(struct arena *arena, const char *text)
{
    struct text pattern;

    text_start(&pattern, arena, LITERAL_MAX);
    text_append_byte(&pattern, '%');
    for (; *text; text++) {
        if (strchr("%_!", *text))
            text_append_byte(&pattern, '!');
        text_append_byte(&pattern, (char)tolower((unsigned char)*text));
    }
    text_append_byte(&pattern, '%');
    return pattern.bytes;
}

enum error measure_contains(struct arena *arena, const struct catalog *catalog,
                            struct measure *measure, const char *path, const char *text,
                            struct problem *problem)
{
    struct measure_condition condition = {.kind = CONDITION_CONTAINS};
    enum error error = measure_find(arena, catalog, measure, path, &condition.column, problem);
    const char *checked;

    if (error)
        return error;
    checked = condition.column.column->type == COLUMN_TEXT && *text
                  ? literal(arena, condition.column.column, pattern_of(arena, text))
                  : NULL;
    if (!checked || measure->condition_count == MEASURE_CONDITIONS_MAX)
        return refuse(problem, "filter_invalid", "Texts alone contain a text", path);
    condition.values.items = ARENA_ARRAY(arena, const char *, 1);
    condition.values.items[condition.values.count++] = checked;
    measure->conditions[measure->condition_count++] = condition;
    return ERROR_NONE;
}

static enum error add_groups(struct arena *arena, const struct catalog *catalog,
                             struct measure *measure, const struct string_list *groups,
                             struct problem *problem)
{
    enum error error = ERROR_NONE;

    for (size_t i = 0; !error && i < groups->count; i++) {
        if (measure->group_count == MEASURE_GROUPS_MAX)
            return refuse(problem, "unknown_column", "There are too many groups", groups->items[i]);
        error = measure_find(arena, catalog, measure, groups->items[i],
                             &measure->groups[measure->group_count++], problem);
    }
    return error;
}

enum error measure_refine(struct arena *arena, const struct catalog *catalog,
                          const struct measure *measure, const char *filter,
                          const struct string_list *groups, const struct measure **refined,
                          struct problem *problem)
{
    struct measure *copy = ARENA_NEW(arena, struct measure);
    enum error error = ERROR_NONE;

    *copy = *measure;
    *refined = copy;
    if (measure->kind == MEASURE_RATIO) {
        error = measure_refine(arena, catalog, measure->numerator, filter, groups, &copy->numerator,
                               problem);
        return error ? error
                     : measure_refine(arena, catalog, measure->denominator, filter, groups,
                                      &copy->denominator, problem);
    }
    if (filter)
        error = measure_filter(arena, catalog, copy, filter, problem);
    if (!error && groups)
        error = add_groups(arena, catalog, copy, groups, problem);
    return error;
}

bool measure_is_zero_when_empty(const struct measure *measure)
{
    return measure->kind <= MEASURE_DISTINCT;
}

static void add_table(struct metric_tables *tables, const struct serving_table *table)
{
    for (size_t i = 0; i < tables->count; i++)
        if (tables->items[i] == table)
            return;
    if (tables->count < METRIC_TABLES_MAX)
        tables->items[tables->count++] = table;
}

static void add_tables(struct metric_tables *tables, const struct measure *measure)
{
    if (measure->kind == MEASURE_RATIO) {
        add_tables(tables, measure->numerator);
        add_tables(tables, measure->denominator);
        return;
    }
    for (size_t i = 0; i < measure->table_count; i++)
        add_table(tables, measure->tables[i].table);
}

struct metric_tables metric_tables(const struct live_metric *metric, const struct measure *measure)
{
    struct metric_tables tables = {.count = 1, .items = {metric->table}};

    if (!measure && !metric->value)
        measure = metric->measure;
    if (measure)
        add_tables(&tables, measure);
    return tables;
}

static bool is_number(const struct table_column *column)
{
    return column->type == COLUMN_INTEGER || column->type == COLUMN_NUMBER ||
           column->type == COLUMN_BOOLEAN;
}

static enum error read_value(struct arena *arena, const struct catalog *catalog, const json_t *json,
                             struct measure *measure, struct problem *problem)
{
    const char *column = json_string_value(json_object_get(json, "column"));
    double quantile = json_number_value(json_object_get(json, "quantile"));
    enum error error;

    if (measure->kind == MEASURE_COUNT)
        return column ? refuse(problem, "config_invalid", "count has no column", column)
                      : ERROR_NONE;
    if (!column)
        return refuse(problem, "config_invalid", "column is needed", measure_kinds[measure->kind]);
    error = measure_find(arena, catalog, measure, column, &measure->value, problem);
    if (error)
        return error;
    if (measure->kind != MEASURE_DISTINCT && !is_number(measure->value.column))
        return refuse(problem, "config_invalid", "column is no number", column);
    measure->quantile = llround(quantile * QUANTILE_UNITS);
    if (measure->kind == MEASURE_QUANTILE &&
        (measure->quantile < 1 || measure->quantile >= QUANTILE_UNITS))
        return refuse(problem, "config_invalid", "quantile is between 0 and 1", column);
    return ERROR_NONE;
}

static enum error read_conditions(struct arena *arena, const struct catalog *catalog,
                                  const json_t *json, struct measure *measure,
                                  struct problem *problem)
{
    const struct string_list list = json_strings(arena, json_object_get(json, "where"));
    enum error error = ERROR_NONE;

    for (size_t i = 0; !error && i < list.count; i++)
        error = measure_filter(arena, catalog, measure, list.items[i], problem);
    return error;
}

struct reader {
    struct arena *arena;
    const struct catalog *catalog;
    const struct serving_table *table;
    const char *time; /* of a ratio's parts that name none */
    struct problem *problem;
};

static enum error read_single(const struct reader *reader, const json_t *json,
                              struct measure *measure)
{
    const char *time = json_string_value(json_object_get(json, "time"));
    const char *money = json_string_value(json_object_get(json, "currency_of"));
    struct problem *problem = reader->problem;
    struct arena *arena = reader->arena;
    enum error error = read_value(arena, reader->catalog, json, measure, problem);

    time = time ? time : reader->time;
    if (!error && !time)
        return refuse(problem, "config_invalid", "time is needed", measure_kinds[measure->kind]);
    if (!error)
        error = measure_find(arena, reader->catalog, measure, time, &measure->time, problem);
    if (!error && measure->time.column->type != COLUMN_TIME)
        return refuse(problem, "config_invalid", "time is no time column", time);
    if (!error)
        error = read_conditions(arena, reader->catalog, json, measure, problem);
    if (!error && money && measure->value.column) {
        const char *path = measure->tables[measure->value.table].path;

        error = measure_find(arena, reader->catalog, measure,
                             *path ? arena_print(arena, "%s.currency", path) : "currency",
                             &measure->currency, problem);
    }
    return error;
}

static enum error read_kind(const struct reader *reader, const json_t *json,
                            struct measure **measure)
{
    const char *kind = json_string_value(json_object_get(json, "kind"));
    int which = 0;

    while (kind && which < MEASURE_KIND__MAX && strcmp(measure_kinds[which], kind) != 0)
        which++;
    if (!kind || which == MEASURE_KIND__MAX)
        return refuse(reader->problem, "config_invalid",
                      "kind is count, sum, distinct, average, min, max, quantile or ratio",
                      kind ? kind : "");
    *measure = ARENA_NEW(reader->arena, struct measure);
    **measure = (struct measure){.kind = (enum measure_kind)which, .table_count = 1};
    (*measure)->tables[0] = (struct measure_table){.table = reader->table, .path = ""};
    return ERROR_NONE;
}

/* A part of a ratio: a measure of its own, or that of another metric. */
static enum error read_part(const struct reader *reader, const json_t *json, const char *key,
                            const struct measure **part)
{
    const json_t *given = json_object_get(json, key);
    struct measure *own = NULL;
    enum error error = ERROR_NONE;

    *part = NULL;
    if (json_is_string(given)) {
        const struct live_metric *metric =
            catalog_metric(reader->catalog, json_string_value(given));

        *part = metric ? metric->measure : NULL;
    } else if (json_is_object(given)) {
        error = read_kind(reader, given, &own);
        if (!error && own->kind != MEASURE_RATIO)
            error = read_single(reader, given, own);
        *part = own;
    }
    if (!error && (!*part || (*part)->kind == MEASURE_RATIO))
        return refuse(reader->problem, "config_invalid",
                      "a ratio needs a measure or a metric with one, which is no ratio", key);
    return error;
}

enum error measure_read(struct arena *arena, const struct catalog *catalog,
                        const struct serving_table *table, const json_t *json,
                        const struct measure **measure, struct problem *problem)
{
    const struct reader reader = {arena, catalog, table,
                                  json_string_value(json_object_get(json, "time")), problem};
    struct measure *read;
    enum error error;

    *measure = NULL;
    if (!json_object_get(json, "kind"))
        return ERROR_NONE;
    error = read_kind(&reader, json, &read);
    if (error)
        return error;
    *measure = read;
    if (read->kind != MEASURE_RATIO)
        return read_single(&reader, json, read);
    error = read_part(&reader, json, "numerator", &read->numerator);
    return error ? error : read_part(&reader, json, "denominator", &read->denominator);
}
