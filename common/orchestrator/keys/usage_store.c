/* SQL of usage: what each key, team and customer spent on each day. */
#include "orchestrator/keys/usage_store.h"

#include "base/list.h"
#include "db/query.h"

#include <stdlib.h>
#include <string.h>

#define OWNER struct usage
static const struct field usage_fields[] = {
    STRING(OWNER, day),
    STRING(OWNER, key_id),
    STRING(OWNER, team_id),
    STRING(OWNER, customer_id),
    STRING(OWNER, model_id),
    STRING(OWNER, provider),
    INTEGER(OWNER, calls),
    INTEGER(OWNER, failures),
    INTEGER(OWNER, input_tokens),
    INTEGER(OWNER, output_tokens),
    INTEGER(OWNER, cached_tokens),
    INTEGER(OWNER, cache_hits),
    INTEGER(OWNER, duration_ms),
    INTEGER(OWNER, timed_calls),
    INTEGER(OWNER, nano_usd),
    INTEGER(OWNER, excess_nano_usd),
    INTEGER(OWNER, saved_calls),
    INTEGER(OWNER, saved_tokens),
    INTEGER(OWNER, saved_nano_usd),
};
#undef OWNER
static SCHEMA(usage_sum_schema, struct usage, "UsageSum", usage_fields);

static const struct statement add_usage = {
    .name = "orch_usage_add",
    .sql = "INSERT INTO orch_usage (day, key_id, team_id, customer_id, model_id, provider, calls,"
           " failures, input_tokens, output_tokens, cached_tokens, cache_hits, duration_ms,"
           " timed_calls, nano_usd, excess_nano_usd, saved_calls, saved_tokens, saved_nano_usd)"
           " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
           " ON CONFLICT (day, key_id, model_id, provider, team_id, customer_id) DO UPDATE SET"
           " calls = orch_usage.calls + excluded.calls,"
           " failures = orch_usage.failures + excluded.failures,"
           " input_tokens = orch_usage.input_tokens + excluded.input_tokens,"
           " output_tokens = orch_usage.output_tokens + excluded.output_tokens,"
           " cached_tokens = orch_usage.cached_tokens + excluded.cached_tokens,"
           " cache_hits = orch_usage.cache_hits + excluded.cache_hits,"
           " duration_ms = orch_usage.duration_ms + excluded.duration_ms,"
           " timed_calls = orch_usage.timed_calls + excluded.timed_calls,"
           " nano_usd = orch_usage.nano_usd + excluded.nano_usd,"
           " excess_nano_usd = orch_usage.excess_nano_usd + excluded.excess_nano_usd,"
           " saved_calls = orch_usage.saved_calls + excluded.saved_calls,"
           " saved_tokens = orch_usage.saved_tokens + excluded.saved_tokens,"
           " saved_nano_usd = orch_usage.saved_nano_usd + excluded.saved_nano_usd",
};
/* A group that is not asked for is one group. */
static const struct statement read_usage = {
    .name = "orch_usage_read",
    .sql = "SELECT day, key_id, team_id, customer_id, model_id, provider,"
           " CAST(sum(calls) AS BIGINT) AS calls,"
           " CAST(sum(failures) AS BIGINT) AS failures,"
           " CAST(sum(input_tokens) AS BIGINT) AS input_tokens,"
           " CAST(sum(output_tokens) AS BIGINT) AS output_tokens,"
           " CAST(sum(cached_tokens) AS BIGINT) AS cached_tokens,"
           " CAST(sum(cache_hits) AS BIGINT) AS cache_hits,"
           " CAST(sum(duration_ms) AS BIGINT) AS duration_ms,"
           " CAST(sum(timed_calls) AS BIGINT) AS timed_calls,"
           " CAST(sum(nano_usd) AS BIGINT) AS nano_usd,"
           " CAST(sum(excess_nano_usd) AS BIGINT) AS excess_nano_usd,"
           " CAST(sum(saved_calls) AS BIGINT) AS saved_calls,"
           " CAST(sum(saved_tokens) AS BIGINT) AS saved_tokens,"
           " CAST(sum(saved_nano_usd) AS BIGINT) AS saved_nano_usd"
           " FROM (SELECT"
           " CASE WHEN ? = 1 THEN day ELSE '' END AS day,"
           " CASE WHEN ? = 1 THEN key_id ELSE '' END AS key_id,"
           " CASE WHEN ? = 1 THEN team_id ELSE '' END AS team_id,"
           " CASE WHEN ? = 1 THEN customer_id ELSE '' END AS customer_id,"
           " CASE WHEN ? = 1 THEN model_id ELSE '' END AS model_id,"
           " CASE WHEN ? = 1 THEN provider ELSE '' END AS provider,"
           " calls, failures, input_tokens, output_tokens, cached_tokens, cache_hits,"
           " duration_ms, timed_calls, nano_usd, excess_nano_usd, saved_calls, saved_tokens,"
           " saved_nano_usd FROM orch_usage"
           " WHERE day >= ? AND day <= ? AND (? = '' OR key_id = ?) AND (? = '' OR team_id = ?)"
           " AND (? = '' OR customer_id = ?) AND (? = '' OR model_id = ?)"
           " AND (? = '' OR provider = ?)) AS chosen"
           " GROUP BY day, key_id, team_id, customer_id, model_id, provider"
           " ORDER BY day, key_id, team_id, customer_id, model_id, provider",
};

