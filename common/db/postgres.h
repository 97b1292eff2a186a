/* What the files of the PostgreSQL engine share. */
#ifndef ASSAY_DB_POSTGRES_H
#define ASSAY_DB_POSTGRES_H

#include "db/db_internal.h"
#include "db/libpq.h"

/* The types of PostgreSQL's catalogue that values come and go in. */
enum {
    TYPE_BOOLEAN = 16,
    TYPE_BYTEA = 17,
    TYPE_CHAR = 18,
    TYPE_NAME = 19,
    TYPE_INT8 = 20,
    TYPE_INT2 = 21,
    TYPE_INT4 = 23,
    TYPE_TEXT = 25,
    TYPE_JSON = 114,
    TYPE_FLOAT4 = 700,
    TYPE_FLOAT8 = 701,
    TYPE_UNKNOWN = 705,
    TYPE_BPCHAR = 1042,
    TYPE_VARCHAR = 1043,
    TYPE_NUMERIC = 1700,
    TYPE_UUID = 2950,
    TYPE_JSONB = 3802
};

struct postgres_connection {
    PGconn *libpq;
    bool dead;      /* nothing may be sent any more */
    int timeout_ms; /* how long an answer may take before the server counts as gone; 0 = ever */
    /* A pooler gives each transaction any of its sessions: nothing is kept in a session, neither
     * prepared statements nor settings. */
    bool pooled;
    int statement_ms, lock_ms;
    struct query *repeating; /* the query whose batch has not been settled yet */
};

/* postgres.c: talking to the server. Each statement is sent with a PQsend… function, whose result
 * is `sent`, and answered by postgres_answer(): the last result, or NULL with `problem` filled. The
 * caller clears the result. */
PGresult *postgres_answer(struct db *db, int sent, struct problem *problem);

/* The next result, waiting for it; NULL at the end of an answer and when the server is gone. */
PGresult *postgres_next_result(struct db *db);

/* What `result` says in the words of this kit; a NULL result stands for a lost connection. */
enum error postgres_problem(struct db *db, const PGresult *result, struct problem *problem);

/* One statement without parameters and rows. */
enum error postgres_run(struct db *db, const char *sql, struct problem *problem);

/* postgres_connect.c */
enum error postgres_connect(struct db *db, struct problem *problem);
void postgres_disconnect(struct db *db);
bool postgres_rest(struct db *db);
bool postgres_alive(struct db *db);
enum error postgres_set_timeouts(struct db *db, int statement_ms, int lock_ms,
                                 struct problem *problem);

/* Sends the settings of the session for the transaction in hand alone, as a pooler needs it. */
int postgres_send_settings(const struct postgres_connection *connection);

/* Waits until the socket is ready for `events`; false after `deadline` (monotonic; 0 = none). */
bool postgres_wait(PGconn *libpq, short events, int64_t deadline);

/* postgres_query.c */
enum error postgres_start(struct query *query, bool *row);
enum error postgres_next(struct query *query, bool *row);
void postgres_finish(struct query *query);
int postgres_columns(struct query *query);
const char *postgres_column_name(struct query *query, int column);
void postgres_column(struct query *query, int column, struct value *value);
int postgres_send(struct query *query);
enum error postgres_prepare(struct query *query);
bool postgres_kinds_fit(const struct query *query); /* those the statement was prepared for */

/* postgres_batch.c: the same statement many times without waiting for each answer. */
enum error postgres_repeat(struct query *query, int64_t *changes);
enum error postgres_repeat_end(struct query *query);
void postgres_batch_drop(struct query *query);

/* Ends a batch that another statement has interrupted; its error stays with its query. */
void postgres_settle(struct db *db);

#endif
