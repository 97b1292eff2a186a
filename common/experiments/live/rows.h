/*
 * Writes many rows into one table: one statement per row on SQLite, one statement for all rows on a
 * server. Also finds rows by many keys. Private to common/experiments/live.
 */
#ifndef ASSAY_EXPERIMENTS_LIVE_ROWS_H
#define ASSAY_EXPERIMENTS_LIVE_ROWS_H

#include "base/text.h"
#include "db/query.h"
#include "experiments/live/records.h"

enum { ROW_COLUMNS_MAX = 18 };

/* `one` takes the experiment and then a row's values; `many` takes the experiment and then one
 * array per column: see INTO_AT_ONCE. */
struct live_rows {
    const struct live_call *call;
    int64_t experiment;
    const struct statement *one, *many;
    struct query *query;                  /* statement `one`, while rows are added */
    struct text columns[ROW_COLUMNS_MAX]; /* arrays for `many`, in the server's syntax */
    int column;                           /* values of the current row; 0 = no row begun */
    bool any;
};

void live_rows_start(struct live_rows *rows, const struct live_call *call, int64_t experiment,
                     const struct statement *one, const struct statement *many);

/* Add the values of a row in their order; live_rows_next() ends the row. */
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
 * Finds rows by many keys. SQLite joins in the written order. A server with outdated statistics
 * would scan all rows of an experiment unless the search for each key is a subquery (OFFSET 0).
 */
#define FOUND_BY_KEYS(columns, keys, table, conditions)                                            \
    .sql = "SELECT " columns " FROM " keys " CROSS JOIN " table " WHERE " conditions,              \
    .postgres = "SELECT " columns " FROM " keys " CROSS JOIN LATERAL (SELECT * FROM " table        \
                " WHERE " conditions " OFFSET 0) AS found",                                        \
    .streams = true

#endif
