/* SQL of metrics that come with a bundle. */
#include "experiments/workspace/import_metrics.h"

#include "crypto/token.h"
#include "db/query.h"
#include "experiments/storage/store.h"
#include "text/fold.h"

#include <string.h>

enum { DEFINITION_BYTES_MAX = 64 * 1024 };

static const struct statement find_metric = {
    .name = "workspace_metric_find",
    .sql = "SELECT id FROM catalog_metrics WHERE id = ? OR name_folded = ?"
           " ORDER BY CASE WHEN id = ? THEN 0 ELSE 1 END LIMIT 1",
};
static const struct statement insert_metric = {
    .name = "workspace_metric",
    .sql = "INSERT INTO catalog_metrics (id, version, name, name_folded, kind, definition,"
           " created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
};
static const struct statement read_version = {
    .name = "workspace_metric_version_read",
    .sql = "SELECT definition FROM catalog_metric_versions WHERE metric_id = ? AND version = ?",
};
static const struct statement insert_version = {
    .name = "workspace_metric_version",
    .sql = "INSERT INTO catalog_metric_versions (metric_id, version, definition, actor,"
           " created_at) VALUES (?, ?, ?, ?, ?)",
};
static const struct statement count_metrics = {
    .name = "workspace_metric_count",
    .sql = "SELECT count(*) FROM catalog_metrics",
};

static const char *written(struct arena *arena, const struct metric_definition *definition)
{
    return schema_json(arena, DEFINITION_BYTES_MAX, &metric_definition_stored_schema, definition);
}

static enum error find(const struct metrics_in *in, const char *id, const char *name,
                       const char **found)
{
    struct query *query = db_query(in->db, &find_metric);

    query_bind_text(query, id);
    query_bind_text(query, text_fold(in->call->piece, name));
    query_bind_text(query, id);
    *found = query_next(query) ? query_text(query, 0, in->call->arena) : NULL;
    return query_end(query, in->call->problem);
}

static const char *own_id(const struct metrics_in *in, const char *id)
{
    char *made;

    if (store_is_id(id))
        return id;
    made = arena_alloc(in->call->arena, TOKEN_UUID_TEXT);
    token_uuid(made);
    return made;
}

static enum error insert(const struct metrics_in *in, const char *id,
                         const struct bundle_metric *metric,
                         const struct metric_definition *definition, size_t index)
{
    struct arena *piece = in->call->piece;
    struct query *query = db_query(in->db, &insert_metric);
    enum error error;
    int64_t added;

    query_bind_text(query, id);
    query_bind_integer(query, metric->version);
    query_bind_text(query, definition->name);
    query_bind_text(query, text_fold(piece, definition->name));
    query_bind_text(query, metric_type_names[definition->kind]);
    query_bind_json(query, written(piece, definition));
    query_bind_text(query, bundle_moment(piece, metric->created_at));
    query_bind_text(query, bundle_moment(piece, metric->updated_at));
    added = query_changes(query);
    error = query_end(query, in->call->problem);
    if (error || added == 1)
        return error;
    return problem_set(in->call->problem, ERROR_CONFLICT, "workspace_id_taken",
                       "catalog_metrics.%zu: the catalog has its id or its name already", index);
}

/* The definition of its current version, which the checks of the bundle have found. */
static enum error read_definition(const struct metrics_in *in, const struct bundle_ids *versions,
                                  const char *version_id, struct bundle_metric_version *version)
{
    const struct bundle_entry *first = in->bundle->lists[BUNDLE_METRIC_VERSIONS].items;
    size_t position = 0;

    bundle_find_id(versions, version_id, &position);
    return bundle_record(in->call, in->bundle, BUNDLE_METRIC_VERSIONS,
                         (size_t)(versions->items[position] - first), version);
}

static enum error add_metric(struct metrics_in *in, const struct bundle_ids *versions,
                             size_t position)
{
    const struct bundle_entry *entry = in->ids.items[position];
    size_t index = (size_t)(entry - in->bundle->lists[BUNDLE_METRICS].items);
    struct bundle_metric_version version;
    struct bundle_metric metric;
    const char *found = NULL;
    enum error error = bundle_record(in->call, in->bundle, BUNDLE_METRICS, index, &metric);

    if (!error)
        error = read_definition(in, versions, entry->run_id, &version);
    if (!error && !in->keep_ids)
        error = find(in, entry->id, version.definition->name, &found);
    if (error)
        return error;
    in->known[position] = found != NULL;
    in->there[position] = found ? found : own_id(in, entry->id);
    if (found)
        return ERROR_NONE;
    in->added++;
    return insert(in, in->there[position], &metric, version.definition, index);
}

