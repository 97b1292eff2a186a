/* What a tenant that lists some of the domains sees of the catalog. */
#include "livedata/catalog/measure.h"

#include "base/string_list.h"

#include <string.h>

static bool lists(const struct string_list *domains, const struct domain *domain)
{
    return string_list_has(domains, domain->name);
}

static void take_domains(struct arena *arena, const struct string_list *domains,
                         const struct catalog *whole, struct catalog *view)
{
    view->domains = ARENA_ARRAY(arena, struct domain, whole->domain_count);
    for (size_t i = 0; i < whole->domain_count; i++)
        if (lists(domains, &whole->domains[i]))
            view->domains[view->domain_count++] = whole->domains[i];
}

/* Relations lead only to entities that are seen. */
static void take_relations(struct arena *arena, const struct catalog *view,
                           struct entity_type *type)
{
    const struct entity_relation *all = type->relations;
    size_t count = 0;

    type->relations = ARENA_ARRAY(arena, struct entity_relation, type->relation_count);
    for (size_t i = 0; i < type->relation_count; i++) {
        const struct entity_type *to = catalog_entity(view, all[i].to->name);

        if (to)
            type->relations[count++] = (struct entity_relation){to, all[i].column};
    }
    type->relation_count = count;
}

static void take_entities(struct arena *arena, const struct string_list *domains,
                          const struct catalog *whole, struct catalog *view)
{
    view->entities = ARENA_ARRAY(arena, struct entity_type, whole->entity_count);
    for (size_t i = 0; i < whole->entity_count; i++)
        if (lists(domains, whole->entities[i].domain))
            view->entities[view->entity_count++] = whole->entities[i];
    view->shop = catalog_has_shop_entity(view);
    for (size_t i = 0; i < view->entity_count; i++)
        take_relations(arena, view, &view->entities[i]);
}

/* The journal is everybody's; the lines of orders are read with the shop. */
static void take_tables(struct arena *arena, const struct catalog *whole, struct catalog *view)
{
    view->tables = ARENA_ARRAY(arena, const struct serving_table *, whole->table_count);
    for (size_t i = 0; i < whole->table_count; i++) {
        const struct serving_table *table = whole->tables[i];

        if (catalog_entity_of_table(view, table) || strcmp(table->name, "pipeline_events") == 0 ||
            (view->shop && !table->own && !catalog_entity_of_table(whole, table)))
            view->tables[view->table_count++] = table;
    }
}

static bool sees_tables(const struct catalog *view, const struct measure *measure)
{
    for (size_t i = 0; measure && i < measure->table_count; i++)
        if (!catalog_table(view, measure->tables[i].table->name))
            return false;
    return !measure || ((!measure->numerator || sees_tables(view, measure->numerator)) &&
                        (!measure->denominator || sees_tables(view, measure->denominator)));
}

/* A metric that also reads tables of other domains needs these as well. */
static void take_metrics(struct arena *arena, const struct string_list *domains,
                         const struct catalog *whole, struct catalog *view)
{
    view->metrics = ARENA_ARRAY(arena, struct live_metric, whole->metric_count);
    for (size_t i = 0; i < whole->metric_count; i++) {
        const struct live_metric *metric = &whole->metrics[i];

        if (lists(domains, metric->domain) && catalog_table(view, metric->table->name) &&
            sees_tables(view, metric->measure))
            view->metrics[view->metric_count++] = *metric;
    }
}

static void take_contracts(struct arena *arena, const struct string_list *domains,
                           const struct catalog *whole, struct catalog *view)
{
    view->contracts = ARENA_ARRAY(arena, struct schema_contract, whole->contract_count);
    for (size_t i = 0; i < whole->contract_count; i++)
        if (lists(domains, whole->contracts[i].domain))
            view->contracts[view->contract_count++] = whole->contracts[i];
}

/* Levels of the service are everybody's, those of domains only theirs. */
static void take_levels(struct arena *arena, const struct string_list *domains,
                        const struct catalog *whole, struct catalog *view)
{
    view->slos = ARENA_ARRAY(arena, struct slo, whole->slo_count);
    for (size_t i = 0; i < whole->slo_count; i++) {
        const struct slo *slo = &whole->slos[i];

        if (slo->entity   ? catalog_entity(view, slo->entity->name) != NULL
            : slo->metric ? catalog_metric(view, slo->metric->name) != NULL
                          : slo->domain == whole->domains || lists(domains, slo->domain))
            view->slos[view->slo_count++] = *slo;
    }
}

const struct catalog *catalog_view(struct arena *arena, const struct catalog *whole,
                                   const struct string_list *domains)
{
    struct catalog *view = ARENA_NEW(arena, struct catalog);

    *view = *whole;
    view->whole = whole;
    view->domain_count = view->table_count = view->entity_count = 0;
    view->metric_count = view->contract_count = view->slo_count = 0;
    take_domains(arena, domains, whole, view);
    take_entities(arena, domains, whole, view);
    take_tables(arena, whole, view);
    take_metrics(arena, domains, whole, view);
    take_contracts(arena, domains, whole, view);
    take_levels(arena, domains, whole, view);
    return view;
}

const struct catalog *catalog_of_tables(struct arena *arena, const struct catalog *catalog,
                                        const struct string_list *tables)
{
    struct catalog *part = ARENA_NEW(arena, struct catalog);

    *part = *catalog;
    part->entities = ARENA_ARRAY(arena, struct entity_type, catalog->entity_count);
    part->tables = ARENA_ARRAY(arena, const struct serving_table *, catalog->table_count);
    part->metrics = ARENA_ARRAY(arena, struct live_metric, catalog->metric_count);
    part->entity_count = part->table_count = part->metric_count = 0;
    for (size_t i = 0; i < catalog->table_count; i++)
        if (string_list_has(tables, catalog->tables[i]->name))
            part->tables[part->table_count++] = catalog->tables[i];
    for (size_t i = 0; i < catalog->entity_count; i++)
        if (string_list_has(tables, catalog->entities[i].table->name))
            part->entities[part->entity_count++] = catalog->entities[i];
    for (size_t i = 0; i < part->entity_count; i++)
        take_relations(arena, part, &part->entities[i]);
    for (size_t i = 0; i < catalog->metric_count; i++)
        if (string_list_has(tables, catalog->metrics[i].table->name) &&
            sees_tables(part, catalog->metrics[i].measure))
            part->metrics[part->metric_count++] = catalog->metrics[i];
    return part;
}

const struct domain *catalog_domain(const struct catalog *catalog, const char *name)
{
    for (size_t i = 0; i < catalog->domain_count; i++)
        if (strcmp(catalog->domains[i].name, name) == 0)
            return &catalog->domains[i];
    return NULL;
}

const char *catalog_shop_name(const struct catalog *catalog)
{
    for (size_t i = 0; i < catalog->entity_count; i++)
        if (!catalog->entities[i].table->own)
            return catalog->entities[i].domain->name;
    return "shop";
}
