/* The contract of a domain's entity in one form: what a table is made from, and what hosts must
 * agree on. Descriptions and retention are not part of it. */
#include "livedata/catalog/own.h"

#include "base/list.h"
#include "crypto/digest.h"

#include <string.h>

enum { CONTRACT_MAX = 64 * 1024 };

struct contract_column {
    const char *name, *type;
    int64_t scale;
    bool counts;
    struct string_list values;
};
struct contract_event {
    const char *type, *does, *key, *version;
    struct string_list columns; /* "value=data.value" */
    struct string_list required;
};
struct contract {
    const char *entity, *domain, *key;
    OBJECT_LIST(struct contract_column, columns);
    struct string_list indexes; /* "site, installed_at" */
    OBJECT_LIST(struct contract_event, events);
};

#define OWNER struct contract_column
static const struct field column_fields[] = {STRING(OWNER, name), STRING(OWNER, type),
                                             INTEGER(OWNER, scale), BOOLEAN(OWNER, counts),
                                             STRINGS(OWNER, values)};
#undef OWNER
static SCHEMA(column_schema, struct contract_column, "OwnColumn", column_fields);

#define OWNER struct contract_event
static const struct field event_fields[] = {STRING(OWNER, type),     STRING(OWNER, does),
                                            STRING(OWNER, key),      STRING(OWNER, version),
                                            STRINGS(OWNER, columns), STRINGS(OWNER, required)};
#undef OWNER
static SCHEMA(event_schema, struct contract_event, "OwnEvent", event_fields);

#define OWNER struct contract
static const struct field contract_fields[] = {
    STRING(OWNER, entity),   STRING(OWNER, domain),
    STRING(OWNER, key),      OBJECTS(OWNER, columns, column_schema),
    STRINGS(OWNER, indexes), OBJECTS(OWNER, events, event_schema)};
#undef OWNER
static SCHEMA(own_contract_schema, struct contract, "OwnContract", contract_fields);

const char *own_index_columns(struct arena *arena, const struct serving_table *table,
                              const struct table_index *index)
{
    struct text text;

    text_start(&text, arena, 1000);
    for (size_t i = 0; i < index->column_count; i++)
        text_append_format(&text, "%s%s", i ? ", " : "", table->columns[index->columns[i]].name);
    return text.bytes;
}

const char *own_age_column(const struct own_entity *own)
{
    if (!own->retention_days)
        return NULL;
    return own->retention_column ? own->retention_column : "row_event_at";
}

static struct contract_event event_of(struct arena *arena, const struct serving_table *table,
                                      const struct event_mapping *event)
{
    struct contract_event made = {.type = event->event_type,
                                  .does = mapping_actions[event->action],
                                  .key = event->key,
                                  .version = event->version};

    for (size_t i = 0; i < event->column_count; i++) {
        const struct column_source *source = &event->columns[i];
        const char *name = table->columns[source->column].name;

        *LIST_ADD(arena, &made.columns) =
            arena_print(arena, "%s=%s", name, source->path ? source->path : source->amount);
        if (source->required)
            *LIST_ADD(arena, &made.required) = name;
    }
    return made;
}

enum error own_make_contract(struct arena *arena, const struct serving_table *table,
                             struct own_entity *own, struct problem *problem)
{
    struct contract_column *columns =
        ARENA_ARRAY(arena, struct contract_column, table->column_count);
    struct contract_event *events = ARENA_ARRAY(arena, struct contract_event, own->event_count + 1);
    struct contract contract = {.entity = own->name,
                                .domain = own->domain,
                                .key = table->primary_key,
                                .columns = {table->column_count, columns},
                                .events = {own->event_count, events}};

    for (size_t i = 0; i < table->column_count; i++)
        columns[i] = (struct contract_column){.name = table->columns[i].name,
                                              .type = column_type_names[table->columns[i].type],
                                              .scale = table->columns[i].scale,
                                              .counts = own->counts[i],
                                              .values = table->columns[i].values};
    for (size_t i = 0; i < own->event_count; i++)
        events[i] = event_of(arena, table, &own->events[i]);
    if (own->source_table) {
        events[contract.events.count] = event_of(arena, table, &own->changes);
        events[contract.events.count++].does = own->source_table;
    }
    for (size_t i = 0; i < own->index_count; i++)
        *LIST_ADD(arena, &contract.indexes) = own_index_columns(arena, table, &own->indexes[i]);
    own->contract = schema_json(arena, CONTRACT_MAX, &own_contract_schema, &contract);
    if (!own->contract)
        return problem_set(problem, ERROR_INVALID, "config_invalid",
                           "entity %s: the file declares more than 64 KiB", own->name);
    digest_sha256_hex(own->contract, strlen(own->contract), own->fingerprint);
    return ERROR_NONE;
}