/* A version of a metric that the catalog had. */
static enum error compare(const struct metrics_in *in, const char *id,
                          const struct bundle_metric_version *version, size_t index)
{
    struct arena *piece = in->call->piece;
    struct query *query = db_query(in->db, &read_version);
    struct metric_definition own = {0};
    const char *stored = NULL;
    enum error error;

    query_bind_text(query, id);
    query_bind_integer(query, version->version);
    if (query_next(query))
        stored = query_json(query, 0, piece);
    error = query_end(query, in->call->problem);
    if (error)
        return error;
    if (stored && schema_from_json(piece, &metric_definition_stored_schema, stored, &own) &&
        strcmp(written(piece, &own), written(piece, version->definition)) == 0)
        return ERROR_NONE;
    return problem_set(in->call->problem, ERROR_CONFLICT, "workspace_metric_differs",
                       "catalog_metric_versions.%zu.definition: the catalog has the metric \"%s\","
                       " and its version %lld is another one or does not exist",
                       index, version->definition->name, (long long)version->version);
}

static enum error add_version(const struct metrics_in *in, size_t index)
{
    struct arena *piece = in->call->piece;
    struct bundle_metric_version version;
    struct query *query;
    size_t position = 0;
    enum error error = bundle_record(in->call, in->bundle, BUNDLE_METRIC_VERSIONS, index, &version);

    if (error)
        return error;
    bundle_find_id(&in->ids, version.metric_id, &position);
    if (in->known[position])
        return compare(in, in->there[position], &version, index);
    query = db_query(in->db, &insert_version);
    query_bind_text(query, in->there[position]);
    query_bind_integer(query, version.version);
    query_bind_json(query, written(piece, version.definition));
    query_bind_text(query, version.actor);
    query_bind_text(query, bundle_moment(piece, version.created_at));
    return query_end(query, in->call->problem);
}

static enum error check_room(const struct metrics_in *in)
{
    struct query *query = db_query(in->db, &count_metrics);
    int64_t total = query_next(query) ? query_integer(query, 0) : 0;
    enum error error = query_end(query, in->call->problem);

    if (error || !in->added || total <= in->call->metrics_max)
        return error;
    return problem_set(in->call->problem, ERROR_CONFLICT, "metric_limit_reached",
                       "catalog_metrics: there would be %lld metrics, and AB_MAX_METRICS is %lld",
                       (long long)total, (long long)in->call->metrics_max);
}

enum error import_metrics(struct metrics_in *in)
{
    struct arena *arena = in->call->arena;
    const struct bundle_ids versions = bundle_sort_ids(arena, in->bundle, BUNDLE_METRIC_VERSIONS);
    size_t total = in->bundle->lists[BUNDLE_METRIC_VERSIONS].count;
    enum error error;

    in->ids = bundle_sort_ids(arena, in->bundle, BUNDLE_METRICS);
    if (!in->ids.count)
        return ERROR_NONE;
    in->there = ARENA_ARRAY(arena, const char *, in->ids.count);
    in->known = ARENA_ARRAY(arena, bool, in->ids.count);
    error = db_lock(in->db, "catalog_metrics", in->call->problem); /* names stay unique */
    for (size_t i = 0; !error && i < in->ids.count; i++) {
        error = add_metric(in, &versions, i);
        arena_reset(in->call->piece);
    }
    for (size_t i = 0; !error && i < total; i++) {
        error = add_version(in, i);
        arena_reset(in->call->piece);
        bundle_report_progress(in->call, "import catalog_metrics", (int64_t)i + 1, (int64_t)total);
    }
    return error ? error : check_room(in);
}

const struct experiment_payload *import_metric_name(const struct metrics_in *in,
                                                    struct arena *arena,
                                                    const struct experiment_payload *design)
{
    const struct payload_catalog_metric *named = design->metrics->catalog_metric;
    struct payload_catalog_metric *metric;
    struct payload_metrics *metrics;
    struct experiment_payload *copy;
    size_t position;

    if (!named || !bundle_find_id(&in->ids, named->id, &position) ||
        strcmp(in->there[position], named->id) == 0)
        return design;
    metric = ARENA_NEW(arena, struct payload_catalog_metric);
    metrics = ARENA_NEW(arena, struct payload_metrics);
    copy = ARENA_NEW(arena, struct experiment_payload);
    *metric = (struct payload_catalog_metric){in->there[position], named->version};
    *metrics = *design->metrics;
    metrics->catalog_metric = metric;
    *copy = *design;
    copy->metrics = metrics;
    return copy;
}
