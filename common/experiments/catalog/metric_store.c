/* SQL of the catalog of metrics. */
#include "experiments/catalog/metric_store.h"
#include "crypto/token.h"
#include "db/query.h"
#include "experiments/projects/named.h"
#include "experiments/storage/store.h"
#include "experiments/templates/template_store.h"
#include "text/fold.h"

#include <string.h>

enum { DEFINITION_BYTES_MAX = 64 * 1024, VERSIONS_MAX = 200 };

#define OWNER struct catalog_metric
static const struct field metric_fields[] = {
    STRING(OWNER, id),
    INTEGER(OWNER, version, .help = "The current one; every change makes the next."),
    OBJECT(OWNER, definition, metric_definition_stored_schema),
    INTEGER(OWNER, use_count, .help = "Projects that were planned with it, of any version."),
    STRING(OWNER, created_at),
    STRING(OWNER, updated_at),
};
#undef OWNER
SCHEMA(catalog_metric_schema, struct catalog_metric, "CatalogMetric", metric_fields,
       .help = "A metric of the catalog.");

#define OWNER struct metric_use
static const struct field use_fields[] = {
    STRING(OWNER, project_id),
    STRING(OWNER, project_name),
    INTEGER(OWNER, version, .help = "Of the metric, when the project was last saved."),
    BOOLEAN(OWNER, is_archived),
};
#undef OWNER
SCHEMA(metric_use_schema, struct metric_use, "MetricUse", use_fields,
       .help = "A project that was planned with the metric.");

#define OWNER struct metric_version
static const struct field version_fields[] = {
    INTEGER(OWNER, version),
    OBJECT(OWNER, definition, metric_definition_stored_schema),
    STRING(OWNER, actor, .nullable = true),
    STRING(OWNER, created_at),
};
#undef OWNER
SCHEMA(metric_version_schema, struct metric_version, "MetricVersion", version_fields);

#define COLUMNS                                                                                    \
    "SELECT m.id, m.version, m.definition,"                                                        \
    " (SELECT count(*) FROM catalog_metric_uses u WHERE u.metric_id = m.id) AS use_count,"         \
    " m.created_at, m.updated_at FROM catalog_metrics m"

static const struct statement list_metrics = {
    .name = "metric_list",
    .sql = COLUMNS " WHERE m.name_folded LIKE ? ESCAPE '!' AND m.kind LIKE ?"
                   " ORDER BY m.name_folded, m.id LIMIT ? OFFSET ?",
};
static const struct statement count_metrics = {
    .name = "metric_count",
    .sql = "SELECT count(*) FROM catalog_metrics m"
           " WHERE m.name_folded LIKE ? ESCAPE '!' AND m.kind LIKE ?",
};
static const struct statement read_metric = {
    .name = "metric_read",
    .sql = COLUMNS " WHERE m.id = ?",
};
static const struct statement lock_metric = {
    .name = "metric_lock",
    .sql = "SELECT version, definition, created_at, updated_at FROM catalog_metrics"
           " WHERE id = ? {for_update}",
};
static const struct statement find_name = {
    .name = "metric_find_name",
    .sql = "SELECT id FROM catalog_metrics WHERE name_folded = ? AND id <> ?",
};
static const struct statement list_versions = {
    .name = "metric_versions",
    .sql = "SELECT version, definition, actor, created_at FROM catalog_metric_versions"
           " WHERE metric_id = ? ORDER BY version DESC LIMIT ?",
};
static const struct statement list_uses = {
    .name = "metric_uses",
    .sql = "SELECT u.project_id, p.project_name, u.version,"
           " CASE WHEN p.archived_at IS NULL THEN 0 ELSE 1 END AS is_archived"
           " FROM catalog_metric_uses u JOIN projects p ON p.id = u.project_id"
           " WHERE u.metric_id = ? ORDER BY p.name_folded, p.id LIMIT ?",
};
static const struct statement insert_metric = {
    .name = "metric_insert",
    .sql = "INSERT INTO catalog_metrics (id, version, name, name_folded, kind, definition,"
           " created_at, updated_at) VALUES (?, 1, ?, ?, ?, ?, ?, ?)",
};
static const struct statement update_metric = {
    .name = "metric_update",
    .sql = "UPDATE catalog_metrics SET version = ?, name = ?, name_folded = ?, kind = ?,"
           " definition = ?, updated_at = ? WHERE id = ?",
};
static const struct statement insert_version = {
    .name = "metric_insert_version",
    .sql = "INSERT INTO catalog_metric_versions (metric_id, version, definition, actor,"
           " created_at) VALUES (?, ?, ?, ?, ?)",
};
static const struct statement delete_metric = {
    .name = "metric_delete",
    .sql = "DELETE FROM catalog_metrics WHERE id = ?",
};

