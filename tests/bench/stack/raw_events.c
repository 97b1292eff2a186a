/* What SQLite alone takes of events: one process, one prepared statement per table, transactions of
 * the size of a batch, the write-ahead log and its flushing as the service sets them, the indexes
 * that the raw rows need, and nothing else.
 *
 *   raw_events FILE EXPOSURES CONVERSIONS BATCH
 *
 * Prints seconds for the exposures and for the conversions. */
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const char schema[] =
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
    "CREATE TABLE raw_exposures (id INTEGER PRIMARY KEY, experiment INTEGER NOT NULL, user_id TEXT"
    " NOT NULL, variation INTEGER NOT NULL, occurred_at INTEGER NOT NULL, created_at INTEGER NOT"
    " NULL, UNIQUE (experiment, user_id)) STRICT;"
    "CREATE TABLE raw_conversions (id INTEGER PRIMARY KEY, experiment INTEGER NOT NULL, user_id "
    "TEXT"
    " NOT NULL, metric TEXT NOT NULL, value REAL NOT NULL, idempotency_key TEXT, occurred_at "
    "INTEGER"
    " NOT NULL, created_at INTEGER NOT NULL, UNIQUE (experiment, idempotency_key)) STRICT;"
    "CREATE INDEX raw_conversions_user ON raw_conversions (experiment, user_id, metric);";

static sqlite3 *handle;

static void require(int code)
{
    if (code == SQLITE_OK || code == SQLITE_DONE)
        return;
    fprintf(stderr, "raw_events: %s\n", sqlite3_errmsg(handle));
    exit(EXIT_FAILURE);
}

static double seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* All users once, in an order that jumps about. */
static int64_t user_at(int64_t i, int64_t count)
{
    return (i * INT64_C(7919) + 13) % count;
}

static void bind_text(sqlite3_stmt *statement, int place, const char *prefix, int64_t number)
{
    char text[64];
    int length = snprintf(text, sizeof text, "%s-%09lld", prefix, (long long)number);

    require(sqlite3_bind_text(statement, place, text, length, SQLITE_TRANSIENT));
}

static double insert(const char *sql, int64_t count, int64_t users, int64_t batch, int conversions)
{
    double started = seconds_now();
    sqlite3_stmt *statement;

    require(sqlite3_prepare_v2(handle, sql, -1, &statement, NULL));
    for (int64_t i = 0; i < count; i++) {
        if (i % batch == 0)
            require(sqlite3_exec(handle, "BEGIN IMMEDIATE", NULL, NULL, NULL));
        bind_text(statement, 1, "user", user_at(i, users));
        if (conversions)
            bind_text(statement, 2, "order", user_at(i, count));
        else
            require(sqlite3_bind_int64(statement, 2, i % 2));
        require(sqlite3_bind_int64(statement, 3, INT64_C(1770000000000000) + i));
        require(sqlite3_step(statement));
        require(sqlite3_reset(statement));
        if (i % batch == batch - 1 || i + 1 == count)
            require(sqlite3_exec(handle, "COMMIT", NULL, NULL, NULL));
    }
    sqlite3_finalize(statement);
    return seconds_now() - started;
}

int main(int argc, char **argv)
{
    int64_t exposures, conversions, batch;
    double first, second;

    if (argc != 5) {
        fprintf(stderr, "usage: raw_events FILE EXPOSURES CONVERSIONS BATCH\n");
        return 2;
    }
    exposures = strtoll(argv[2], NULL, 10);
    conversions = strtoll(argv[3], NULL, 10);
    batch = strtoll(argv[4], NULL, 10);
    require(sqlite3_open(argv[1], &handle));
    require(sqlite3_exec(handle, schema, NULL, NULL, NULL));
    first = insert("INSERT INTO raw_exposures (experiment, user_id, variation, occurred_at,"
                   " created_at) VALUES (1, ?, ?, ?, 1770000000000000)",
                   exposures, exposures, batch, 0);
    second = insert("INSERT INTO raw_conversions (experiment, user_id, metric, value,"
                    " idempotency_key, occurred_at, created_at)"
                    " VALUES (1, ?, 'purchase', 1.0, ?, ?, 1770000000000000)",
                    conversions, exposures, batch, 1);
    printf("%.3f %.3f\n", first, second);
    sqlite3_close(handle);
    return EXIT_SUCCESS;
}
