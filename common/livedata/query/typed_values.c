/* Values by groups, as rows of an answer. */
#include "livedata/query/typed_values.h"

#include "base/number.h"
#include "livedata/metrics/measure_compute.h"
#include "livedata/timestamp.h"

#include <stdlib.h>
#include <string.h>

enum { CURSOR_BYTES_MAX = 8000, KEY_DEPTH_MAX = 2, COLUMNS_MAX = MEASURE_GROUPS_MAX + 4 };

struct value_row {
    struct sandbox_cell groups[MEASURE_GROUPS_MAX + 1]; /* in the plan's order */
    struct sandbox_cell value, compared, change;
};

/* The context of qsort_r(). */
struct value_order {
    size_t groups;
    int by; /* -1 = by the groups in their order, groups = by the value, else that group first */
    bool descending;
};

struct value_table {
    struct arena *arena;
    const struct compiled_plan *compiled;
    const char *sql;
    size_t count;
    struct value_row *items;
};

static struct measure_request request_for(const struct plan_context *context,
                                          const struct compiled_plan *compiled,
                                          const struct typed_period *period)
{
    const struct livedata_settings *settings = context->settings;
    struct measure_request request =
        measure_request_of(settings, compiled->measure, TYPED_GROUPS_MAX);

    if (period)
        request.range = (struct time_range){period->from.given ? period->from.value : 0,
                                            period->to.given ? period->to.value : 0};
    return request;
}

static enum error too_many(const struct storage_call *call)
{
    return problem_set(call->problem, ERROR_INVALID, "too_many_groups",
                       "The answer would have more than %d groups: add a condition, or group by "
                       "less.",
                       TYPED_GROUPS_MAX);
}

/* The measure whose time buckets are of; of a ratio, what it divides by. */
static const struct measure *timed(const struct measure *measure)
{
    return measure->kind == MEASURE_RATIO ? measure->denominator : measure;
}

/* The first or last time of the rows; false when there are none. */
static enum error find_end(const struct storage_call *call, const struct measure_request *request,
                           enum measure_kind kind, int64_t *end, bool *found)
{
    struct measure measure = *timed(request->measure);
    struct measure_request ends = *request;
    struct measure_rows rows;
    enum error error;

    measure.kind = kind;
    measure.value = measure.time;
    measure.currency = (struct measure_column){0};
    measure.group_count = 0;
    ends.measure = &measure;
    error = measure_compute(call, &ends, &rows);
    *found = !error && rows.count && !rows.items[0].undefined;
    if (*found)
        *end = (int64_t)rows.items[0].value;
    return error;
}

/* Before the first row, so that its bucket begins where the calendar's does. */
static int64_t longest_of(const char *unit)
{
    return strcmp(unit, "hour") == 0   ? us_per_hour
           : strcmp(unit, "day") == 0  ? 25 * us_per_hour
           : strcmp(unit, "week") == 0 ? 8 * us_per_day
                                       : 32 * us_per_day;
}

/* Cuts the period into hours, days...; one without ends reaches from the first row to the last. */
static enum error cut(const struct storage_call *call, const struct plan_context *context,
                      const struct compiled_plan *compiled, struct measure_request *request,
                      bool *empty)
{
    struct time_step step = {0};
    enum error error = ERROR_NONE;
    bool found = true;

    if (!compiled->unit)
        return ERROR_NONE;
    if (!request->range.from) {
        error = find_end(call, request, MEASURE_MIN, &request->range.from, &found);
        request->range.from -= longest_of(compiled->unit);
    }
    if (!error && found && !request->range.to) {
        error = find_end(call, request, MEASURE_MAX, &request->range.to, &found);
        request->range.to++;
    }
    *empty = !found || request->range.from >= request->range.to;
    if (error || *empty)
        return error;
    (void)step_parse(compiled->unit, &step);
    return window_buckets(call->arena, request->range, &step, context->zone, &request->buckets)
               ? ERROR_NONE
               : too_many(call);
}

static const char *time_text(struct arena *arena, int64_t at)
{
    char text[TIMESTAMP_TEXT];

    timestamp_format(at, text);
    return arena_copy_string(arena, text);
}

static struct sandbox_cell cell_of(const json_t *value)
{
    if (json_is_string(value))
        return (struct sandbox_cell){.kind = SANDBOX_TEXT, .text = json_string_value(value)};
    if (json_is_boolean(value))
        return (struct sandbox_cell){.kind = SANDBOX_INTEGER, .integer = json_is_true(value)};
    if (json_is_integer(value))
        return (struct sandbox_cell){.kind = SANDBOX_INTEGER, .integer = json_integer_value(value)};
    if (json_is_number(value))
        return (struct sandbox_cell){.kind = SANDBOX_NUMBER, .number = json_number_value(value)};
    return (struct sandbox_cell){.kind = SANDBOX_NULL};
}

