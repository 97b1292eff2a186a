/* Reads the catalog of live data. */
#include "experiments/sources/source_offer.h"

#include "base/list.h"
#include "experiments/sources/source_call.h"

static const char *const status_names[OFFER__MAX] = {"available", "not_connected", "unavailable"};

#define OWNER struct offered_column
static const struct field column_fields[] = {STRING(OWNER, name), STRING(OWNER, description)};
#undef OWNER
static SCHEMA(column_schema, struct offered_column, "OfferedColumn", column_fields);

#define OWNER struct offered_entity
static const struct field entity_fields[] = {
    STRING(OWNER, entity_type),
    STRING(OWNER, description),
    OBJECTS(OWNER, columns, column_schema),
};
#undef OWNER
static SCHEMA(entity_schema, struct offered_entity, "OfferedEntity", entity_fields);

#define OWNER struct offered_figure
static const struct field figure_fields[] = {
    STRING(OWNER, name),
    STRING(OWNER, description),
    STRING(OWNER, unit),
    STRINGS(OWNER, windows),
};
#undef OWNER
static SCHEMA(figure_schema, struct offered_figure, "OfferedFigure", figure_fields);

#define OWNER struct source_offer
static const struct field offer_fields[] = {
    CHOICE(OWNER, status, status_names, .choice_count = OFFER__MAX,
           .help = "not_connected: AB_LIVEDATA_URL is not set. unavailable: live data does not "
                   "answer, or refuses the key."),
    STRING(OWNER, text, .nullable = true, .help = "Why there is nothing."),
    OBJECTS(OWNER, entities, entity_schema,
            .help = "Rows of these can be the events of a metric, where a column has the user."),
    OBJECTS(OWNER, figures, figure_schema,
            .help = "Metrics of live data: figures without users, for alarms."),
};
#undef OWNER
SCHEMA(source_offer_schema, struct source_offer, "LivedataOffer", offer_fields,
       .help = "Names that a metric or an alarm may read from live data.");

static const char *text_of(const json_t *object, const char *member)
{
    const json_t *value = json_object_get(object, member);

    return json_is_string(value) ? json_string_value(value) : "";
}

static struct object_list columns_of(struct arena *arena, json_t *fields)
{
    struct offered_column *columns =
        ARENA_ARRAY(arena, struct offered_column, json_object_size(fields) + 1);
    size_t count = 0;
    const char *name;
    json_t *description;

    json_object_foreach(fields, name, description)
    {
        columns[count++] = (struct offered_column){
            name, json_is_string(description) ? json_string_value(description) : ""};
    }
    return (struct object_list){count, columns};
}

static struct object_list entities_of(struct arena *arena, json_t *described)
{
    struct offered_entity *entities =
        ARENA_ARRAY(arena, struct offered_entity, json_object_size(described) + 1);
    size_t count = 0;
    const char *name;
    json_t *entity;

    json_object_foreach(described, name, entity)
    {
        entities[count++] = (struct offered_entity){
            .entity_type = name,
            .description = text_of(entity, "description"),
            .columns = columns_of(arena, json_object_get(entity, "fields"))};
    }
    return (struct object_list){count, entities};
}

static struct string_list windows_of(struct arena *arena, const json_t *listed)
{
    struct string_list windows = {0};

    for (size_t i = 0; i < json_array_size(listed); i++)
        if (json_is_string(json_array_get(listed, i)))
            *LIST_ADD(arena, &windows) = json_string_value(json_array_get(listed, i));
    return windows;
}

static struct object_list figures_of(struct arena *arena, json_t *described)
{
    struct offered_figure *figures =
        ARENA_ARRAY(arena, struct offered_figure, json_object_size(described) + 1);
    size_t count = 0;
    const char *name;
    json_t *figure;

    json_object_foreach(described, name, figure)
    {
        figures[count++] = (struct offered_figure){
            .name = name,
            .description = text_of(figure, "description"),
            .unit = text_of(figure, "unit"),
            .windows = windows_of(arena, json_object_get(figure, "available_windows"))};
    }
    return (struct object_list){count, figures};
}

void source_offer_read(const struct source_settings *settings, struct arena *arena,
                       struct source_offer *offer)
{
    struct problem problem = {0};
    const char *words;
    json_t *document;

    *offer =
        (struct source_offer){.status = OFFER_NOT_CONNECTED, .text = "AB_LIVEDATA_URL is not set"};
    if (!settings->url)
        return;
    if (source_call(settings, arena, "/v1/catalog", "its catalog", &document, &words, &problem)) {
        *offer = (struct source_offer){.status = OFFER_UNAVAILABLE,
                                       .text = arena_copy_string(arena, problem.text)};
        return;
    }
    *offer =
        (struct source_offer){.entities = entities_of(arena, json_object_get(document, "entities")),
                              .figures = figures_of(arena, json_object_get(document, "metrics"))};
}
