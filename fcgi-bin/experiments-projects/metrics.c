/* The catalog of metrics over HTTP: handlers and schemas. */
#include "experiments-projects/metrics.h"
#include "base/clock.h"
#include "experiments/live_results/source.h"
#include "experiments/service.h"

#include <stdlib.h>

enum { SEARCH_MAX_LENGTH = 200, LIST_LIMIT_MAX = 200 };

struct metrics_query {
    const char *q;
    int kind; /* enum metric_type, -1 = all */
    int64_t limit;
    int64_t offset;
};

struct metrics_reply {
    OBJECT_LIST(struct catalog_metric, metrics);
    int64_t total;
};

/* How far a project has read the rows of a metric from live data. */
struct metric_source {
    const char *project_id;
    const struct live_source_block *source;
};

/* One metric with all that belongs to it. */
struct metric_reply {
    const struct catalog_metric *metric;
    const struct metric_defaults *defaults;
    OBJECT_LIST(struct metric_version, versions);
    OBJECT_LIST(struct metric_use, uses);
    OBJECT_LIST(struct metric_source, sources);
};

struct metric_deleted {
    const char *id;
    bool deleted;
};

#define OWNER struct metrics_query
static const struct field query_fields[] = {
    STRING(OWNER, q, .nullable = true, .max_length = SEARCH_MAX_LENGTH, .help = "Part of a name."),
    CHOICE(OWNER, kind, metric_type_names, .choice_count = METRIC__MAX, .nullable = true),
    INTEGER(OWNER, limit, .lower = AT_LEAST(1), .upper = AT_MOST(LIST_LIMIT_MAX),
            .default_value = 100),
    INTEGER(OWNER, offset, .lower = AT_LEAST(0)),
};
#undef OWNER
SCHEMA(metrics_query_schema, struct metrics_query, "MetricsQuery", query_fields);

#define OWNER struct metrics_reply
static const struct field list_fields[] = {
    OBJECTS(OWNER, metrics, catalog_metric_schema, .help = "By name."),
    INTEGER(OWNER, total),
};
#undef OWNER
SCHEMA(metrics_reply_schema, struct metrics_reply, "CatalogMetricList", list_fields,
       .help = "Metrics of the catalog.");

#define OWNER struct metric_source
static const struct field source_fields[] = {
    STRING(OWNER, project_id),
    OBJECT(OWNER, source, live_source_schema),
};
#undef OWNER
static SCHEMA(metric_source_schema, struct metric_source, "CatalogMetricSource", source_fields);

#define OWNER struct metric_reply
static const struct field reply_fields[] = {
    OBJECT(OWNER, metric, catalog_metric_schema),
    OBJECT(OWNER, defaults, metric_defaults_schema),
    OBJECTS(OWNER, versions, metric_version_schema, .help = "Newest first, at most 200."),
    OBJECTS(OWNER, uses, metric_use_schema, .help = "At most 500; metric.use_count has all."),
    OBJECTS(OWNER, sources, metric_source_schema,
            .help = "Of a metric from live data, by project: watermark and freshness, as "
                    "`livedata` in its live statistics. At most 500."),
};
#undef OWNER
SCHEMA(metric_reply_schema, struct metric_reply, "CatalogMetricReply", reply_fields,
       .help = "A metric with its versions and the projects that use it.");

#define OWNER struct metric_deleted
static const struct field deleted_fields[] = {STRING(OWNER, id), BOOLEAN(OWNER, deleted)};
#undef OWNER
SCHEMA(metric_deleted_schema, struct metric_deleted, "CatalogMetricDeleted", deleted_fields,
       .help = "The metric is gone.");

static enum error begin(struct request *request, struct project_call *call)
{
    *call = (struct project_call){
        .arena = request->arena, .actor = service_actor(request), .problem = &request->problem};
    return service_database(request, &call->db);
}

enum error metrics_list(struct request *request, struct reply *reply)
{
    const struct metrics_query *query = request->query;
    const struct metric_filter filter = {.text = query->q, .kind = query->kind};
    struct metrics_reply *answer = ARENA_NEW(request->arena, struct metrics_reply);
    struct project_page page = {.limit = query->limit, .offset = query->offset};
    struct project_call call;
    enum error error = begin(request, &call);

