/* Usage over HTTP: sums of the stored days, grouped as the query says. */
#include "orchestrator-keys/usage.h"

#include "base/clock.h"
#include "base/list.h"
#include "base/number.h"
#include "base/timestamp.h"
#include "orchestrator-keys/call.h"
#include "orchestrator/keys/usage_store.h"
#include "report/csv.h"

#include <string.h>

enum { DEFAULT_DAYS = 30, DAYS_MAX = 800 };
static const int64_t day_us = INT64_C(86400000000);

struct usage_query {
    const char *from, *to, *group_by;
    const char *key_id, *team_id, *customer_id, *model_id, *provider;
};

#define DAYS(OWNER)                                                                                \
    STRING(OWNER, from, .nullable = true, .max_length = 10,                                        \
           .help = "The first day, as 2026-11-27; 30 days by default."),                           \
        STRING(OWNER, to, .nullable = true, .max_length = 10, .help = "The last day.")

#define OWNER struct usage_query
static const struct field usage_query_fields[] = {
    DAYS(OWNER),
    STRING(OWNER, group_by, .nullable = true, .max_length = 60,
           .help =
               "Some of day, key, team, customer, model, provider, with commas; none: one sum."),
    STRING(OWNER, key_id, .nullable = true),
    STRING(OWNER, team_id, .nullable = true),
    STRING(OWNER, customer_id, .nullable = true),
    STRING(OWNER, model_id, .nullable = true),
    STRING(OWNER, provider, .nullable = true),
};
#undef OWNER
SCHEMA(usage_query_schema, struct usage_query, "UsageQuery", usage_query_fields);

struct own_usage_query {
    const char *from, *to, *group_by;
};

#define OWNER struct own_usage_query
static const struct field own_query_fields[] = {
    DAYS(OWNER),
    STRING(OWNER, group_by, .nullable = true, .max_length = 60,
           .help = "Some of day, model, provider, with commas; none: one sum."),
};
#undef OWNER
SCHEMA(own_usage_query_schema, struct own_usage_query, "OwnUsageQuery", own_query_fields);

struct usage_row {
    const char *day;
    const char *key_id, *key_name, *team_id, *team_name, *customer_id, *customer_name;
    const char *model_id, *provider;
    int64_t calls, failures, input_tokens, output_tokens, cached_tokens, cache_hits;
    struct optional_number avg_duration_ms;
    double cost_usd, excess_usd;
    int64_t saved_calls, saved_tokens;
    double saved_usd;
};

#define OWNER struct usage_row
static const struct field usage_row_fields[] = {
    STRING(OWNER, day, .nullable = true),
    STRING(OWNER, key_id, .nullable = true,
           .help = "Empty: without a virtual key. Null, as the others: not grouped by it."),
    STRING(OWNER, key_name, .nullable = true, .help = "Null also when it was deleted."),
    STRING(OWNER, team_id, .nullable = true),
    STRING(OWNER, team_name, .nullable = true),
    STRING(OWNER, customer_id, .nullable = true),
    STRING(OWNER, customer_name, .nullable = true),
    STRING(OWNER, model_id, .nullable = true),
    STRING(OWNER, provider, .nullable = true),
    INTEGER(OWNER, calls),
    INTEGER(OWNER, failures),
    INTEGER(OWNER, input_tokens),
    INTEGER(OWNER, output_tokens),
    INTEGER(OWNER, cached_tokens, .help = "Of the input: read from a cache."),
    INTEGER(OWNER, cache_hits, .help = "Calls with such tokens."),
    NULLABLE_NUMBER(OWNER, avg_duration_ms, ROUNDED(1)),
    NUMBER(OWNER, cost_usd, ROUNDED(9)),
    NUMBER(OWNER, excess_usd, ROUNDED(9),
           .help = "Of the cost: what providers billed beyond what was held."),
    INTEGER(OWNER, saved_calls, .help = "Answered from the answer cache; not among the calls."),
    INTEGER(OWNER, saved_tokens),
    NUMBER(OWNER, saved_usd, ROUNDED(9)),
};
#undef OWNER
static SCHEMA(usage_row_schema, struct usage_row, "Usage", usage_row_fields);

struct usage_answer {
    const char *from, *to, *time_zone, *currency;
    const struct usage_row *total;
    OBJECT_LIST(struct usage_row, rows);
};

#define OWNER struct usage_answer
static const struct field usage_answer_fields[] = {
    STRING(OWNER, from),
    STRING(OWNER, to),
    STRING(OWNER, time_zone, .help = "Of the days: ORCH_TIME_ZONE."),
    STRING(OWNER, currency),
    OBJECT(OWNER, total, usage_row_schema),
    OBJECTS(OWNER, rows, usage_row_schema),
};
#undef OWNER
SCHEMA(usage_answer_schema, struct usage_answer, "UsageReport", usage_answer_fields);

