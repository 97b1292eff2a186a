/*
 * Running statements on PostgreSQL. An ordinary statement is prepared once per connection and its
 * rows arrive together; a stream is read through a cursor in pieces of about a megabyte, so that
 * neither the whole result lies in memory nor one long statement blocks the connection.
 */
#include "db/postgres.h"

#include "base/number.h"

#include <endian.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FIRST_PIECE = 32, /* rows; later pieces follow the size of the rows seen */
    LARGEST_PIECE = 2000,
    PIECE_BYTES = 1024 * 1024
};

static const Oid type_of_kind[] = {
    [VALUE_NULL] = 0,         [VALUE_INTEGER] = TYPE_INT8, [VALUE_NUMBER] = TYPE_FLOAT8,
    [VALUE_TEXT] = TYPE_TEXT, [VALUE_JSON] = TYPE_JSONB,   [VALUE_BLOB] = TYPE_BYTEA,
};

/* Values as libpq wants them: numbers in network order, texts and blobs as they lie, JSON as text.
 */
struct arguments {
    Oid types[DB_PARAMETERS_MAX];
    const char *values[DB_PARAMETERS_MAX];
    int lengths[DB_PARAMETERS_MAX];
    int formats[DB_PARAMETERS_MAX];
    uint64_t numbers[DB_PARAMETERS_MAX];
};

/* A blob decoded from the server's hexadecimal; lives until the row is left. */
struct decoded {
    struct decoded *next;
    unsigned char *bytes;
};

static void collect(const struct query *query, struct arguments *arguments)
{
    for (int i = 0; i < query->bound; i++) {
        const struct value *value = &query->values[i];
        bool number = value->kind == VALUE_INTEGER || value->kind == VALUE_NUMBER;
        uint64_t bits = (uint64_t)value->integer;

        if (value->kind == VALUE_NUMBER)
            memcpy(&bits, &value->number, sizeof bits);
        arguments->types[i] = type_of_kind[value->kind];
        arguments->numbers[i] = htobe64(bits);
        arguments->values[i] = number ? (const char *)&arguments->numbers[i] : value->bytes;
        arguments->lengths[i] = number ? (int)sizeof bits : (int)value->length;
        arguments->formats[i] = value->kind != VALUE_JSON;
        if (value->null)
            arguments->values[i] = NULL;
        else if (value->kind == VALUE_BLOB && !value->length)
            arguments->values[i] = "";
    }
}

/* A statement is prepared for the kinds of its first values; an untyped NULL takes any later. */
bool postgres_kinds_fit(const struct query *query)
{
    const struct prepared *prepared = query->prepared;

    for (int i = 0; i < query->bound; i++) {
        if (query->values[i].kind != VALUE_NULL && query->values[i].kind != prepared->kinds[i])
            return false;
    }
    return true;
}

static enum error take_kinds(struct query *query, bool first)
{
    struct prepared *prepared = query->prepared;

    for (int i = 0; i < query->bound; i++) {
        enum value_kind kind = query->values[i].kind;

        if (!first && kind == VALUE_NULL)
            continue;
        if (!first && prepared->kinds[i] != VALUE_NULL && prepared->kinds[i] != kind)
            return problem_set(&query->problem, ERROR_SYSTEM, "statement_misused",
                               "value %d is of another type than before", i + 1);
        prepared->kinds[i] = kind;
    }
    return ERROR_NONE;
}

/* The server's name of a statement: its slot, and how often it has been prepared anew there. */
static void name_statement(const struct query *query, char name[32])
{
    const struct prepared *prepared = query->prepared;

    snprintf(name, 32, "s%d_%d", (int)(prepared - query->db->statements),
             (int)(intptr_t)prepared->engine_statement);
}

enum error postgres_prepare(struct query *query)
{
    struct postgres_connection *connection = query->db->connection;
    struct prepared *prepared = query->prepared;
    bool first = prepared->generation != query->db->generation;
    enum error error;
    PGresult *result;
    char name[32];
    Oid types[DB_PARAMETERS_MAX];

    if (!first && postgres_kinds_fit(query))
        return ERROR_NONE;
    error = take_kinds(query, first);
    if (error)
        return error;
    prepared->engine_statement = (void *)((intptr_t)prepared->engine_statement + 1);
    if (connection->pooled) { /* it goes with each run */
        prepared->generation = query->db->generation;
        return ERROR_NONE;
    }
    for (int i = 0; i < query->bound; i++)
        types[i] = type_of_kind[prepared->kinds[i]];
    name_statement(query, name);
    result = postgres_answer(
        query->db,
        !connection->dead &&
            pq.sendPrepare(connection->libpq, name, prepared->translation.sql, query->bound, types),
        &query->problem);
    pq.clear(result);
    prepared->generation = result ? query->db->generation : 0;
    return result ? ERROR_NONE : query->problem.error;
}

