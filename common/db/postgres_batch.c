/*
 * The same statement many times on PostgreSQL: runs are sent one after the other without waiting,
 * and their answers read a batch at a time (libpq's pipeline mode). A statement that comes in
 * between settles the batch first.
 */
#include "db/postgres.h"

#include "base/number.h"

#include <stdlib.h>
#include <string.h>

enum {
    BATCH_RUNS = 128,
    BATCH_BYTES = 512 * 1024 /* of values not yet settled */
};

struct batch {
    int runs;
    size_t bytes;
    int64_t *changes[BATCH_RUNS];
};

static size_t value_bytes(const struct query *query)
{
    size_t bytes = 0;

    for (int i = 0; i < query->bound; i++)
        bytes += query->values[i].null ? 8 : query->values[i].length + 8;
    return bytes;
}

/* One answer of the batch; the first failure stays in the query. */
static void take_answer(struct query *query, int run, PGresult *result)
{
    struct batch *batch = query->scratch;
    ExecStatusType status = pq.resultStatus(result);

    if (status == PGRES_COMMAND_OK && run < batch->runs && batch->changes[run]) {
        if (!integer_parse(pq.cmdTuples(result), batch->changes[run]))
            *batch->changes[run] = 0;
    } else if (status == PGRES_TUPLES_OK && !query->problem.error) {
        problem_set(&query->problem, ERROR_SYSTEM, "statement_misused",
                    "a repeated statement gives no rows");
    } else if (status == PGRES_FATAL_ERROR && !query->problem.error) {
        postgres_problem(query->db, result, &query->problem);
    }
}

/* Reads the answers of everything sent so far. */
static enum error settle(struct query *query)
{
    struct postgres_connection *connection = query->db->connection;
    struct batch *batch = query->scratch;
    bool synchronised = false;
    int run = 0;

    if (!batch->runs)
        return ERROR_NONE;
    if (connection->dead || !pq.pipelineSync(connection->libpq))
        return postgres_problem(query->db, NULL, &query->problem);
    while (!synchronised && !connection->dead) {
        PGresult *result = postgres_next_result(query->db);

        synchronised = result && pq.resultStatus(result) == PGRES_PIPELINE_SYNC;
        if (result && !synchronised)
            take_answer(query, run++, result);
        pq.clear(result);
        if (pq.status(connection->libpq) == CONNECTION_BAD)
            break;
    }
    batch->runs = 0;
    batch->bytes = 0;
    if (!synchronised && !query->problem.error)
        postgres_problem(query->db, NULL, &query->problem);
    return query->problem.error;
}

/* After the last settling: back to one statement at a time. */
static void leave(struct query *query)
{
    struct postgres_connection *connection = query->db->connection;

    if (connection && connection->repeating == query) {
        connection->repeating = NULL;
        if (!connection->dead && !pq.exitPipelineMode(connection->libpq))
            postgres_problem(query->db, NULL, &query->problem);
    }
    free(query->scratch);
    query->scratch = NULL;
}

void postgres_settle(struct db *db)
{
    struct postgres_connection *connection = db->connection;
    struct query *query = connection->repeating;
    enum error error;

    if (!query)
        return;
    error = settle(query);
    leave(query);
    if (error)
        query_fail(query, error);
}

static enum error enter(struct query *query)
{
    struct postgres_connection *connection = query->db->connection;
    enum error error;

    postgres_settle(query->db);
    error = postgres_prepare(query);
    if (error)
        return error;
    query->scratch = calloc(1, sizeof(struct batch));
    if (!query->scratch)
        return problem_set(&query->problem, ERROR_SYSTEM, "out_of_memory", "no memory for a batch");
    if (connection->dead || !pq.enterPipelineMode(connection->libpq)) {
        free(query->scratch);
        query->scratch = NULL;
        return postgres_problem(query->db, NULL, &query->problem);
    }
    connection->repeating = query;
    return ERROR_NONE;
}

enum error postgres_repeat(struct query *query, int64_t *changes)
{
    struct postgres_connection *connection = query->db->connection;
    struct batch *batch;
    enum error error = ERROR_NONE;

    if (connection->repeating == query && !postgres_kinds_fit(query)) {
        error = settle(query); /* a type that was not known before: prepare anew */
        leave(query);
    }
    if (!error && connection->repeating != query)
        error = enter(query);
    if (error)
        return error;
    batch = query->scratch;
    batch->changes[batch->runs] = changes;
    batch->bytes += value_bytes(query);
    if (!postgres_send(query))
        return postgres_problem(query->db, NULL, &query->problem);
    batch->runs++;
    return batch->runs == BATCH_RUNS || batch->bytes > BATCH_BYTES ? settle(query) : ERROR_NONE;
}

enum error postgres_repeat_end(struct query *query)
{
    const struct postgres_connection *connection = query->db->connection;
    enum error error = ERROR_NONE;

    if (connection && connection->repeating == query)
        error = settle(query);
    postgres_batch_drop(query);
    return error;
}

void postgres_batch_drop(struct query *query)
{
    struct postgres_connection *connection = query->db->connection;

    if (!connection || connection->repeating != query)
        return;
    if (settle(query) && !query->problem.error)
        postgres_problem(query->db, NULL, &query->problem);
    leave(query);
}