static enum error unknown(const struct project_call *call)
{
    return problem_set(call->problem, ERROR_NOT_FOUND, "not_found", "Metric not found");
}

/* A pattern of LIKE that finds the folded text anywhere; all names where there is no text. */
static const char *pattern_of(const struct project_call *call, const char *text)
{
    const char *folded = text_fold(call->arena, text ? text : "");
    struct text pattern;

    text_start(&pattern, call->arena, DEFINITION_BYTES_MAX);
    text_append_byte(&pattern, '%');
    for (; *folded; folded++) {
        if (strchr("%_!", *folded))
            text_append_byte(&pattern, '!');
        text_append_byte(&pattern, *folded);
    }
    text_append_byte(&pattern, '%');
    return pattern.bytes;
}

static void bind_filter(struct query *query, const struct project_call *call,
                        const struct metric_filter *filter)
{
    query_bind_text(query, pattern_of(call, filter->text));
    query_bind_text(query, filter->kind < 0 ? "%" : metric_type_names[filter->kind]);
}

static enum error count_all(const struct project_call *call, const struct metric_filter *filter,
                            int64_t *total)
{
    struct query *query = db_query(call->db, &count_metrics);

    bind_filter(query, call, filter);
    *total = query_next(query) ? query_integer(query, 0) : 0;
    return query_end(query, call->problem);
}

static enum error read_page(const struct project_call *call, const struct metric_filter *filter,
                            struct project_page *page)
{
    struct catalog_metric *items =
        ARENA_ARRAY(call->arena, struct catalog_metric, (size_t)page->limit);
    struct query *query = db_query(call->db, &list_metrics);

    page->items = (struct object_list){.items = items};
    bind_filter(query, call, filter);
    query_bind_integer(query, page->limit);
    query_bind_integer(query, page->offset);
    while (query_next(query)) {
        items[page->items.count] = (struct catalog_metric){0};
        query_read(query, &catalog_metric_schema, &items[page->items.count++], call->arena);
    }
    return query_end(query, call->problem);
}

enum error catalog_list(const struct project_call *call, const struct metric_filter *filter,
                        struct project_page *page)
{
    enum error error = db_begin(call->db, DB_READ, call->problem);

    if (error)
        return error;
    error = count_all(call, filter, &page->total);
    if (!error)
        error = read_page(call, filter, page);
    return db_finish(call->db, error, call->problem);
}

static enum error fetch(const struct project_call *call, const struct statement *statement,
                        const char *id, struct catalog_metric *metric)
{
    struct query *query;
    enum error error;
    bool found = false;

    if (!store_is_id(id))
        return unknown(call);
    *metric = (struct catalog_metric){.id = id};
    query = db_query(call->db, statement);
    query_bind_text(query, id);
    error =
        query_read_one(query, &catalog_metric_schema, metric, call->arena, &found, call->problem);
    return error || found ? error : unknown(call);
}

enum error catalog_read(const struct project_call *call, const char *id,
                        struct catalog_metric *metric)
{
    return fetch(call, &read_metric, id, metric);
}

