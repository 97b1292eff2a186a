/* What the files of domains declare, as answers. */
#include "livedata/reads/domains.h"

#include "base/list.h"
#include "livedata/catalog/own.h"
#include "livedata/metrics/metric.h"

struct column_answer {
    const char *name, *type;
    struct optional_integer scale;
    const char *description;
    struct string_list values;
    bool counted;
    const char *refers_to;
};

#define OWNER struct column_answer
static const struct field column_fields[] = {
    STRING(OWNER, name),
    STRING(OWNER, type, .help = "text, integer, decimal, boolean, time or json."),
    NULLABLE_INTEGER(OWNER, scale, .omit_if_null = true),
    STRING(OWNER, description, .nullable = true),
    STRINGS(OWNER, values, .help = "That it may have; none: any."),
    BOOLEAN(OWNER, counted, .help = "Events add to it."),
    STRING(OWNER, refers_to, .nullable = true, .help = "The entity whose key it holds."),
};
#undef OWNER
static SCHEMA(column_schema, struct column_answer, "DomainColumn", column_fields);

struct entity_answer_of_domain {
    const char *name, *description, *primary_key, *table;
    bool served;
    const char *difference;
    struct optional_integer retention_days;
    OBJECT_LIST(struct column_answer, columns);
    OBJECT_LIST(struct event_type_answer, events);
};

#define OWNER struct entity_answer_of_domain
static const struct field entity_fields[] = {
    STRING(OWNER, name),
    STRING(OWNER, description),
    STRING(OWNER, primary_key),
    STRING(OWNER, table),
    BOOLEAN(OWNER, served,
            .help = "False: the database has another contract of it, or no table yet."),
    STRING(OWNER, difference, .nullable = true),
    NULLABLE_INTEGER(OWNER, retention_days),
    OBJECTS(OWNER, columns, column_schema),
    OBJECTS(OWNER, events, event_type_schema),
};
#undef OWNER
static SCHEMA(entity_schema, struct entity_answer_of_domain, "DomainEntity", entity_fields);

struct domain_answer {
    const char *name;
    OBJECT_LIST(struct entity_answer_of_domain, entities);
    struct string_list metrics;
};

#define OWNER struct domain_answer
static const struct field domain_fields[] = {
    STRING(OWNER, name), OBJECTS(OWNER, entities, entity_schema), STRINGS(OWNER, metrics)};
#undef OWNER
static SCHEMA(domain_schema, struct domain_answer, "Domain", domain_fields);

#define OWNER struct domain_answers
static const struct field domains_fields[] = {OBJECTS(OWNER, domains, domain_schema)};
#undef OWNER
SCHEMA(domains_schema, struct domain_answers, "DomainList", domains_fields);

struct plan_change {
    const char *domain, *entity, *text;
    bool refused;
};

#define OWNER struct plan_change
static const struct field change_fields[] = {STRING(OWNER, domain), STRING(OWNER, entity),
                                             STRING(OWNER, text), BOOLEAN(OWNER, refused)};
#undef OWNER
static SCHEMA(change_schema, struct plan_change, "PlanChange", change_fields);

#define OWNER struct plan_answer
static const struct field plan_fields[] = {
    OBJECTS(OWNER, changes, change_schema, .help = "What the next start would do, and refuse."),
    STRING(OWNER, fault, .nullable = true, .help = "The file that is wrong, and why."),
};
#undef OWNER
SCHEMA(plan_schema, struct plan_answer, "DomainPlan", plan_fields);

static const char *referred(const struct entity_type *type, const struct table_column *column)
{
    for (size_t i = 0; i < type->relation_count; i++)
        if (type->relations[i].column == column)
            return type->relations[i].to->name;
    return NULL;
}

/* The description of a column of a domain is its own; of the shop's, that of the entity's field. */
static const char *described(const struct entity_type *type, const struct table_column *column)
{
    for (size_t i = 0; i < type->field_count; i++)
        if (type->fields[i].column == column)
            return type->fields[i].text;
    return column->description;
}

