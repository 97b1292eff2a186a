/* The row of an experiment's measurement: what was ordered, how far it is, what was found. */
#include "experiments/error_rates/measurement_store.h"

#include "db/query.h"

static const char *const state_names[ERROR_RATES_STATE__MAX] = {"none", "waiting", "running",
                                                                "done", "failed"};

static const struct statement read_row = {
    .name = "error_rates_read",
    .sql = "SELECT request, state, seed, runs, users, failure, requested_at, running, result"
           " FROM error_rates WHERE experiment_id = ?",
};
static const struct statement read_mark = {
    .name = "error_rates_mark",
    .sql = "SELECT request, state FROM error_rates WHERE experiment_id = ?",
};
static const struct statement put_order = {
    .name = "error_rates_order",
    .sql = "INSERT INTO error_rates (experiment_id, request, state, seed, runs, users,"
           " requested_at) VALUES (?, 1, 'waiting', ?, ?, ?, {now_microseconds})"
           " ON CONFLICT (experiment_id) DO UPDATE SET request = error_rates.request + 1,"
           " state = 'waiting', seed = excluded.seed, runs = excluded.runs,"
           " users = excluded.users, requested_at = excluded.requested_at, failure = NULL,"
           " running = NULL WHERE error_rates.state NOT IN ('waiting', 'running')"
           " RETURNING request",
};
static const struct statement put_progress = {
    .name = "error_rates_progress",
    .sql = "UPDATE error_rates SET state = 'running', running = ? WHERE experiment_id = ?"
           " AND request = ? AND state IN ('waiting', 'running')",
};
static const struct statement put_result = {
    .name = "error_rates_finish",
    .sql = "UPDATE error_rates SET state = 'done', running = NULL, result = ?"
           " WHERE experiment_id = ? AND request = ? AND state IN ('waiting', 'running')",
};
static const struct statement put_failure = {
    .name = "error_rates_fail",
    .sql = "UPDATE error_rates SET state = 'failed', failure = ? WHERE experiment_id = ?"
           " AND request = ? AND state IN ('waiting', 'running')",
};

#define OWNER struct error_rates_row
static const struct field row_fields[] = {
    INTEGER(OWNER, request),
    CHOICE(OWNER, state, state_names, .choice_count = ERROR_RATES_STATE__MAX),
    INTEGER(OWNER, seed),
    INTEGER(OWNER, runs),
    INTEGER(OWNER, users),
    STRING(OWNER, failure, .nullable = true),
    INTEGER(OWNER, requested_at),
    STRING(OWNER, running, .nullable = true),
    STRING(OWNER, result, .nullable = true),
};
#undef OWNER
static SCHEMA(row_schema, struct error_rates_row, "ErrorRatesRow", row_fields);

enum error error_rates_row_read(const struct live_call *call, const char *id,
                                struct error_rates_row *row)
{
    struct query *query = db_query(call->db, &read_row);

    *row = (struct error_rates_row){0};
    query_bind_text(query, id);
    if (query_next(query))
        query_read(query, &row_schema, row, call->arena);
    return query_end(query, call->problem);
}

enum error error_rates_row_mark(const struct live_call *call, const char *id, const char **mark)
{
    struct query *query = db_query(call->db, &read_mark);

    *mark = "";
    query_bind_text(query, id);
    if (query_next(query))
        *mark = arena_print(call->arena, ".%lld.%s", (long long)query_integer(query, 0),
                            query_text(query, 1, call->arena));
    return query_end(query, call->problem);
}

enum error error_rates_row_order(const struct live_call *call, const char *id,
                                 const struct error_rates_order *order, int64_t *request)
{
    struct query *query = db_query(call->db, &put_order);

    query_bind_text(query, id);
    query_bind_integer(query, order->seed);
    query_bind_integer(query, order->runs);
    query_bind_integer(query, order->users);
    *request = query_next(query) ? query_integer(query, 0) : 0;
    return query_end(query, call->problem);
}

static enum error change(const struct live_call *call, const struct statement *statement,
                         const char *text, const char *id, int64_t request, bool *found)
{
    struct query *query = db_query(call->db, statement);

    query_bind_text(query, text);
    query_bind_text(query, id);
    query_bind_integer(query, request);
    *found = query_changes(query) > 0;
    return query_end(query, call->problem);
}

enum error error_rates_row_progress(const struct live_call *call, const char *id, int64_t request,
                                    const char *record, bool *found)
{
    return change(call, &put_progress, record, id, request, found);
}

enum error error_rates_row_finish(const struct live_call *call, const char *id, int64_t request,
                                  const char *record)
{
    bool found;

    return change(call, &put_result, record, id, request, &found);
}

enum error error_rates_row_fail(const struct live_call *call, const char *id, int64_t request,
                                const char *why)
{
    bool found;

    return change(call, &put_failure, why, id, request, &found);
}