int postgres_send(struct query *query)
{
    const struct postgres_connection *connection = query->db->connection;
    struct arguments arguments;
    char name[32];

    if (connection->dead)
        return 0;
    collect(query, &arguments);
    if (connection->pooled) {
        for (int i = 0; i < query->bound; i++)
            arguments.types[i] = type_of_kind[query->prepared->kinds[i]];
        return pq.sendQueryParams(connection->libpq, query->prepared->translation.sql, query->bound,
                                  arguments.types, arguments.values, arguments.lengths,
                                  arguments.formats, 0);
    }
    name_statement(query, name);
    return pq.sendQueryPrepared(connection->libpq, name, query->bound, arguments.values,
                                arguments.lengths, arguments.formats, 0);
}

/* Another program has changed a table, or a proxy has forgotten the statement: prepare anew. */
static bool stale(const struct problem *problem)
{
    return strstr(problem->text, "SQLSTATE 0A000") || strstr(problem->text, "SQLSTATE 26000");
}

/* The answers to the settings and to the statement: the latter, or the first that failed. */
static PGresult *take_pair(struct query *query)
{
    const struct postgres_connection *connection = query->db->connection;
    PGresult *kept = NULL;
    bool failed = false, synchronised = false;

    while (!synchronised && !connection->dead && pq.status(connection->libpq) != CONNECTION_BAD) {
        PGresult *result = postgres_next_result(query->db);
        ExecStatusType status = pq.resultStatus(result);

        synchronised = result && status == PGRES_PIPELINE_SYNC;
        if (!result || synchronised || failed) {
            pq.clear(result);
            continue;
        }
        failed = status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK;
        pq.clear(kept);
        kept = result;
    }
    if (!failed && synchronised)
        return kept;
    postgres_problem(query->db, kept, &query->problem);
    pq.clear(kept);
    return NULL;
}

/* Behind a pooler, outside a transaction: the settings and the statement go in one journey, which
 * the server takes for one transaction. */
static enum error run_with_settings(struct query *query)
{
    const struct postgres_connection *connection = query->db->connection;
    bool sent;

    if (connection->dead || !pq.enterPipelineMode(connection->libpq))
        return postgres_problem(query->db, NULL, &query->problem);
    sent = postgres_send_settings(connection) && postgres_send(query) &&
           pq.pipelineSync(connection->libpq);
    if (sent)
        query->result = take_pair(query);
    else
        postgres_problem(query->db, NULL, &query->problem);
    if (!connection->dead && !pq.exitPipelineMode(connection->libpq))
        postgres_problem(query->db, NULL, &query->problem);
    return query->result ? ERROR_NONE : query->problem.error;
}

static enum error run_prepared(struct query *query)
{
    const struct postgres_connection *connection = query->db->connection;
    enum error error = postgres_prepare(query);

    if (error)
        return error;
    if (connection->pooled && !query->db->transaction.depth)
        return run_with_settings(query);
    query->result = postgres_answer(query->db, postgres_send(query), &query->problem);
    return query->result ? ERROR_NONE : query->problem.error;
}

static enum error start_ordinary(struct query *query)
{
    const struct postgres_connection *connection = query->db->connection;
    bool alone = !query->db->transaction.depth;
    enum error error = run_prepared(query);

    if (error && alone && stale(&query->problem)) {
        query->prepared->generation = 0;
        error = run_prepared(query);
    }
    if (error && connection->dead && alone && query->prepared->translation.writes)
        query->problem.reason = "commit_unknown";
    if (error)
        return error;
    if (query->prepared->translation.writes &&
        !integer_parse(pq.cmdTuples(query->result), &query->changes))
        query->changes = 0;
    return ERROR_NONE;
}

static void name_cursor(const struct query *query, char name[16])
{
    snprintf(name, 16, "c%d", (int)(query->prepared - query->db->statements));
}

static enum error open_cursor(struct query *query)
{
    struct db *db = query->db;
    const struct postgres_connection *connection = db->connection;
    const char *sql = query->prepared->translation.sql;
    size_t size = strlen(sql) + 64;
    char cursor[16], *text = malloc(size);
    struct arguments arguments;
    PGresult *result;

    if (!text)
        return problem_set(&query->problem, ERROR_SYSTEM, "out_of_memory",
                           "no memory for a cursor");
    name_cursor(query, cursor);
    snprintf(text, size, "DECLARE %s NO SCROLL CURSOR FOR %s", cursor, sql);
    collect(query, &arguments);
    result = postgres_answer(db,
                             !connection->dead &&
                                 pq.sendQueryParams(connection->libpq, text, query->bound,
                                                    arguments.types, arguments.values,
                                                    arguments.lengths, arguments.formats, 0),
                             &query->problem);
    free(text);
    pq.clear(result);
    query->piece = FIRST_PIECE;
    return result ? ERROR_NONE : query->problem.error;
}

