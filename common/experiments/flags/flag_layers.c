/* SQL over the ranges of flags that are on, and their comparison. */
#include "experiments/flags/flag_layers.h"

#include "base/list.h"
#include "db/query.h"

#include <string.h>

#define SPACE "p.payload_json -> 'setup' -> 'namespace'"

static const struct statement ranges_of_flags = {
    .name = "flag_ranges",
    .sql = "SELECT f.experiment_id, p.project_name, " SPACE " ->> 'id',"
           " CAST(" SPACE " ->> 'range_start' AS DOUBLE PRECISION),"
           " CAST(" SPACE " ->> 'range_end' AS DOUBLE PRECISION)"
           " FROM flags f JOIN projects p ON p.id = f.experiment_id"
           " WHERE f.enabled = 1 AND p.archived = 0"
           " AND f.settings ->> 'fixed_variation' IS NULL AND " SPACE " ->> 'id' IS NOT NULL",
    .streams = true,
};

enum error flag_layers_read(const struct flag_call *call, struct object_list *layers)
{
    struct query *query = db_query(call->db, &ranges_of_flags);
    struct flag_layer *items = NULL;
    size_t count = 0;

    while (query_next(query))
        *ARRAY_ADD(call->arena, items, count) =
            (struct flag_layer){.experiment_id = query_text(query, 0, call->arena),
                                .project_name = query_text(query, 1, call->arena),
                                .space = query_text(query, 2, call->arena),
                                .range_start = query_number(query, 3),
                                .range_end = query_number(query, 4)};
    *layers = (struct object_list){.count = count, .items = items};
    return query_end(query, call->problem);
}

static bool is_of(const struct flag_layer *layer, const char *experiment_id)
{
    return strcmp(layer->experiment_id, experiment_id) == 0;
}

static bool overlap(const struct payload_namespace *own, const struct flag_layer *layer)
{
    return strcmp(own->id, layer->space) == 0 && own->range_start < layer->range_end &&
           layer->range_start < own->range_end;
}

enum error flag_check_layer(const struct flag_call *call, const char *experiment_id,
                            const struct experiment_payload *design)
{
    const struct payload_namespace *own = design->setup->namespace;
    const struct flag_layer *layer;
    struct object_list layers;
    enum error error = own ? flag_layers_read(call, &layers) : ERROR_NONE;

    if (error || !own)
        return error;
    layer = layers.items;
    for (size_t i = 0; i < layers.count; i++)
        if (!is_of(&layer[i], experiment_id) && overlap(own, &layer[i]))
            return problem_set(
                call->problem, ERROR_CONFLICT, "layer_overlap",
                "The flag of \"%s\" is on, and its range of the namespace %s overlaps",
                layer[i].project_name, own->id);
    return ERROR_NONE;
}

const char *flag_layer_owner(const struct object_list *layers, const char *experiment_id,
                             const char *space, double position)
{
    const struct flag_layer *layer = layers->items;

    for (size_t i = 0; i < layers->count; i++)
        if (!is_of(&layer[i], experiment_id) && strcmp(layer[i].space, space) == 0 &&
            layer[i].range_start <= position && position < layer[i].range_end)
            return layer[i].project_name;
    return NULL;
}
