/*
 * Keyset pagination of an answer: a page continues after the last row of the previous page, even if
 * that row has moved or is gone. So rows inserted in between neither repeat nor displace others.
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
 * are not distinguishable by their columns, or the statement orders by something that is not a
 * column of the result: then there is one page. */
struct page_order {
    size_t count;
    struct page_key *keys;
};

struct page_order page_order(struct arena *arena, const struct guard_finding *finding,
                             const struct sandbox_answer *columns);

/* Writes a cursor, base64url of "<hash>:<values of the keys in the last row>". */
const char *cursor_make(struct arena *arena, const char *hash, const char *values);
bool cursor_read(struct arena *arena, const char *cursor, const char **hash, const char **values);

/* The key values of a row, as a JSON list. NULL when they are too long for a cursor. */
const char *page_values(struct arena *arena, const struct page_order *order,
                        const struct sandbox_answer *answer, size_t row);

/* The statement of a page of `limit` rows after the row with `values` (NULL = the first page).
 * False when `values` does not match the order. */
bool page_sql(struct arena *arena, enum db_engine engine, const char *sql,
              const struct page_order *order, const char *values, int64_t limit,
              const char **paged);

#endif
