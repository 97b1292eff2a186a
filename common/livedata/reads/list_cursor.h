/*
 * Cursors of lists: the last item of a page by its id and by what the list is ordered by. The next
 * page goes on after the item, or after where it stood when it is not listed any more.
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

/* `text` NULL = the first page. ERROR_INVALID invalid_cursor, also for a cursor of another list. */
MUST_CHECK enum error list_cursor_read(struct arena *arena, const char *list, const char *text,
                                       struct list_cursor *cursor, struct problem *problem);
const char *list_cursor_make(struct arena *arena, const char *list,
                             const struct list_cursor *cursor);

/* Where a page stands in its list. */
struct pagination {
    int64_t page, page_size;
    int64_t total; /* items */
    int64_t pages;
};
SCHEMA_OF(pagination_schema, struct pagination);
const struct pagination *pagination_of(struct arena *arena, int64_t page, int64_t page_size,
                                       int64_t total);

/* The members that every list ends with; `next_cursor` is NULL on the last page. */
#define PAGINATION_MEMBERS                                                                         \
    const struct pagination *pagination;                                                           \
    const char *next_cursor
#define PAGINATION_ROWS                                                                            \
    OBJECT(OWNER, pagination, pagination_schema), STRING(OWNER, next_cursor, .nullable = true)

#endif