static struct sandbox_cell value_cell(struct arena *arena, const struct compiled_plan *compiled,
                                      const struct measure_row *row)
{
    const struct measure *measure = compiled->measure;
    bool whole = measure->kind == MEASURE_COUNT || measure->kind == MEASURE_DISTINCT;

    if (row->undefined)
        return (struct sandbox_cell){.kind = SANDBOX_NULL};
    if (measure->value.column && measure->value.column->type == COLUMN_TIME && !whole)
        return (struct sandbox_cell){.kind = SANDBOX_TEXT,
                                     .text = time_text(arena, (int64_t)row->value)};
    return whole ? (struct sandbox_cell){.kind = SANDBOX_INTEGER, .integer = (int64_t)row->value}
                 : (struct sandbox_cell){.kind = SANDBOX_NUMBER, .number = row->value};
}

/* The groups of a row in the plan's order: columns by their keys, the unit of time by its bucket.
 */
static bool read_groups(struct arena *arena, const struct compiled_plan *compiled,
                        const struct measure_request *request, const struct measure_row *row,
                        struct value_row *made)
{
    const struct string_list *names = &compiled->plan->group_by;
    struct json_fault fault;
    json_t *keys;

    if (!names->count)
        return true;
    if (json_read(arena, row->keys, strlen(row->keys), KEY_DEPTH_MAX, &keys, &fault))
        return false;
    for (size_t i = 0; i < names->count; i++)
        made->groups[i] =
            compiled->unit && strcmp(names->items[i], compiled->unit) == 0
                ? (struct sandbox_cell){.kind = SANDBOX_TEXT,
                                        .text =
                                            time_text(arena, request->buckets.items[row->bucket])}
                : cell_of(json_object_get(keys, names->items[i]));
    return true;
}

static int compare_cells(const struct sandbox_cell *a, const struct sandbox_cell *b)
{
    double left, right;

    if (a->kind == SANDBOX_NULL || b->kind == SANDBOX_NULL)
        return (a->kind == SANDBOX_NULL) - (b->kind == SANDBOX_NULL);
    if (a->kind == SANDBOX_TEXT || b->kind == SANDBOX_TEXT)
        return a->kind != b->kind ? (a->kind == SANDBOX_TEXT) - (b->kind == SANDBOX_TEXT)
                                  : strcmp(a->text, b->text);
    left = a->kind == SANDBOX_INTEGER ? (double)a->integer : a->number;
    right = b->kind == SANDBOX_INTEGER ? (double)b->integer : b->number;
    return left < right ? -1 : left > right;
}

static struct value_order order_of(const struct compiled_plan *compiled)
{
    const struct typed_plan *plan = compiled->plan;
    struct value_order order = {.groups = plan->group_by.count, .by = -1};

    if (!plan->order)
        return order;
    order.by = (int)plan->group_by.count;
    order.descending = plan->order->descending;
    for (size_t i = 0; i < plan->group_by.count; i++)
        if (strcmp(plan->group_by.items[i], plan->order->by) == 0)
            order.by = (int)i;
    return order;
}

/* No value comes last, whatever the direction; equal ones are in the order of their groups. */
static int compare_rows(const struct value_row *a, const struct value_row *b,
                        const struct value_order *order)
{
    int found = 0;

    if (order->by >= 0) {
        bool value = (size_t)order->by == order->groups;
        const struct sandbox_cell *left = value ? &a->value : &a->groups[order->by],
                                  *right = value ? &b->value : &b->groups[order->by];
        bool absent = left->kind == SANDBOX_NULL || right->kind == SANDBOX_NULL;

        found = compare_cells(left, right);
        found = order->descending && !absent ? -found : found;
    }
    for (size_t i = 0; !found && i < order->groups; i++)
        found = compare_cells(&a->groups[i], &b->groups[i]);
    return found;
}

static int by_order(const void *left, const void *right, void *order)
{
    return compare_rows(left, right, order);
}

/* The statement; of a ratio both, unless `first` alone. */
static const char *sql_of(const struct storage_call *call, const struct measure_request *request,
                          bool first)
{
    struct measure_request part = *request;
    const char *numerator;

    if (request->measure->kind != MEASURE_RATIO)
        return measure_sql(call, request);
    part.measure = request->measure->numerator;
    numerator = measure_sql(call, &part);
    part.measure = request->measure->denominator;
    return first ? numerator
                 : arena_print(call->arena, "%s;\n%s", numerator, measure_sql(call, &part));
}