static int compare_usage(const void *a, const void *b)
{
    const struct usage *one = a, *other = b;
    int by_day = strcmp(one->day, other->day);
    int by_model = by_day ? by_day : strcmp(one->model_id, other->model_id);

    return by_model ? by_model : strcmp(one->provider, other->provider);
}

void usage_add(struct arena *arena, struct usage_list *list, const struct usage *more)
{
    struct usage *row = NULL;

    for (size_t i = 0; !row && i < list->count; i++)
        if (compare_usage(&list->items[i], more) == 0)
            row = &list->items[i];
    if (!row) {
        row = LIST_ADD(arena, list);
        *row = *more;
        return;
    }
    row->calls += more->calls;
    row->failures += more->failures;
    row->input_tokens += more->input_tokens;
    row->output_tokens += more->output_tokens;
    row->cached_tokens += more->cached_tokens;
    row->cache_hits += more->cache_hits;
    row->duration_ms += more->duration_ms;
    row->timed_calls += more->timed_calls;
    row->nano_usd += more->nano_usd;
    row->excess_nano_usd += more->excess_nano_usd;
    row->saved_calls += more->saved_calls;
    row->saved_tokens += more->saved_tokens;
    row->saved_nano_usd += more->saved_nano_usd;
}

static enum error book_row(struct db *db, const struct usage *usage, struct problem *problem)
{
    struct query *query = db_query(db, &add_usage);

    query_bind_text(query, usage->day);
    query_bind_text(query, usage->key_id);
    query_bind_text(query, usage->team_id);
    query_bind_text(query, usage->customer_id);
    query_bind_text(query, usage->model_id);
    query_bind_text(query, usage->provider);
    query_bind_integer(query, usage->calls);
    query_bind_integer(query, usage->failures);
    query_bind_integer(query, usage->input_tokens);
    query_bind_integer(query, usage->output_tokens);
    query_bind_integer(query, usage->cached_tokens);
    query_bind_integer(query, usage->cache_hits);
    query_bind_integer(query, usage->duration_ms);
    query_bind_integer(query, usage->timed_calls);
    query_bind_integer(query, usage->nano_usd);
    query_bind_integer(query, usage->excess_nano_usd);
    query_bind_integer(query, usage->saved_calls);
    query_bind_integer(query, usage->saved_tokens);
    query_bind_integer(query, usage->saved_nano_usd);
    return query_end(query, problem);
}

enum error usage_book(struct db *db, struct usage_list *list, struct problem *problem)
{
    enum error error = ERROR_NONE;

    if (list->count)
        qsort(list->items, list->count, sizeof *list->items, compare_usage);
    for (size_t i = 0; !error && i < list->count; i++)
        error = book_row(db, &list->items[i], problem);
    return error;
}

static void bind_twice(struct query *query, const char *text)
{
    query_bind_text(query, text ? text : "");
    query_bind_text(query, text ? text : "");
}

enum error usage_read(struct db *db, struct arena *arena, const struct usage_filter *filter,
                      struct usage_list *list, struct problem *problem)
{
    struct query *query = db_query(db, &read_usage);

    *list = (struct usage_list){0};
    query_bind_boolean(query, filter->by_day);
    query_bind_boolean(query, filter->by_key);
    query_bind_boolean(query, filter->by_team);
    query_bind_boolean(query, filter->by_customer);
    query_bind_boolean(query, filter->by_model);
    query_bind_boolean(query, filter->by_provider);
    query_bind_text(query, filter->from);
    query_bind_text(query, filter->to);
    bind_twice(query, filter->key_id);
    bind_twice(query, filter->team_id);
    bind_twice(query, filter->customer_id);
    bind_twice(query, filter->model_id);
    bind_twice(query, filter->provider);
    while (query_next(query)) {
        struct usage *row = LIST_ADD(arena, list);

        query_read(query, &usage_sum_schema, row, arena);
    }
    return query_end(query, problem);
}
