/*
 * Calls of ClickHouse's HTTP interface. Statements stay within what release 18.16 understands. This
 * module must not know tables.
 */
#ifndef ASSAY_LIVEDATA_COLUMNAR_CLICKHOUSE_H
#define ASSAY_LIVEDATA_COLUMNAR_CLICKHOUSE_H

#include "base/json.h"
#include "livedata/settings.h"
#include "shm/breaker.h"

struct clickhouse {
    const struct livedata_settings *settings;
    struct shm_region *region; /* holds the breaker; NULL = none */
    struct arena *arena;
    struct problem *problem;
};

enum clickhouse_fault {
    CLICKHOUSE_DONE,
    CLICKHOUSE_AWAY,       /* no answer, or not a whole one: whether it was done is not known */
    CLICKHOUSE_REFUSED,    /* it said why not; `code` */
    CLICKHOUSE_NO_TABLE,   /* the same: there is no such table or database */
    CLICKHOUSE_NO_SESSION, /* the same: there is no such session; nothing was done */
    CLICKHOUSE_TIMEOUT,    /* the same: the statement took too long */
};

struct clickhouse_call {
    const char *sql;
    const char *body; /* rows of an INSERT; NULL = none */
    size_t body_length;
    const char *session;   /* must exist; NULL = none */
    bool begins_session;   /* it is made instead */
    int timeout_ms;        /* of a reading statement; 0 = as the setting has it */
    bool without_database; /* that of the setting may not exist yet */
};

enum { CLICKHOUSE_SESSION_SECONDS = 5 };

/* `rows` receives an array of arrays when the statement ends with FORMAT JSONCompact; NULL = not
 * read. 64-bit integers are strings there. The reason is in the problem, without secrets. */
enum clickhouse_fault clickhouse_run(const struct clickhouse *clickhouse,
                                     const struct clickhouse_call *call, json_t **rows);

/* A cell of such an answer: an integer that is a string or a number; 0 for null. */
int64_t clickhouse_integer(const json_t *row, size_t column);

#endif
