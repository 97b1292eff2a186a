/* SQL over the designs of flags that are on, and the comparison of their ranges. */
#include "experiments/flags/flag_layers.h"

#include "db/query.h"
#include "experiments/projects/project_store.h"

#include <string.h>

static const struct statement designs_of_flags = {
    .name = "flag_designs",
    .sql = "SELECT p.project_name, p.payload_json, f.settings FROM flags f JOIN projects p"
           " ON p.id = f.experiment_id WHERE f.enabled = 1 AND p.archived = 0"
           " AND f.experiment_id <> ?",
    .streams = true,
};

/* A flag that is fixed, such as after shipping, assigns nobody. */
static bool is_fixed(struct query *query, struct arena *arena)
{
    struct flag_settings settings = {0};
    const char *stored = query_json_or_null(query, 2, arena);

    return stored && schema_from_json(arena, &flag_settings_schema, stored, &settings) &&
           settings.fixed_variation.given;
}

static bool overlap(const struct payload_namespace *one, const struct payload_namespace *other)
{
    return one && other && strcmp(one->id, other->id) == 0 && one->range_start < other->range_end &&
           other->range_start < one->range_end;
}

enum error flag_check_layer(const struct flag_call *call, const char *experiment_id,
                            const struct experiment_payload *design)
{
    const struct payload_namespace *own = design->setup->namespace;
    const char *name = NULL;
    struct query *query;
    enum error error;

    if (!own)
        return ERROR_NONE;
    query = db_query(call->db, &designs_of_flags);
    query_bind_text(query, experiment_id);
    while (!name && query_next(query)) {
        const struct experiment_payload *other =
            project_payload(query_json(query, 1, call->arena), call->arena);

        if (other && overlap(own, other->setup->namespace) && !is_fixed(query, call->arena))
            name = query_text(query, 0, call->arena);
    }
    error = query_end(query, call->problem);
    if (error || !name)
        return error;
    return problem_set(call->problem, ERROR_CONFLICT, "layer_overlap",
                       "The flag of \"%s\" is on, and its range of the namespace %s overlaps", name,
                       own->id);
}

enum error flag_layer_owner(const struct flag_call *call, const char *experiment_id,
                            const char *space, double position, const char **name)
{
    struct query *query = db_query(call->db, &designs_of_flags);

    *name = NULL;
    query_bind_text(query, experiment_id);
    while (!*name && query_next(query)) {
        const struct experiment_payload *design =
            project_payload(query_json(query, 1, call->arena), call->arena);
        const struct payload_namespace *range = design ? design->setup->namespace : NULL;

        if (range && strcmp(range->id, space) == 0 && range->range_start <= position &&
            position < range->range_end && !is_fixed(query, call->arena))
            *name = query_text(query, 0, call->arena);
    }
    return query_end(query, call->problem);
}
