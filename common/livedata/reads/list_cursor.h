/*
 * Cursors of lists: the id and the sort key of the last item of a page. The next page continues
 * after that item, or after its former position when it is no longer listed.
 */
#ifndef ASSAY_LIVEDATA_READS_LIST_CURSOR_H
#define ASSAY_LIVEDATA_READS_LIST_CURSOR_H

#include "base/json.h"
#include "base/schema.h"

struct list_cursor {
    bool given;
    const char *id;
    double weight;
    int64_t at; /* microseconds */
};

/* Parses a cursor; `text` NULL = the first page. ERROR_INVALID invalid_cursor, also for a cursor of
 * another list. */
MUST_CHECK enum error list_cursor_read(struct arena *arena, const char *list, const char *text,
                                       struct list_cursor *cursor, struct problem *problem);
const char *list_cursor_make(struct arena *arena, const char *list,
                             const struct list_cursor *cursor);

/* The position of a page in its list. */
struct pagination {
    int64_t page, page_size;
    int64_t total; /* items */
    int64_t pages;
};
SCHEMA_OF(pagination_schema, struct pagination);
const struct pagination *pagination_of(struct arena *arena, int64_t page, int64_t page_size,
                                       int64_t total);

/* Writes the last members of every list; `next_cursor` is NULL on the last page. */
#define PAGINATION_MEMBERS                                                                         \
    const struct pagination *pagination;                                                           \
    const char *next_cursor
#define PAGINATION_ROWS                                                                            \
    OBJECT(OWNER, pagination, pagination_schema), STRING(OWNER, next_cursor, .nullable = true)

#endif
