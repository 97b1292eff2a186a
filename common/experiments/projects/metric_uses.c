/* SQL of the uses of metrics. */
#include "experiments/projects/metric_uses.h"
#include "db/query.h"

#include <string.h>

static const struct statement forget_use = {
    .name = "metric_use_forget",
    .sql = "DELETE FROM catalog_metric_uses WHERE project_id = ?",
};
static const struct statement note_use = {
    .name = "metric_use_note",
    .sql = "INSERT INTO catalog_metric_uses (project_id, metric_id, version)"
           " SELECT ?, metric_id, version FROM catalog_metric_versions"
           " WHERE metric_id = ? AND version = ?",
};

/* The name of the events of a metric whose events are rows of live data. */
static const struct statement livedata_event = {
    .name = "metric_use_livedata",
    .sql = "SELECT definition ->> 'event_name' FROM catalog_metric_versions WHERE metric_id = ?"
           " AND version = ? AND definition -> 'livedata' ->> 'entity_type' IS NOT NULL",
};

/* Whether rows were read under the name for another metric. */
static const struct statement same_event = {
    .name = "metric_use_same_event",
    .sql = "SELECT 1 FROM experiment_sources WHERE project_id = ? AND metric_id <> ?"
           " AND event_name = ? AND rows_read > 0",
};

static enum error refuse_design(const struct project_call *call, const char *field,
                                const char *needed)
{
    return problem_set(call->problem, ERROR_INVALID, "livedata_metric_design",
                       "metrics.%s: the metric is read from live data, so it must be %s", field,
                       needed);
}

/* Values of two metrics under one name would be added up. */
static enum error check_event(const struct project_call *call, const char *project_id,
                              const char *metric_id, const char *event)
{
    struct query *query = db_query(call->db, &same_event);
    enum error error;
    bool taken;

    query_bind_text(query, project_id);
    query_bind_text(query, metric_id);
    query_bind_text(query, event);
    taken = query_next(query);
    error = query_end(query, call->problem);
    if (error || !taken)
        return error;
    return problem_set(call->problem, ERROR_CONFLICT, "livedata_event_taken",
                       "metrics.catalog_metric: rows of another metric were recorded as %s in this "
                       "experiment; take a metric with another event_name, or delete its events "
                       "first",
                       event);
}

/* Rows of live data are recorded under one name, for users after their exposure. */
static enum error check_livedata(const struct project_call *call, const char *project_id,
                                 const struct payload_metrics *metrics)
{
    struct query *query = db_query(call->db, &livedata_event);
    const char *event = NULL;
    enum error error;

    query_bind_text(query, metrics->catalog_metric->id);
    query_bind_integer(query, metrics->catalog_metric->version);
    if (query_next(query))
        event = query_text(query, 0, call->arena);
    error = query_end(query, call->problem);
    if (error || !event)
        return error;
    if (strcmp(metrics->primary_metric_name, event) != 0)
        return refuse_design(call, "primary_metric_name", event);
    if (metrics->conversion_window != WINDOW_AFTER_EXPOSURE)
        return refuse_design(call, "conversion_window", "after_exposure");
    return check_event(call, project_id, metrics->catalog_metric->id, event);
}

static enum error forget(const struct project_call *call, const char *project_id)
{
    struct query *query = db_query(call->db, &forget_use);

    query_bind_text(query, project_id);
    return query_end(query, call->problem);
}

static bool is_named(const struct payload_catalog_metric *metric,
                     const struct experiment_payload *design)
{
    const struct payload_catalog_metric *named = design ? design->metrics->catalog_metric : NULL;

    return named && named->version == metric->version && strcmp(named->id, metric->id) == 0;
}

enum error metric_use_note(const struct project_call *call, const char *project_id,
                           const struct experiment_payload *payload,
                           const struct experiment_payload *before)
{
    const struct payload_catalog_metric *named = payload->metrics->catalog_metric;
    enum error error = forget(call, project_id);
    struct query *query;
    int64_t noted;

    if (error || !named)
        return error;
    query = db_query(call->db, &note_use);
    query_bind_text(query, project_id);
    query_bind_text(query, named->id);
    query_bind_integer(query, named->version);
    noted = query_changes(query);
    error = query_end(query, call->problem);
    if (!error && noted)
        error = check_livedata(call, project_id, payload->metrics);
    if (!error && noted == 0 && !is_named(named, before))
        error = problem_set(call->problem, ERROR_INVALID, "catalog_metric_unknown",
                            "metrics.catalog_metric: the catalog has no version %lld of metric %s",
                            (long long)named->version, named->id);
    return error;
}