/* Rows for the next piece, so that it has about PIECE_BYTES. */
static int next_piece(const struct query *query)
{
    size_t bytes = pq.resultMemorySize(query->result);
    int rows = pq.ntuples(query->result);
    size_t fitting = rows && bytes ? (size_t)rows * PIECE_BYTES / bytes : FIRST_PIECE;

    return fitting < 1 ? 1 : fitting > LARGEST_PIECE ? LARGEST_PIECE : (int)fitting;
}

static enum error fetch_piece(struct query *query)
{
    const struct postgres_connection *connection = query->db->connection;
    char cursor[16], text[64];

    if (query->result)
        query->piece = next_piece(query);
    pq.clear(query->result);
    name_cursor(query, cursor);
    snprintf(text, sizeof text, "FETCH %d FROM %s", query->piece, cursor);
    postgres_settle(query->db);
    query->result = postgres_answer(
        query->db, !connection->dead && pq.sendQuery(connection->libpq, text), &query->problem);
    return query->result ? ERROR_NONE : query->problem.error;
}

enum error postgres_start(struct query *query, bool *row)
{
    enum error error;

    postgres_settle(query->db);
    error = transaction_refusal(query->db, &query->problem); /* the batch may have failed */
    if (!error)
        error = query->streaming ? open_cursor(query) : start_ordinary(query);
    if (!error && query->streaming)
        error = fetch_piece(query);
    query->row = 0;
    *row = !error && pq.ntuples(query->result) > 0;
    return error;
}

static void drop_decoded(struct query *query)
{
    struct decoded *decoded = query->scratch;

    while (decoded) {
        struct decoded *next = decoded->next;

        pq.freemem(decoded->bytes);
        free(decoded);
        decoded = next;
    }
    query->scratch = NULL;
}

enum error postgres_next(struct query *query, bool *row)
{
    enum error error = ERROR_NONE;

    drop_decoded(query);
    query->row++;
    if (query->row == pq.ntuples(query->result) && query->streaming) {
        error = fetch_piece(query);
        query->row = 0;
    }
    *row = !error && query->row < pq.ntuples(query->result);
    return error;
}

/* Without a transaction the cursor is gone already. */
static void close_cursor(const struct query *query)
{
    const struct postgres_connection *connection = query->db->connection;
    char cursor[16], text[32];

    if (connection->dead || pq.transactionStatus(connection->libpq) != PQTRANS_INTRANS)
        return;
    name_cursor(query, cursor);
    snprintf(text, sizeof text, "CLOSE %s", cursor);
    postgres_run(query->db, text, NULL);
}

void postgres_finish(struct query *query)
{
    postgres_batch_drop(query);
    drop_decoded(query);
    if (query->piece && query->db->connection)
        close_cursor(query);
    query->piece = 0;
    if (query->result)
        pq.clear(query->result); /* libpq may not even be loaded */
    query->result = NULL;
}

int postgres_columns(struct query *query)
{
    return pq.nfields(query->result);
}

const char *postgres_column_name(struct query *query, int column)
{
    return pq.fname(query->result, column);
}

/* "\x…" to bytes. Memory running out shows as a type that nobody can read. */
static void decode_blob(struct query *query, const char *text, struct value *value)
{
    struct decoded *decoded = calloc(1, sizeof *decoded);

    if (decoded)
        decoded->bytes = pq.unescapeBytea((const unsigned char *)text, &value->length);
    if (!decoded || !decoded->bytes) {
        free(decoded);
        return;
    }
    decoded->next = query->scratch;
    query->scratch = decoded;
    value->kind = VALUE_BLOB;
    value->bytes = (const char *)decoded->bytes;
}

void postgres_column(struct query *query, int column, struct value *value)
{
    char *text = pq.getvalue(query->result, query->row, column);

    *value = (struct value){
        .kind = VALUE_OTHER,
        .null = pq.getisnull(query->result, query->row, column),
        .bytes = text,
        .length = (size_t)pq.getlength(query->result, query->row, column),
    };
    switch (pq.ftype(query->result, column)) {
    case TYPE_INT2:
    case TYPE_INT4:
    case TYPE_INT8:
        if (integer_parse(text, &value->integer))
            value->kind = VALUE_INTEGER;
        break;
    case TYPE_BOOLEAN:
        value->kind = VALUE_INTEGER;
        value->integer = *text == 't';
        break;
    case TYPE_FLOAT4:
    case TYPE_FLOAT8:
        if (number_parse(text, &value->number))
            value->kind = VALUE_NUMBER;
        break;
    case TYPE_NUMERIC:
        value->kind = VALUE_DECIMAL;
        break;
    case TYPE_JSON:
    case TYPE_JSONB:
        value->kind = VALUE_JSON;
        break;
    case TYPE_BYTEA:
        decode_blob(query, text, value);
        break;
    case TYPE_TEXT:
    case TYPE_VARCHAR:
    case TYPE_BPCHAR:
    case TYPE_NAME:
    case TYPE_CHAR:
    case TYPE_UNKNOWN:
    case TYPE_UUID:
        value->kind = VALUE_TEXT;
        break;
    default:
        break;
    }
}
