/*
 * Many rows into one table: one by one where a statement costs nothing but itself (SQLite), all in
 * one statement where each is a trip (a server). Private to common/experiments/live.
 */
#ifndef ASSAY_EXPERIMENTS_LIVE_ROWS_H
#define ASSAY_EXPERIMENTS_LIVE_ROWS_H

#include "base/json.h"
#include "db/query.h"
#include "experiments/live/records.h"

/* `one` takes the experiment and then a row's values; `many` the experiment and then JSON, an array
 * with an array of the same values per row. */
struct live_rows {
    const struct live_call *call;
    int64_t experiment;
    const struct statement *one, *many;
    struct query *query; /* of `one`, while rows come */
    struct text text;
    struct json_writer writer;
    bool any, open; /* a row has begun, and has not ended */
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

#endif
