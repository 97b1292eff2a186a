/* Stored answers of /v1/responses: read, deleted, and the items that they were asked with. */
#include "orchestrator-streams/responses.h"

#include "orchestrator/service.h"
#include "orchestrator/storage/response_store.h"

#include <string.h>

enum { DEPTH_MAX = 60, PAGE_MAX = 100, ITEM_MAX = 64 << 20 };

static enum error find(struct request *request, struct db **db, struct stored_response *stored)
{
    enum error error = service_database(request, db);

    if (!error)
        error = response_find(*db, request->arena, response_owner(request), request->arguments[0],
                              stored, &request->problem);
    return service_storage_error(request, error, "get_response");
}

enum error response_get_handle(struct request *request, struct reply *reply)
{
    struct stored_response stored = {0};
    struct db *db;
    enum error error = find(request, &db, &stored);

    if (!error)
        text_append_string(&reply->body, stored.answer);
    return error;
}

struct response_deleted {
    const char *id, *object;
    bool deleted;
};

#define OWNER struct response_deleted
static const struct field deleted_fields[] = {STRING(OWNER, id), STRING(OWNER, object),
                                              BOOLEAN(OWNER, deleted)};
#undef OWNER
SCHEMA(response_deleted_schema, struct response_deleted, "ResponseDeleted", deleted_fields);

enum error response_delete_handle(struct request *request, struct reply *reply)
{
    struct response_deleted *deleted = ARENA_NEW(request->arena, struct response_deleted);
    struct db *db;
    enum error error = service_database(request, &db);

    if (!error)
        error =
            response_delete(db, response_owner(request), request->arguments[0], &request->problem);
    *deleted = (struct response_deleted){request->arguments[0], "response", true};
    reply->object = deleted;
    return service_storage_error(request, error, "delete_response");
}

static const char *const orders[] = {"asc", "desc", NULL};

struct items_query {
    int64_t limit;
    int order;
    const char *after;
};

#define OWNER struct items_query
static const struct field query_fields[] = {
    INTEGER(OWNER, limit, .default_value = 20, .lower = AT_LEAST(1), .upper = AT_MOST(PAGE_MAX)),
    CHOICE(OWNER, order, orders, .choice_count = 2, .default_value = 1),
    STRING(OWNER, after, .nullable = true, .help = "The id of the item before the page."),
};
#undef OWNER
SCHEMA(response_items_query_schema, struct items_query, "ResponseItemsQuery", query_fields);

struct items_page {
    const char *object;
    const char *data; /* a JSON array */
    const char *first_id, *last_id;
    bool has_more;
};

#define OWNER struct items_page
static const struct field page_fields[] = {
    STRING(OWNER, object),
    WRITTEN_JSON_OBJECTS(OWNER, data),
    STRING(OWNER, first_id, .nullable = true),
    STRING(OWNER, last_id, .nullable = true),
    BOOLEAN(OWNER, has_more),
};
#undef OWNER
SCHEMA(response_items_schema, struct items_page, "ResponseItems", page_fields);

static const json_t *item_at(const json_t *items, const struct items_query *query, size_t position)
{
    size_t count = json_array_size(items);

    return json_array_get(items, query->order == 0 ? position : count - 1 - position);
}

static const char *id_of(const json_t *item)
{
    const char *id = json_string_value(json_object_get(item, "id"));

    return id ? id : "";
}

static void fill_page(struct arena *arena, const json_t *items, const struct items_query *query,
                      struct items_page *page)
{
    size_t count = json_array_size(items), from = 0, taken = 0;
    struct json_writer writer;
    struct text text;

    for (size_t i = 0; query->after && i < count; i++)
        if (strcmp(id_of(item_at(items, query, i)), query->after) == 0)
            from = i + 1;
    text_start(&text, arena, ITEM_MAX);
    writer_start(&writer, &text);
    writer_open_array(&writer);
    for (; from + taken < count && taken < (size_t)query->limit; taken++) {
        const json_t *item = item_at(items, query, from + taken);

        writer_value(&writer, item);
        page->last_id = id_of(item);
        if (!page->first_id)
            page->first_id = page->last_id;
    }
    writer_close_array(&writer);
    page->object = "list";
    page->data = text.bytes;
    page->has_more = from + taken < count;
}

enum error response_input_handle(struct request *request, struct reply *reply)
{
    struct items_page *page = ARENA_NEW(request->arena, struct items_page);
    struct stored_response stored = {0};
    struct json_fault fault;
    json_t *items = NULL;
    struct db *db;
    enum error error = find(request, &db, &stored);

    if (error)
        return error;
    /* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): find() has filled it */
    (void)!json_read(request->arena, stored.input, strlen(stored.input), DEPTH_MAX, &items, &fault);
    fill_page(request->arena, items, request->query, page);
    reply->object = page;
    return ERROR_NONE;
}
