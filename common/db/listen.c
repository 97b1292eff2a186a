/* LISTEN and NOTIFY of PostgreSQL, on the connection of a handle. */
#include "db/listen.h"

#include "db/postgres.h"

#include <stdio.h>

static const struct statement notify = {
    .name = "notify",
    .postgres = "SELECT pg_notify(?, ?)",
};

enum error db_notify(struct db *db, const char *channel, const char *text, struct problem *problem)
{
    struct query *query;

    if (db_engine(db) != DB_POSTGRES)
        return ERROR_NONE;
    query = db_query(db, &notify);
    query_bind_text(query, channel);
    query_bind_text(query, text);
    (void)query_next(query);
    return query_end(query, problem);
}

enum error db_listen(struct db *db, const char *channel, struct problem *problem)
{
    const struct postgres_connection *connection;
    char sql[100];
    enum error error;

    if (db_engine(db) != DB_POSTGRES)
        return problem_set(problem, ERROR_UNAVAILABLE, "listen_impossible",
                           "this engine tells nobody");
    error = db_ready(db, problem);
    if (error)
        return error;
    connection = db->connection;
    if (connection->pooled)
        return problem_set(problem, ERROR_UNAVAILABLE, "listen_impossible",
                           "behind a pooler there are no notifications; changes are polled");
    (void)snprintf(sql, sizeof sql, "LISTEN %.60s", channel);
    return postgres_run(db, sql, problem);
}

int db_listen_file(const struct db *db)
{
    const struct postgres_connection *connection = db->connection;

    return connection ? pq.socket(connection->libpq) : -1;
}

bool db_notified(struct db *db, struct problem *problem)
{
    struct postgres_connection *connection = db->connection;
    PGnotify *word;
    bool any = false;

    if (!connection || connection->dead || !pq.consumeInput(connection->libpq)) {
        db_disconnect(db);
        problem_set(problem, ERROR_UNAVAILABLE, "database_unavailable",
                    "the connection to the server was lost");
        return false;
    }
    while ((word = pq.notifies(connection->libpq)) != NULL) {
        any = true;
        pq.freemem(word);
    }
    return any;
}