/* The names of keys, teams and customers. */
struct names {
    struct object_list keys, teams, customers;
};

static enum error read_names(const struct key_store_call *call, struct names *names)
{
    enum error error = virtual_key_list(call, &names->keys);

    if (!error)
        error = team_list(call, &names->teams);
    return error ? error : customer_list(call, &names->customers);
}

/* The items begin with id and name. */
static const char *name_of(const struct object_list *list, size_t size, const char *id)
{
    const char *items = list->items;

    for (size_t i = 0; id && i < list->count; i++) {
        const char *const *item = (const char *const *)(items + i * size);

        if (strcmp(item[0], id) == 0)
            return item[1];
    }
    return NULL;
}

static bool is_date(const char *text)
{
    int64_t time;

    return strlen(text) == 10 && timestamp_from_iso(text, &time);
}

static const char *day_before(struct arena *arena, int days)
{
    char *day = arena_alloc(arena, WINDOW_DAY_MAX);

    window_day(clock_unix_microseconds() - days * day_us, day);
    return day;
}

static bool *group_named(struct usage_filter *filter, const char *name, size_t length)
{
    const struct {
        const char *name;
        bool *flag;
    } groups[] = {{"day", &filter->by_day},     {"key", &filter->by_key},
                  {"team", &filter->by_team},   {"customer", &filter->by_customer},
                  {"model", &filter->by_model}, {"provider", &filter->by_provider}};

    for (size_t i = 0; i < COUNT_OF(groups); i++)
        if (strlen(groups[i].name) == length && strncmp(groups[i].name, name, length) == 0)
            return groups[i].flag;
    return NULL;
}

static enum error read_groups(struct request *request, const char *groups,
                              struct usage_filter *filter)
{
    while (groups && *groups) {
        size_t length = strcspn(groups, ",");
        bool *flag = group_named(filter, groups, length);

        if (!flag)
            return request_fault(request, "query", "group_by", "value_error",
                                 "Input should name day, key, team, customer, model or provider");
        *flag = true;
        groups += length + (groups[length] == ',');
    }
    return ERROR_NONE;
}

static enum error read_days(struct request *request, const char *from, const char *to,
                            struct usage_filter *filter)
{
    filter->to = to && *to ? to : day_before(request->arena, 0);
    filter->from = from && *from ? from : day_before(request->arena, DEFAULT_DAYS - 1);
    if (!is_date(filter->from))
        return request_fault(request, "query", "from", "value_error",
                             "Input should be a date, as 2026-11-27");
    if (!is_date(filter->to))
        return request_fault(request, "query", "to", "value_error",
                             "Input should be a date, as 2026-11-27");
    return ERROR_NONE;
}

static void show_group(const struct usage *usage, const struct usage_filter *filter,
                       const struct names *names, struct usage_row *row)
{
    row->day = filter->by_day ? usage->day : NULL;
    row->key_id = filter->by_key ? usage->key_id : NULL;
    row->team_id = filter->by_team ? usage->team_id : NULL;
    row->customer_id = filter->by_customer ? usage->customer_id : NULL;
    row->model_id = filter->by_model ? usage->model_id : NULL;
    row->provider = filter->by_provider ? usage->provider : NULL;
    row->key_name = name_of(&names->keys, sizeof(struct virtual_key), row->key_id);
    row->team_name = name_of(&names->teams, sizeof(struct team), row->team_id);
    row->customer_name = name_of(&names->customers, sizeof(struct customer), row->customer_id);
}

static void show_sums(const struct usage *usage, struct usage_row *row)
{
    row->calls = usage->calls;
    row->failures = usage->failures;
    row->input_tokens = usage->input_tokens;
    row->output_tokens = usage->output_tokens;
    row->cached_tokens = usage->cached_tokens;
    row->cache_hits = usage->cache_hits;
    if (usage->timed_calls)
        row->avg_duration_ms =
            GIVEN_NUMBER((double)usage->duration_ms / (double)usage->timed_calls);
    row->cost_usd = (double)usage->nano_usd / NANO_PER_DOLLAR;
    row->excess_usd = (double)usage->excess_nano_usd / NANO_PER_DOLLAR;
    row->saved_calls = usage->saved_calls;
    row->saved_tokens = usage->saved_tokens;
    row->saved_usd = (double)usage->saved_nano_usd / NANO_PER_DOLLAR;
}

/* The sum of all rows. */
static struct usage_row *total_of(struct arena *arena, const struct usage_list *list)
{
    struct usage_row *total = ARENA_NEW(arena, struct usage_row);
    struct usage_list one = {0};