    if (!error)
        error = catalog_list(&call, &filter, &page);
    *answer = (struct metrics_reply){.metrics = page.items, .total = page.total};
    reply->object = answer;
    return error;
}

/* What each project has read of the metric's rows. */
static enum error read_sources(const struct project_call *call, const char *id,
                               struct object_list *shown)
{
    const struct live_call live = {.db = call->db, .arena = call->arena, .problem = call->problem};
    struct live_source_list found;
    enum error error = live_metric_sources(&live, id, METRIC_USES_MAX, &found);
    struct metric_source *items;

    if (error)
        return error;
    items = ARENA_ARRAY(call->arena, struct metric_source, found.count + 1);
    for (size_t i = 0; i < found.count; i++) {
        const struct live_source *one = &found.items[i];

        items[i].project_id = one->project_id;
        items[i].source =
            live_source_shown(one, live_source_state(one, clock_unix_microseconds()), call->arena);
    }
    *shown = (struct object_list){found.count, items};
    return ERROR_NONE;
}

/* The whole answer about a metric that is stored. */
static enum error compose(const struct project_call *call, const struct catalog_metric *metric,
                          struct reply *reply)
{
    struct metric_reply *answer = ARENA_NEW(call->arena, struct metric_reply);
    struct object_list versions, uses, sources = {0};
    enum error error = catalog_versions(call, metric->id, &versions);

    if (!error)
        error = catalog_uses(call, metric->id, &uses);
    if (!error && metric->definition->livedata)
        error = read_sources(call, metric->id, &sources);
    if (error)
        return error;
    *answer = (struct metric_reply){.metric = metric,
                                    .defaults = metric_defaults_of(metric->definition, metric->id,
                                                                   metric->version, call->arena),
                                    .versions = versions,
                                    .uses = uses,
                                    .sources = sources};
    reply->object = answer;
    return ERROR_NONE;
}

enum error metrics_read(struct request *request, struct reply *reply)
{
    struct catalog_metric *metric = ARENA_NEW(request->arena, struct catalog_metric);
    struct project_call call;
    enum error error = begin(request, &call);

    if (!error)
        error = catalog_read(&call, request->arguments[0], metric);
    return error ? error : compose(&call, metric, reply);
}

enum error metrics_create(struct request *request, struct reply *reply)
{
    struct catalog_metric *metric = ARENA_NEW(request->arena, struct catalog_metric);
    struct project_call call;
    enum error error = begin(request, &call);

    if (!error)
        error = db_begin(call.db, DB_WRITE, call.problem); /* what cannot be told is not kept */
    if (error)
        return error;
    error = catalog_create(&call, request->body, service_settings(request)->max_metrics, metric);
    if (!error)
        error = compose(&call, metric, reply);
    return db_finish(call.db, error, call.problem);
}

/* The version in If-Match, quoted or not; METRIC_ANY_VERSION where there is none. */
static int64_t version_of(struct request *request)
{
    const char *tag = request_header(request, "HTTP_IF_MATCH");

    if (!tag)
        return METRIC_ANY_VERSION;
    return strtoll(tag + (*tag == '"'), NULL, 10);
}

enum error metrics_update(struct request *request, struct reply *reply)
{
    struct catalog_metric *metric = ARENA_NEW(request->arena, struct catalog_metric);
    struct project_call call;
    enum error error = begin(request, &call);

    if (!error)
        error = db_begin(call.db, DB_WRITE, call.problem);
    if (error)
        return error;
    error =
        catalog_update(&call, request->arguments[0], version_of(request), request->body, metric);
    if (!error)
        error = compose(&call, metric, reply);
    return db_finish(call.db, error, call.problem);
}

enum error metrics_delete(struct request *request, struct reply *reply)
{
    struct metric_deleted *answer = ARENA_NEW(request->arena, struct metric_deleted);
    struct project_call call;
    enum error error = begin(request, &call);

    if (!error)
        error = catalog_delete(&call, request->arguments[0]);
    *answer = (struct metric_deleted){.id = request->arguments[0], .deleted = true};
    reply->object = answer;
    return error;
}
