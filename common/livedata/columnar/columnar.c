/* The state of copies by the database, and what their answers contain. */
#include "livedata/columnar/columnar.h"

#include "base/list.h"
#include "db/query.h"
#include "livedata/journal/journal.h"
#include "livedata/outbox/outbox.h"

#include <string.h>

enum { PING_MS = 1000 };

static const struct statement read_copy = {
    .name = "columnar_state",
    .sql = "SELECT state, incarnation, block, fingerprint, changed_at, journal_seq"
           " FROM columnar_tables LEFT JOIN columnar_outbox ON seq = (SELECT min(seq)"
           " FROM columnar_outbox o WHERE o.table_name = columnar_tables.table_name"
           " AND o.seq > sent_seq) WHERE columnar_tables.table_name = ?",
};
static const struct statement newest_until = {
    .name = "columnar_newest",
    .sql = "SELECT processed_at FROM pipeline_events WHERE tenant_id = ?"
           " AND topic = 'events.validated' AND seq <= ? AND entity_type = ? ORDER BY seq DESC "
           "LIMIT 1",
};

bool columnar_chosen(const struct livedata_settings *settings, const struct serving_table *table)
{
    return settings->clickhouse_host && table->own &&
           (table->own->large || settings->columnar_tables == COLUMNAR_ALL);
}

/* A copy of another contract has other columns. */
static enum error read_state(const struct storage_call *call, const struct serving_table *table,
                             struct columnar_copy *copy, const char **state)
{
    struct query *query = db_query(call->db, &read_copy);
    const char *fingerprint;

    *copy = (struct columnar_copy){0};
    *state = "missing";
    query_bind_text(query, table->name);
    if (query_next(query)) {
        struct optional_integer oldest = query_optional_integer(query, 4);

        *state = query_text(query, 0, call->arena);
        fingerprint = query_text(query, 3, call->arena);
        copy->incarnation = query_integer(query, 1);
        copy->block = query_integer(query, 2);
        copy->live =
            strcmp(*state, "live") == 0 && strcmp(fingerprint, table->own->fingerprint) == 0;
        if (oldest.given) {
            copy->lag = oldest.value < call->now ? call->now - oldest.value : 1;
            copy->complete_at = oldest.value;
            copy->position = query_integer(query, 5);
        }
    }
    return query_end(query, call->problem);
}

enum error columnar_look(const struct storage_call *call, const struct serving_table *table,
                         struct columnar_copy *copy)
{
    const char *state;

    return read_state(call, table, copy, &state);
}

const char *columnar_name(struct arena *arena, const char *table, int64_t incarnation)
{
    return arena_print(arena, "%s_%lld", table, (long long)incarnation);
}

/* The last block of a quiet table is old; what came after it, up to the oldest line that waits,
 * did not change the table. */
static void contained(const struct columnar_copy *copy, const struct columnar_mark *mark,
                      int64_t *position, int64_t *complete_at)
{
    bool last = mark->block == copy->block;

    *position = last && copy->position > mark->position ? copy->position : mark->position;
    *complete_at =
        last && copy->complete_at > mark->complete_at ? copy->complete_at : mark->complete_at;
}

enum error columnar_accept(const struct storage_call *call, const struct columnar_copy *copy,
                           const struct columnar_mark *mark)
{
    struct columnar_read *read = call->columnar;
    int64_t position, complete_at;
    enum error error;

    if (mark->block >= COLUMNAR_OPEN_BLOCK)
        return problem_set(call->problem, ERROR_UNAVAILABLE, "columnar_lost",
                           "ClickHouse has a part of a block");
    if (mark->block < copy->block)
        return problem_set(call->problem, ERROR_UNAVAILABLE, "columnar_lost",
                           "ClickHouse has block %lld where %lld was acknowledged",
                           (long long)mark->block, (long long)copy->block);
    if (!copy->lag)
        return ERROR_NONE;
    contained(copy, mark, &position, &complete_at);
    if (position < read->at_least || complete_at < read->complete_at)
        return problem_set(call->problem, ERROR_UNAVAILABLE, "columnar_behind",
                           "The copy in ClickHouse does not contain what was demanded yet");
    if (read->behind && read->position <= position)
        return ERROR_NONE;
    error = journal_time(call, position, &read->position_at);
    read->behind = true;
    read->position = position;
    read->contained_at = complete_at;
    return error;
}

enum error columnar_newest(const struct storage_call *call, const char *entity,
                           struct event_mark *newest)
{
    struct query *query;
    int64_t applied_at = 0;

    if (!call->columnar || !call->columnar->behind || !entity)
        return ERROR_NONE;
    query = db_query(call->db, &newest_until);
    query_bind_text(query, call->tenant);
    query_bind_integer(query, call->columnar->position);
    query_bind_text(query, entity);
    if (query_next(query))
        applied_at = query_integer(query, 0);
    if (applied_at < newest->applied_at)
        *newest = (struct event_mark){
            applied_at, applied_at ? newest->event_at - (newest->applied_at - applied_at) : 0};
    return query_end(query, call->problem);
}

static enum error add_state(const struct storage_call *call, const struct serving_table *table,
                            struct columnar_states *states)
{
    struct columnar_state *state = LIST_ADD(call->arena, states);
    enum error error = read_state(call, table, &state->copy, &state->state);

    state->table = table->name;
    return error ? error : outbox_count(call, table->name, &state->copy.waiting);
}

enum error columnar_states(const struct storage_call *call,
                           const struct livedata_settings *settings, const struct catalog *catalog,
                           struct columnar_states *states)
{
    enum error error = ERROR_NONE;

    *states = (struct columnar_states){0};
    for (size_t i = 0; !error && i < catalog->entity_count; i++)
        if (columnar_chosen(settings, catalog->entities[i].table))
            error = add_state(call, catalog->entities[i].table, states);
    return error;
}

bool columnar_is_ready(const struct livedata_settings *settings, const struct columnar_state *state)
{
    return state->copy.live && (double)state->copy.lag <= settings->columnar_lag_seconds * 1e6;
}

bool columnar_answers(const struct storage_call *call)
{
    const struct columnar_read *read = call->columnar;
    const struct clickhouse clickhouse = {read->settings, read->region, call->arena, call->problem};
    const struct clickhouse_call ask = {
        .sql = "SELECT 1", .timeout_ms = PING_MS, .without_database = true};

    return clickhouse_run(&clickhouse, &ask, NULL) == CLICKHOUSE_DONE;
}
