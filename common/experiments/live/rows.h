/*
 * Writes many rows into one table: one by one on SQLite, all in one statement on a server; and
 * finds rows by many keys. Private to common/experiments/live.
 */
#ifndef ASSAY_EXPERIMENTS_LIVE_ROWS_H
#define ASSAY_EXPERIMENTS_LIVE_ROWS_H

#include "base/text.h"
#include "db/query.h"
#include "experiments/live/records.h"

enum { ROW_COLUMNS_MAX = 16 };

/* `one` takes the experiment and then a row's values; `many` the experiment and then an array per
 * column: see INTO_AT_ONCE. */
struct live_rows {
    const struct live_call *call;
    int64_t experiment;
    const struct statement *one, *many;
    struct query *query;                  /* of `one`, while rows come */
    struct text columns[ROW_COLUMNS_MAX]; /* for `many`, as a server reads arrays */
    int column;                           /* of the row that has begun; 0 = none has */
    bool any;
};

void live_rows_start(struct live_rows *rows, const struct live_call *call, int64_t experiment,
                     const struct statement *one, const struct statement *many);

/* The values of a row in their order; live_rows_next() ends it. */
void live_rows_integer(struct live_rows *rows, int64_t value);
void live_rows_optional(struct live_rows *rows, bool given, int64_t value);
void live_rows_number(struct live_rows *rows, double value);
void live_rows_text(struct live_rows *rows, const char *text);
void live_rows_next(struct live_rows *rows);

MUST_CHECK enum error live_rows_end(struct live_rows *rows);

/* All rows in one statement of a server: `arrays` names the columns' types in order. */
#define INTEGERS_AT_ONCE "CAST(? AS BIGINT[])"
#define NUMBERS_AT_ONCE "CAST(? AS DOUBLE PRECISION[])"
#define TEXTS_AT_ONCE "CAST(? AS TEXT[])"
#define INTO_AT_ONCE(table_and_columns, arrays, on_conflict)                                       \
    .postgres = "INSERT INTO " table_and_columns " SELECT CAST(? AS BIGINT), rows.*"               \
                " FROM unnest(" arrays ") AS rows" on_conflict

/*
 * Rows found by many keys. SQLite joins in the order that is written; a server would sooner go
 * through all rows of an experiment as long as its statistics are old, unless the search for each
 * key is a query of its own (OFFSET 0).
 */
#define FOUND_BY_KEYS(columns, keys, table, conditions)                                            \
    .sql = "SELECT " columns " FROM " keys " CROSS JOIN " table " WHERE " conditions,              \
    .postgres = "SELECT " columns " FROM " keys " CROSS JOIN LATERAL (SELECT * FROM " table        \
                " WHERE " conditions " OFFSET 0) AS found",                                        \
    .streams = true

#endif