static enum error read_rows(const struct storage_call *call, const struct plan_context *context,
                            const struct compiled_plan *compiled, const struct typed_period *period,
                            struct value_table *table)
{
    struct measure_request request = request_for(context, compiled, period);
    struct value_order order = {.groups = compiled->plan->group_by.count, .by = -1};
    struct measure_rows rows;
    bool empty = false;
    enum error error = cut(call, context, compiled, &request, &empty);

    *table = (struct value_table){.arena = call->arena, .compiled = compiled};
    if (error)
        return error;
    table->sql = sql_of(call, &request, false);
    if (empty)
        return ERROR_NONE;
    error = measure_compute(call, &request, &rows);
    if (!error && rows.cut)
        error = too_many(call);
    if (error)
        return error;
    table->items = ARENA_ARRAY(call->arena, struct value_row, rows.count + 1);
    for (size_t i = 0; i < rows.count; i++) {
        struct value_row *row = &table->items[table->count];

        row->value = value_cell(call->arena, compiled, &rows.items[i]);
        table->count += read_groups(call->arena, compiled, &request, &rows.items[i], row);
    }
    qsort_r(table->items, table->count, sizeof table->items[0], by_order, &order);
    return ERROR_NONE;
}

static struct sandbox_cell difference(const struct sandbox_cell *now,
                                      const struct sandbox_cell *then)
{
    if (now->kind == SANDBOX_INTEGER && then->kind == SANDBOX_INTEGER)
        return (struct sandbox_cell){.kind = SANDBOX_INTEGER,
                                     .integer = now->integer - then->integer};
    if (now->kind == SANDBOX_NUMBER && then->kind == SANDBOX_NUMBER)
        return (struct sandbox_cell){.kind = SANDBOX_NUMBER,
                                     .number = number_round_figure(now->number - then->number, 6)};
    return (struct sandbox_cell){.kind = SANDBOX_NULL};
}

/* What a group without rows comes to. */
static struct sandbox_cell nothing(const struct compiled_plan *compiled)
{
    const struct measure *measure = compiled->measure;

    if (measure->kind == MEASURE_COUNT || measure->kind == MEASURE_DISTINCT)
        return (struct sandbox_cell){.kind = SANDBOX_INTEGER};
    return (struct sandbox_cell){.kind =
                                     measure->kind == MEASURE_SUM ? SANDBOX_NUMBER : SANDBOX_NULL};
}

/* Puts the other period's values beside those of the same groups; groups of one period alone have
 * nothing in the other. Both tables are in the order of their groups. */
static void join(struct value_table *table, const struct value_table *other)
{
    const struct value_order order = {.groups = table->compiled->plan->group_by.count, .by = -1};
    struct value_row *joined =
        ARENA_ARRAY(table->arena, struct value_row, table->count + other->count + 1);
    size_t count = 0;

    for (size_t i = 0, j = 0; i < table->count || j < other->count; count++) {
        int found = i == table->count   ? 1
                    : j == other->count ? -1
                                        : compare_rows(&table->items[i], &other->items[j], &order);

        joined[count] = found <= 0 ? table->items[i] : other->items[j];
        if (found > 0)
            joined[count].value = nothing(table->compiled);
        joined[count].compared = found >= 0 ? other->items[j].value : nothing(table->compiled);
        joined[count].change = difference(&joined[count].value, &joined[count].compared);
        i += found <= 0;
        j += found >= 0;
    }
    table->items = joined;
    table->count = count;
}

/* "average_value", "count", or the metric's name. */
static const char *value_name(struct arena *arena, const struct typed_plan *plan)
{
    char *name;

    if (plan->metric)
        return plan->metric;
    if (!plan->column)
        return typed_selects[plan->select];
    name = arena_print(arena, "%s_%s", typed_selects[plan->select], plan->column);
    for (char *at = name; *at; at++)
        if (*at == '.')
            *at = '_';
    return name;
}

static void write_answer(const struct value_table *table, struct sandbox_answer *answer)
{
    const struct typed_plan *plan = table->compiled->plan;
    size_t groups = plan->group_by.count;

    answer->columns = ARENA_ARRAY(table->arena, const char *, COLUMNS_MAX);
    for (size_t i = 0; i < groups; i++)
        answer->columns[answer->column_count++] = plan->group_by.items[i];
    answer->columns[answer->column_count++] = value_name(table->arena, plan);
    if (plan->compare) {
        answer->columns[answer->column_count++] = "compared";
        answer->columns[answer->column_count++] = "change";
    }
    answer->cells =
        ARENA_ARRAY(table->arena, struct sandbox_cell, table->count * answer->column_count + 1);
    for (size_t i = 0; i < table->count; i++) {
        struct sandbox_cell *cells = &answer->cells[i * answer->column_count];

        memcpy(cells, table->items[i].groups, groups * sizeof *cells);
        cells[groups] = table->items[i].value;
        if (plan->compare) {
            cells[groups + 1] = table->items[i].compared;
            cells[groups + 2] = table->items[i].change;
        }
    }
    answer->row_count = table->count;
}

