/* Cursors of lists, written and read. */
#include "livedata/reads/list_cursor.h"

#include "livedata/query/pages.h"

#include <string.h>

enum { VALUES_MAX = 2000 };

const char *list_cursor_make(struct arena *arena, const char *list,
                             const struct list_cursor *cursor)
{
    struct json_writer writer;
    struct text text;

    text_start(&text, arena, VALUES_MAX);
    writer_start(&writer, &text);
    writer_open_array(&writer);
    writer_string(&writer, cursor->id);
    writer_number(&writer, cursor->weight);
    writer_integer(&writer, cursor->at);
    writer_close_array(&writer);
    return cursor_make(arena, list, text.bytes);
}

enum error list_cursor_read(struct arena *arena, const char *list, const char *text,
                            struct list_cursor *cursor, struct problem *problem)
{
    const char *named, *values;
    struct json_fault fault;
    json_t *json = NULL;

    *cursor = (struct list_cursor){0};
    if (!text)
        return ERROR_NONE;
    if (cursor_read(arena, text, &named, &values) && strcmp(named, list) == 0 &&
        json_read(arena, values, strlen(values), 2, &json, &fault) == ERROR_NONE &&
        json_is_array(json) && json_is_string(json_array_get(json, 0)) &&
        json_is_number(json_array_get(json, 1)) && json_is_integer(json_array_get(json, 2))) {
        *cursor = (struct list_cursor){true, json_string_value(json_array_get(json, 0)),
                                       json_number_value(json_array_get(json, 1)),
                                       json_integer_value(json_array_get(json, 2))};
        return ERROR_NONE;
    }
    return problem_set(problem, ERROR_INVALID, "invalid_cursor", "Invalid cursor value.");
}

#define OWNER struct pagination
static const struct field pagination_fields[] = {INTEGER(OWNER, page), INTEGER(OWNER, page_size),
                                                 INTEGER(OWNER, total), INTEGER(OWNER, pages)};
#undef OWNER
SCHEMA(pagination_schema, struct pagination, "Pagination", pagination_fields);

const struct pagination *pagination_of(struct arena *arena, int64_t page, int64_t page_size,
                                       int64_t total)
{
    struct pagination *pagination = ARENA_NEW(arena, struct pagination);

    *pagination = (struct pagination){.page = page,
                                      .page_size = page_size,
                                      .total = total,
                                      .pages = (total + page_size - 1) / page_size};
    return pagination;
}
