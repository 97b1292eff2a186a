/*
 * A read-only sandbox for SQL that a user or a model has written. A statement may only read the
 * tables and functions that the caller names, within a time limit, a row limit and a size limit. It
 * is the second line of defence: the caller's own parser decides first what may be asked and adds
 * the tenant. SQLite calls an authorizer for every table, column and function while it prepares the
 * statement; PostgreSQL runs exactly one statement in a transaction that cannot write.
 */
#ifndef ASSAY_DB_SANDBOX_H
#define ASSAY_DB_SANDBOX_H

#include "db/db.h"

struct sandbox_rules {
    const char *const *tables;    /* that may be read; NULL at the end */
    const char *const *functions; /* lower case; NULL at the end */
    int timeout_ms;
    size_t rows_max;
    size_t bytes_max; /* of all values together */
};

enum sandbox_kind { SANDBOX_NULL, SANDBOX_INTEGER, SANDBOX_NUMBER, SANDBOX_TEXT };

struct sandbox_cell {
    enum sandbox_kind kind;
    int64_t integer;
    double number;
    const char *text;  /* times as "2026-04-09T11:00:00.000000Z" */
    const char *exact; /* a flag or fraction in PostgreSQL's own words, which compare as the column
                        * does; else NULL */
};

struct sandbox_answer {
    size_t column_count;
    const char **columns;
    size_t row_count;
    struct sandbox_cell *cells; /* row by row */
    bool cut;                   /* there were more rows than rows_max */
};

/* ERROR_BUSY query_timeout; ERROR_TOO_LARGE query_too_large; ERROR_FORBIDDEN query_forbidden, what
 * the rules do not allow; ERROR_INVALID query_failed, with the engine's words, which are for the
 * log; ERROR_SYSTEM out_of_memory; and the errors of a database that is not there. Outside
 * transactions. Memory from `arena`.
 */
MUST_CHECK enum error sandbox_query(struct db *db, struct arena *arena, const char *sql,
                                    const struct sandbox_rules *rules,
                                    struct sandbox_answer *answer, struct problem *problem);

/* What the engine would do: the names of tables that it would read from end to end, in order, and
 * how many rows it expects (-1 = it does not say). Same errors. */
struct sandbox_plan {
    size_t scan_count;
    const char *scans[8];
    int64_t rows;
};
MUST_CHECK enum error sandbox_explain(struct db *db, struct arena *arena, const char *sql,
                                      const struct sandbox_rules *rules, struct sandbox_plan *plan,
                                      struct problem *problem);

/* Private to common/db: the engines' halves, inside a reading transaction. `explain` runs EXPLAIN
 * of it instead. */
struct sandbox_run {
    struct db *db;
    struct arena *arena;
    const char *sql;
    const struct sandbox_rules *rules;
    struct sandbox_answer *answer;
    size_t bytes;
    bool explain;
    struct problem *problem;
};
enum error sandbox_sqlite(struct sandbox_run *run);
enum error sandbox_postgres(struct sandbox_run *run);
bool sandbox_is_listed(const char *const *list, const char *name);
/* Room for one more row; false when there may be none. */
struct sandbox_cell *sandbox_add_row(struct sandbox_run *run);
/* Copies a text, counting it; NULL past bytes_max. */
const char *sandbox_copy(struct sandbox_run *run, const char *text, size_t length);

#endif
