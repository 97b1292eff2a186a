/* The changes of entities, for programs that keep up with them. */
#include "livedata-read/reads.h"

struct changes_query {
    const char *after;
    int64_t limit;
};

#define OWNER struct changes_query
static const struct field changes_query_fields[] = {
    STRING(OWNER, after, .nullable = true, .max_length = 64,
           .help = "The position of the page before; unset: from the beginning."),
    INTEGER(OWNER, limit, .lower = AT_LEAST(1), .upper = AT_MOST(ENTITY_CHANGES_MOST),
            .default_value = 100),
};
#undef OWNER
SCHEMA(changes_query_schema, struct changes_query, "ChangesQuery", changes_query_fields);

/* How fresh the table is; a type that is unknown or not readable is refused by the read. */
static enum error find_freshness(struct request *request, struct reply *reply,
                                 struct reading *reading)
{
    const struct entity_type *type = catalog_entity(reading->catalog, request->arguments[0]);
    const struct bound_texts nothing = {0};
    const char *names[1];
    struct string_list tables = {1, names};

    if (!type || !may_see_table(reading, type->table))
        return ERROR_NONE;
    names[0] = type->table->name;
    return service_demand(request, reply, "query", &nothing, &tables, reading);
}

enum error changes_handle(struct request *request, struct reply *reply)
{
    const struct changes_query *query = request->query;
    struct changes_reply *shown = ARENA_NEW(request->arena, struct changes_reply);
    struct live_position after = {0};
    struct reading reading;
    enum error error;

    service_note(request)->entity_type = request->arguments[0];
    if (query->after && !position_parse(query->after, &after))
        return request_fault(request, "query", "after", "value_error",
                             "Input should be a position that an answer gave");
    error = service_reading(request, &reading);
    if (!error)
        error = find_freshness(request, reply, &reading);
    if (!error)
        error = changes_read(&reading, request->arguments[0], after, query->limit, shown);
    reply->object = shown;
    return error;
}