    for (size_t i = 0; i < list->count; i++) {
        struct usage row = list->items[i];

        row.day = row.model_id = row.provider = "";
        usage_add(arena, &one, &row);
    }
    if (one.count)
        show_sums(&one.items[0], total);
    return total;
}

static enum error answer_usage(struct request *request, const struct usage_filter *filter,
                               struct usage_answer **answer)
{
    struct names names = {0};
    struct key_store_call call;
    struct usage_list list = {0};
    struct usage_row *rows;
    enum error error = keys_begin(request, &call);

    if (!error)
        error = usage_read(call.db, call.arena, filter, &list, call.problem);
    if (!error)
        error = read_names(&call, &names);
    if (error)
        return error;
    rows = ARENA_ARRAY(request->arena, struct usage_row, list.count);
    for (size_t i = 0; i < list.count; i++) {
        show_group(&list.items[i], filter, &names, &rows[i]);
        show_sums(&list.items[i], &rows[i]);
    }
    *answer = ARENA_NEW(request->arena, struct usage_answer);
    **answer = (struct usage_answer){.from = filter->from,
                                     .to = filter->to,
                                     .time_zone = service_settings(request)->time_zone,
                                     .currency = "USD",
                                     .total = total_of(request->arena, &list),
                                     .rows = {list.count, rows}};
    return ERROR_NONE;
}

static enum error report(struct request *request, struct usage_answer **answer)
{
    const struct usage_query *query = request->query;
    struct usage_filter filter = {.key_id = query->key_id,
                                  .team_id = query->team_id,
                                  .customer_id = query->customer_id,
                                  .model_id = query->model_id,
                                  .provider = query->provider};
    enum error error = read_days(request, query->from, query->to, &filter);

    if (!error)
        error = read_groups(request, query->group_by, &filter);
    return error ? error : answer_usage(request, &filter, answer);
}

enum error usage_handle(struct request *request, struct reply *reply)
{
    struct usage_answer *answer = NULL;
    enum error error = report(request, &answer);

    reply->object = answer;
    return error;
}

enum error own_usage_handle(struct request *request, struct reply *reply)
{
    const struct own_usage_query *query = request->query;
    struct usage_filter filter = {.key_id = service_key_id(request)};
    struct usage_answer *answer = NULL;
    enum error error = ERROR_NONE;

    if (!filter.key_id)
        return problem_set(&request->problem, ERROR_NOT_FOUND, "key_not_found",
                           "This request was not sent with a virtual key.");
    error = read_days(request, query->from, query->to, &filter);
    if (!error)
        error = read_groups(request, query->group_by, &filter);
    if (!error)
        error = answer_usage(request, &filter, &answer);
    reply->object = answer;
    return error;
}

static void add_number(struct text *out, double value)
{
    char text[NUMBER_TEXT_MAX];

    number_format(value, text);
    csv_append_cell(out, false, text);
}

static void write_line(struct text *out, const struct usage_row *row)
{
    const int64_t counts[] = {row->calls,         row->failures,      row->input_tokens,
                              row->output_tokens, row->cached_tokens, row->cache_hits};
    const char *const texts[] = {row->key_id,    row->key_name,    row->team_id,
                                 row->team_name, row->customer_id, row->customer_name,
                                 row->model_id,  row->provider};
    char text[NUMBER_TEXT_MAX];

    csv_append_cell(out, true, row->day);
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        csv_append_cell(out, false, texts[i]);
    for (size_t i = 0; i < COUNT_OF(counts); i++) {
        integer_format(counts[i], text);
        csv_append_cell(out, false, text);
    }
    if (row->avg_duration_ms.given)
        add_number(out, number_round(row->avg_duration_ms.value, 1));
    else
        csv_append_cell(out, false, NULL);
    add_number(out, number_round(row->cost_usd, 9));
    add_number(out, number_round(row->excess_usd, 9));
    integer_format(row->saved_calls, text);
    csv_append_cell(out, false, text);
    integer_format(row->saved_tokens, text);
    csv_append_cell(out, false, text);
    add_number(out, number_round(row->saved_usd, 9));
    csv_end_line(out);
}

enum error usage_csv_handle(struct request *request, struct reply *reply)
{
    struct usage_answer *answer;
    const struct usage_row *rows;
    enum error error = report(request, &answer);

    if (error)
        return error;
    for (size_t i = 0; i < COUNT_OF(usage_row_fields); i++)
        csv_append_cell(&reply->body, i == 0, usage_row_fields[i].name);
    csv_end_line(&reply->body);
    rows = answer->rows.items;
    for (size_t i = 0; i < answer->rows.count; i++)
        write_line(&reply->body, &rows[i]);
    reply_add_header(reply, "Content-Disposition", "attachment; filename=\"spending.csv\"");
    return ERROR_NONE;
}
