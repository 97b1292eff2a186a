/* The events of an entity as an answer. */
#include "livedata/reads/entity_events.h"

#include "livedata/journal/journal.h"
#include "livedata/timestamp.h"

#include <string.h>

static const int64_t us_per_millisecond = 1000;

#define OWNER struct entity_event
static const struct field event_fields[] = {
    STRING(OWNER, event_id),
    STRING(OWNER, event_type, .nullable = true),
    STRING(OWNER, source, .nullable = true),
    MOMENT(OWNER, event_at, .time = TIME_Z,
           .help = "Its own time, to the millisecond; null of a failed event."),
    TIME(OWNER, processed_at, .time = TIME_Z, .help = "When it was applied, or failed."),
    BOOLEAN(OWNER, applied, .help = "False: it is a failed event."),
};
#undef OWNER
static SCHEMA(event_schema, struct entity_event, "EntityEvent", event_fields);

#define OWNER struct entity_events
static const struct field events_fields[] = {
    STRING(OWNER, entity_type),
    STRING(OWNER, entity_id),
    OBJECTS(OWNER, events, event_schema, .help = "Newest first."),
    BOOLEAN(OWNER, has_more, .help = "The journal has older ones."),
};
#undef OWNER
SCHEMA(entity_events_schema, struct entity_events, "EntityEvents", events_fields);

static struct entity_event event_of(const struct journal_row *row)
{
    bool applied = strcmp(row->topic, TOPIC_VALIDATED) == 0;
    int64_t at = row->processed_at - row->latency_ms.value * us_per_millisecond;

    return (struct entity_event){
        .event_id = row->event_id,
        .event_type = row->event_type,
        .source = row->source,
        .event_at = {applied && row->latency_ms.given, at - at % us_per_millisecond},
        .processed_at = row->processed_at,
        .applied = applied,
    };
}

enum error entity_events_read(const struct reading *reading, const char *type_name, const char *id,
                              int64_t limit, struct entity_events *events)
{
    const struct entity_type *type;
    struct entity_event *items;
    struct journal_rows rows;
    enum error error = find_readable_type(reading, type_name, &type);

    if (!error)
        error = journal_newest_of_entity(&reading->storage, type->name, id, (int)limit + 1, &rows);
    if (error)
        return error;
    *events = (struct entity_events){
        .entity_type = type->name, .entity_id = id, .has_more = rows.count > (size_t)limit};
    events->events.count = events->has_more ? (size_t)limit : rows.count;
    items = ARENA_ARRAY(reading->storage.arena, struct entity_event, events->events.count);
    for (size_t i = 0; i < events->events.count; i++)
        items[i] = event_of(&rows.items[i]);
    events->events.items = items;
    return ERROR_NONE;
}