static struct object_list columns_of(struct arena *arena, const struct entity_type *type)
{
    const struct serving_table *table = type->table;
    struct column_answer *items = ARENA_ARRAY(arena, struct column_answer, table->column_count);

    for (size_t i = 0; i < table->column_count; i++) {
        const struct table_column *column = &table->columns[i];

        items[i] = (struct column_answer){
            .name = column->name,
            .type = column_type_names[column->type],
            .scale = {column->type == COLUMN_NUMBER && table->own, column->scale},
            .description = described(type, column),
            .values = column->values,
            .counted = table->own && table->own->counts[i],
            .refers_to = referred(type, column)};
    }
    return (struct object_list){table->column_count, items};
}

static struct entity_answer_of_domain entity_of(struct arena *arena, const struct entity_type *type)
{
    const struct own_entity *own = type->table->own;
    struct problem unserved = {0};
    bool served = !table_served(type->table, &unserved);

    return (struct entity_answer_of_domain){
        .name = type->name,
        .description = type->description,
        .primary_key = type->primary_key,
        .table = type->table->name,
        .served = served,
        .difference = served ? NULL : arena_copy_string(arena, unserved.text),
        .retention_days = {own && own->retention_days, own ? own->retention_days : 0},
        .columns = columns_of(arena, type),
        .events = event_types_of(arena, type)};
}

static struct domain_answer domain_of(struct arena *arena, const struct catalog *catalog,
                                      const struct domain *domain)
{
    struct entity_answer_of_domain *entities =
        ARENA_ARRAY(arena, struct entity_answer_of_domain, catalog->entity_count);
    struct domain_answer answer = {.name = domain->name, .entities = {0, entities}};

    for (size_t i = 0; i < catalog->entity_count; i++)
        if (catalog->entities[i].domain == domain)
            entities[answer.entities.count++] = entity_of(arena, &catalog->entities[i]);
    for (size_t i = 0; i < catalog->metric_count; i++)
        if (catalog->metrics[i].domain == domain)
            *LIST_ADD(arena, &answer.metrics) = catalog->metrics[i].name;
    return answer;
}

struct domain_answers domains_show(struct arena *arena, const struct catalog *catalog)
{
    const struct catalog *whole = catalog->whole ? catalog->whole : catalog;
    struct domain_answer *items = ARENA_ARRAY(arena, struct domain_answer, whole->domain_count);
    struct domain_answers answer = {.domains = {0, items}};

    for (size_t i = 0; i < whole->domain_count; i++) {
        struct domain_answer domain = domain_of(arena, catalog, &whole->domains[i]);

        if (domain.entities.count || domain.metrics.count)
            items[answer.domains.count++] = domain;
    }
    return answer;
}

enum error domains_plan(const struct storage_call *call, const struct livedata_settings *settings,
                        struct plan_answer *answer)
{
    struct catalog *catalog = ARENA_NEW(call->arena, struct catalog);
    struct problem fault = {0};
    struct plan_change *items;
    struct table_plan plan;
    enum error error = catalog_load(call->arena, settings, catalog, &fault);

    if (!error)
        error = metric_check_all(call->arena, catalog, &fault);
    *answer =
        (struct plan_answer){.fault = error ? arena_copy_string(call->arena, fault.text) : NULL};
    if (error == ERROR_SYSTEM) /* no memory, or a file that cannot be read: no fault of its text */
        *call->problem = fault;
    if (error)
        return error == ERROR_SYSTEM ? error : ERROR_NONE;
    error = tables_plan(call, catalog, PLAN_FORWARD, &plan);
    if (error)
        return error;
    items = ARENA_ARRAY(call->arena, struct plan_change, plan.count);
    for (size_t i = 0; i < plan.count; i++)
        items[i] = (struct plan_change){plan.items[i].type->domain->name, plan.items[i].type->name,
                                        plan.items[i].text, plan.items[i].refused};
    answer->changes = (struct object_list){plan.count, items};
    return ERROR_NONE;
}