enum error typed_values(const struct storage_call *call, const struct plan_context *context,
                        const struct compiled_plan *compiled, struct sandbox_answer *answer,
                        const char **sql)
{
    const struct typed_plan *plan = compiled->plan;
    struct value_order order = order_of(compiled);
    struct value_table table, other;
    enum error error = read_rows(call, context, compiled, plan->period, &table);

    *answer = (struct sandbox_answer){0};
    *sql = table.sql;
    if (!error && plan->compare) {
        error = read_rows(call, context, compiled, plan->compare, &other);
        if (!error) {
            *sql = arena_print(call->arena, "%s;\n%s", table.sql, other.sql);
            join(&table, &other);
        }
    }
    if (error)
        return error;
    qsort_r(table.items, table.count, sizeof table.items[0], by_order, &order);
    if (plan->limit.given && (size_t)plan->limit.value < table.count)
        table.count = (size_t)plan->limit.value;
    write_answer(&table, answer);
    return ERROR_NONE;
}

enum error typed_values_sql(const struct storage_call *call, const struct plan_context *context,
                            const struct compiled_plan *compiled, const char **sql)
{
    struct measure_request request = request_for(context, compiled, compiled->plan->period);
    bool empty = false;
    enum error error = cut(call, context, compiled, &request, &empty);

    *sql = error ? NULL : sql_of(call, &request, true);
    return error;
}

static void write_cell(struct json_writer *writer, const struct sandbox_cell *cell)
{
    if (cell->kind == SANDBOX_INTEGER)
        writer_integer(writer, cell->integer);
    else if (cell->kind == SANDBOX_NUMBER)
        writer_number(writer, cell->number);
    else
        writer_string(writer, cell->kind == SANDBOX_TEXT ? cell->text : NULL);
}

/* The groups and the value of a row as a JSON list; NULL when they are too long for a cursor. */
static const char *row_text(struct arena *arena, const struct sandbox_answer *all, size_t row,
                            size_t count)
{
    struct json_writer writer;
    struct text text;

    text_start(&text, arena, CURSOR_BYTES_MAX);
    writer_start(&writer, &text);
    writer_open_array(&writer);
    for (size_t i = 0; i < count; i++)
        write_cell(&writer, &all->cells[row * all->column_count + i]);
    writer_close_array(&writer);
    return text.overflowed ? NULL : text.bytes;
}

static struct value_row row_at(const struct sandbox_answer *all, size_t row, size_t groups)
{
    const struct sandbox_cell *cells = &all->cells[row * all->column_count];
    struct value_row read = {.value = cells[groups]};

    memcpy(read.groups, cells, groups * sizeof *cells);
    return read;
}

/* The number of rows up to the one with these values, which may be gone. */
static bool find_start(struct arena *arena, const struct compiled_plan *compiled,
                       const struct sandbox_answer *all, const char *after, size_t *start)
{
    struct value_order order = order_of(compiled);
    struct value_row last = {0};
    struct json_fault fault;
    json_t *list;

    *start = 0;
    if (!after)
        return true;
    if (json_read(arena, after, strlen(after), KEY_DEPTH_MAX, &list, &fault) ||
        json_array_size(list) != order.groups + 1)
        return false;
    for (size_t i = 0; i < order.groups; i++)
        last.groups[i] = cell_of(json_array_get(list, i));
    last.value = cell_of(json_array_get(list, order.groups));
    while (*start < all->row_count) {
        const struct value_row row = row_at(all, *start, order.groups);

        if (compare_rows(&row, &last, &order) > 0)
            break;
        ++*start;
    }
    return true;
}

bool typed_values_page(struct arena *arena, const struct compiled_plan *compiled,
                       const struct sandbox_answer *all, int64_t limit, const char *after,
                       struct sandbox_answer *page, const char **next)
{
    size_t start, left;

    *next = NULL;
    if (!find_start(arena, compiled, all, after, &start))
        return false;
    left = all->row_count - start;
    *page = *all;
    page->cells = all->cells ? all->cells + start * all->column_count : NULL;
    page->row_count = left > (size_t)limit ? (size_t)limit : left;
    page->cut = left > (size_t)limit;
    if (page->cut)
        *next =
            row_text(arena, all, start + page->row_count - 1, compiled->plan->group_by.count + 1);
    return true;
}
