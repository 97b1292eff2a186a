/* Heartbeats of sources, as POST /v1/events takes them beside events. */
#include "livedata-events/events.h"

#include "livedata/timestamp.h"

#include <string.h>

enum { BEATS_MAX = 100, SOURCE_BYTES_MAX = 64 };

static enum error fault(struct request *request, size_t i, const char *member, const char *message)
{
    return request_fault(request, "body",
                         arena_print(request->arena, "heartbeats.%zu.%s", i, member), "value_error",
                         message);
}

/* ",orders_v2,order_items,": the tables of the entity types that are named. */
static enum error read_feeds(struct request *request, const json_t *json, size_t i,
                             const char **feeds)
{
    const json_t *name;
    size_t j;

    *feeds = NULL;
    if (!json || json_is_null(json))
        return ERROR_NONE;
    if (!json_is_array(json) || !json_array_size(json))
        return fault(request, i, "feeds", "Input should be a list of entity types");
    *feeds = ",";
    json_array_foreach(json, j, name)
    {
        const char *text = json_string_value(name);
        const struct entity_type *type = NULL;

        if (text)
            type = catalog_entity(service_catalog(request), text);
        if (!type)
            return fault(request, i, "feeds", "Input should be a list of known entity types");
        *feeds = arena_print(request->arena, "%s%s,", *feeds, type->table->name);
        for (size_t k = 0; k < serving_table_count; k++)
            if (&serving_tables[k] != type->table && serving_tables[k].entity &&
                strcmp(serving_tables[k].entity, text) == 0)
                *feeds = arena_print(request->arena, "%s%s,", *feeds, serving_tables[k].name);
    }
    return ERROR_NONE;
}

/* Without a time, the source has sent everything up to now. */
static enum error read_watermark(struct request *request, const json_t *json, size_t i,
                                 int64_t *watermark)
{
    const char *text = json_string_value(json);
    int64_t now = service_now(request);
    int64_t most = now + service_settings(request)->max_clock_ahead_seconds * us_per_second;

    *watermark = now;
    if (!json || json_is_null(json))
        return ERROR_NONE;
    if (!text || !timestamp_parse(text, watermark))
        return fault(request, i, "watermark", "Input should be a valid datetime");
    if (*watermark > most)
        return fault(request, i, "watermark", "Input should not be in the future");
    return ERROR_NONE;
}

static enum error read_one(struct request *request, const json_t *json, size_t i,
                           struct heartbeat *beat)
{
    static const char *const names[] = {"source", "watermark", "feeds", "retired"};
    const json_t *retired = json_object_get(json, "retired");
    enum error error;

    if (!json_is_object(json))
        return request_fault(request, "body", "heartbeats", "dict_type",
                             "Input should be a list of objects");
    error = request_check_names(request, arena_print(request->arena, "heartbeats.%zu", i), json,
                                names, sizeof names / sizeof names[0]);
    if (error)
        return error;
    beat->source = json_string_value(json_object_get(json, "source"));
    if (!beat->source || !*beat->source || strlen(beat->source) > SOURCE_BYTES_MAX)
        return fault(request, i, "source", "Input should be the name of a source");
    if (retired && !json_is_boolean(retired))
        return fault(request, i, "retired", "Input should be a valid boolean");
    beat->retired = json_is_true(retired);
    error = read_watermark(request, json_object_get(json, "watermark"), i, &beat->watermark);
    return error ? error : read_feeds(request, json_object_get(json, "feeds"), i, &beat->feeds);
}

enum error heartbeats_read(struct request *request, const json_t *list, struct heartbeats *beats)
{
    enum error error = ERROR_NONE;
    const json_t *json;
    size_t i;

    if (!json_is_array(list) || json_array_size(list) > BEATS_MAX)
        return request_fault(request, "body", "heartbeats", "list_type",
                             arena_print(request->arena,
                                         "Input should be a list of at most %d heartbeats",
                                         BEATS_MAX));
    beats->items = ARENA_ARRAY(request->arena, struct heartbeat, json_array_size(list) + 1);
    json_array_foreach(list, i, json)
    {
        error = read_one(request, json, i, &beats->items[beats->count]);
        if (error)
            return error;
        beats->count++;
    }
    return error;
}