/* Rows of one metric, at most `most`, each of `schema`. */
static enum error read_rows(const struct project_call *call, const struct statement *statement,
                            const char *id, const struct schema *schema, int64_t most,
                            struct object_list *rows)
{
    char *items = arena_alloc(call->arena, schema->size * (size_t)most);
    struct query *query = db_query(call->db, statement);

    *rows = (struct object_list){.items = items};
    memset(items, 0, schema->size * (size_t)most);
    query_bind_text(query, id);
    query_bind_integer(query, most);
    while (query_next(query))
        query_read(query, schema, items + schema->size * rows->count++, call->arena);
    return query_end(query, call->problem);
}

enum error catalog_versions(const struct project_call *call, const char *id,
                            struct object_list *versions)
{
    return read_rows(call, &list_versions, id, &metric_version_schema, VERSIONS_MAX, versions);
}

enum error catalog_uses(const struct project_call *call, const char *id, struct object_list *uses)
{
    return read_rows(call, &list_uses, id, &metric_use_schema, METRIC_USES_MAX, uses);
}

static enum error check_room(const struct project_call *call, int64_t most)
{
    const struct metric_filter all = {.kind = -1};
    int64_t total = 0;
    enum error error = db_lock(call->db, "catalog_metrics", call->problem);

    if (!error)
        error = count_all(call, &all, &total);
    if (!error && total >= most)
        error = problem_set(call->problem, ERROR_CONFLICT, "metric_limit_reached",
                            "There are %lld metrics, as many as may be kept", (long long)total);
    return error;
}

static const char *written(const struct project_call *call,
                           const struct metric_definition *definition)
{
    struct json_writer writer;
    struct text text;

    text_start(&text, call->arena, DEFINITION_BYTES_MAX);
    writer_start(&writer, &text);
    schema_write(&writer, &metric_definition_stored_schema, definition);
    return text.bytes;
}

static enum error add_version(const struct project_call *call, const struct catalog_metric *metric,
                              const char *document)
{
    struct query *query = db_query(call->db, &insert_version);

    query_bind_text(query, metric->id);
    query_bind_integer(query, metric->version);
    query_bind_json(query, document);
    query_bind_text(query, call->actor ? call->actor->name : NULL);
    query_bind_text(query, metric->updated_at);
    return query_end(query, call->problem);
}

static enum error insert(const struct project_call *call, const struct catalog_metric *metric)
{
    const struct metric_definition *definition = metric->definition;
    const char *folded = text_fold(call->arena, definition->name);
    const char *document = written(call, definition);
    enum error error = named_check_free(call, &find_name, metric->id, folded, "metric_name_taken",
                                        "metric of the catalog");
    struct query *query;

    if (error)
        return error;
    query = db_query(call->db, &insert_metric);
    query_bind_text(query, metric->id);
    query_bind_text(query, definition->name);
    query_bind_text(query, folded);
    query_bind_text(query, metric_type_names[definition->kind]);
    query_bind_json(query, document);
    query_bind_text(query, metric->created_at);
    query_bind_text(query, metric->updated_at);
    error = query_end(query, call->problem);
    if (!error)
        error = add_version(call, metric, document);
    return error ? error : named_record(call, "metric.create", definition->name);
}

enum error catalog_create(const struct project_call *call,
                          const struct metric_definition *definition, int64_t most,
                          struct catalog_metric *metric)
{
    char *id = arena_alloc(call->arena, TOKEN_UUID_TEXT);
    const char *now = store_now(call->arena);
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    if (error)
        return error;
    token_uuid(id);
    *metric = (struct catalog_metric){
        .id = id, .version = 1, .definition = definition, .created_at = now, .updated_at = now};
    error = check_room(call, most);
    if (!error)
        error = insert(call, metric);
    return db_finish(call->db, error, call->problem);
}

