/*
 * Running SQL that was written by somebody else: reading only, with a time limit, a row limit and a
 * size limit, on the tables and functions that the caller names. It is the second lock: the first
 * is the caller's own parser, which decides what may be asked and scopes it. On SQLite every table,
 * column and function is asked for while the statement is prepared; on PostgreSQL it runs in a
 * transaction that cannot write, as exactly one statement.
 */
#ifndef ASSAY_DB_GUARDED_H
#define ASSAY_DB_GUARDED_H

#include "db/db.h"

struct guarded_rules {
    const char *const *tables;    /* that may be read; NULL at the end */
    const char *const *functions; /* lower case; NULL at the end */
    int timeout_ms;
    size_t rows_max;
    size_t bytes_max; /* of all values together */
};

enum guarded_kind { GUARDED_NULL, GUARDED_INTEGER, GUARDED_NUMBER, GUARDED_TEXT };

struct guarded_cell {
    enum guarded_kind kind;
    int64_t integer;
    double number;
    const char *text;  /* times as "2026-04-09T11:00:00.000000Z" */
    const char *exact; /* a flag or fraction in PostgreSQL's own words, which compare as the column
                        * does; else NULL */
};

struct guarded_answer {
    size_t column_count;
    const char **columns;
    size_t row_count;
    struct guarded_cell *cells; /* row by row */
    bool cut;                   /* there were more rows than rows_max */
};

/* ERROR_BUSY query_timeout; ERROR_TOO_LARGE query_too_large; ERROR_FORBIDDEN query_forbidden, what
 * the rules do not allow; ERROR_INVALID query_failed, with the engine's words, which are for the
 * log; ERROR_SYSTEM out_of_memory; and the errors of a database that is not there. Outside
 * transactions. Memory from `arena`.
 */
MUST_CHECK enum error guarded_query(struct db *db, struct arena *arena, const char *sql,
                                    const struct guarded_rules *rules,
                                    struct guarded_answer *answer, struct problem *problem);

/* What the engine would do: the names of tables that it would read from end to end, in order, and
 * how many rows it expects (-1 = it does not say). Same errors. */
struct guarded_plan {
    size_t scan_count;
    const char *scans[8];
    int64_t rows;
};
MUST_CHECK enum error guarded_explain(struct db *db, struct arena *arena, const char *sql,
                                      const struct guarded_rules *rules, struct guarded_plan *plan,
                                      struct problem *problem);

/* Private to common/db: the engines' halves, inside a reading transaction. `explain` runs EXPLAIN
 * of it instead. */
struct guarded_run {
    struct db *db;
    struct arena *arena;
    const char *sql;
    const struct guarded_rules *rules;
    struct guarded_answer *answer;
    size_t capacity; /* of answer->cells, in rows */
    size_t bytes;
    bool explain;
    struct problem *problem;
};
enum error guarded_sqlite(struct guarded_run *run);
enum error guarded_postgres(struct guarded_run *run);
bool guarded_is_listed(const char *const *list, const char *name);
/* Room for one more row; false when there may be none. */
struct guarded_cell *guarded_add_row(struct guarded_run *run);
/* Copies a text, counting it; NULL past bytes_max. */
const char *guarded_copy(struct guarded_run *run, const char *text, size_t length);

#endif
