/*
 * Pages of an answer by keys: a page goes on after the last row of the page before, wherever that
 * row stands by then. So rows that come in between are neither shown twice nor push others out.
 */
#ifndef ASSAY_LIVEDATA_QUERY_PAGES_H
#define ASSAY_LIVEDATA_QUERY_PAGES_H

#include "db/sandbox.h"
#include "livedata/sandbox/sql_guard.h"

struct page_key {
    const char *column;
    bool descending;
};

/* The order of the pages: that of the statement, then all its other columns. `count` 0 = the rows
 * cannot be told apart by their columns, or the statement orders by something it does not give:
 * then there is one page. */
struct page_order {
    size_t count;
    struct page_key *keys;
};

struct page_order page_order(struct arena *arena, const struct guard_finding *finding,
                             const struct sandbox_answer *columns);

/* A cursor, base64url of "<hash>:<values of the keys in the last row>". */
const char *cursor_make(struct arena *arena, const char *hash, const char *values);
bool cursor_read(struct arena *arena, const char *cursor, const char **hash, const char **values);

/* The values of the keys in a row, as a JSON list. NULL when they are too long for a cursor. */
const char *page_values(struct arena *arena, const struct page_order *order,
                        const struct sandbox_answer *answer, size_t row);

/* The statement of a page of `limit` rows after the row with `values` (NULL = the first page).
 * False when `values` does not fit the order. */
bool page_sql(struct arena *arena, enum db_engine engine, const char *sql,
              const struct page_order *order, const char *values, int64_t limit,
              const char **paged);

#endif