static enum error replace(const struct project_call *call, struct catalog_metric *metric,
                          const struct metric_definition *definition, const char *document)
{
    const char *folded = text_fold(call->arena, definition->name);
    enum error error = named_check_free(call, &find_name, metric->id, folded, "metric_name_taken",
                                        "metric of the catalog");
    struct query *query;

    if (error)
        return error;
    metric->version++;
    metric->definition = definition;
    metric->updated_at = store_later(call->arena, metric->updated_at);
    query = db_query(call->db, &update_metric);
    query_bind_integer(query, metric->version);
    query_bind_text(query, definition->name);
    query_bind_text(query, folded);
    query_bind_text(query, metric_type_names[definition->kind]);
    query_bind_json(query, document);
    query_bind_text(query, metric->updated_at);
    query_bind_text(query, metric->id);
    error = query_end(query, call->problem);
    if (!error)
        error = add_version(call, metric, document);
    return error ? error : named_record(call, "metric.update", definition->name);
}

static bool same_text(const char *one, const char *other)
{
    return one && other ? strcmp(one, other) == 0 : one == other;
}

static bool same_livedata(const struct metric_definition *one,
                          const struct metric_definition *other)
{
    const struct metric_livedata *left = one->livedata, *right = other->livedata;

    if (!left || !right)
        return left == right;
    return same_text(left->entity_type, right->entity_type) &&
           same_text(left->user_column, right->user_column) &&
           same_text(left->value_column, right->value_column) &&
           same_text(left->time_column, right->time_column) && one->kind == other->kind &&
           same_text(one->event_name, other->event_name);
}

/* Experiments have recorded rows under what the definition says. */
static enum error check_livedata(const struct project_call *call,
                                 const struct metric_definition *before,
                                 const struct metric_definition *definition)
{
    if (same_livedata(before, definition))
        return ERROR_NONE;
    return problem_set(call->problem, ERROR_CONFLICT, "metric_source_fixed",
                       "livedata: the rows of a metric, its kind and its event_name stay as they "
                       "are; make another metric");
}

static enum error change(const struct project_call *call, const char *id, int64_t version,
                         const struct metric_definition *definition)
{
    struct catalog_metric metric;
    const char *document = written(call, definition);
    enum error error = fetch(call, &lock_metric, id, &metric);

    if (!error && version != METRIC_ANY_VERSION && metric.version != version)
        error = problem_set(call->problem, ERROR_CONFLICT, "metric_changed",
                            "The metric has changed since it was read: its version is %lld",
                            (long long)metric.version);
    if (!error)
        error = check_livedata(call, metric.definition, definition);
    if (error || strcmp(written(call, metric.definition), document) == 0)
        return error;
    return replace(call, &metric, definition, document);
}

enum error catalog_update(const struct project_call *call, const char *id, int64_t version,
                          const struct metric_definition *definition, struct catalog_metric *metric)
{
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    if (error)
        return error;
    error = db_lock(call->db, "catalog_metrics", call->problem); /* names stay unique */
    if (!error)
        error = change(call, id, version, definition);
    if (!error)
        error = fetch(call, &read_metric, id, metric);
    return db_finish(call->db, error, call->problem);
}

static enum error delete_row(const struct project_call *call, const struct catalog_metric *metric)
{
    struct query *query;
    enum error error;

    if (metric->use_count > 0)
        return problem_set(call->problem, ERROR_CONFLICT, "metric_in_use",
                           "%lld projects were planned with the metric",
                           (long long)metric->use_count);
    query = db_query(call->db, &delete_metric);
    query_bind_text(query, metric->id);
    error = query_end(query, call->problem);
    if (!error)
        error = template_forget_metric(call, metric->id);
    return error ? error : named_record(call, "metric.delete", metric->definition->name);
}

enum error catalog_delete(const struct project_call *call, const char *id)
{
    struct catalog_metric metric;
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    if (error)
        return error;
    error = db_lock(call->db, "catalog_metrics", call->problem);
    if (!error)
        error = fetch(call, &read_metric, id, &metric);
    if (!error)
        error = delete_row(call, &metric);
    return db_finish(call->db, error, call->problem);
}
