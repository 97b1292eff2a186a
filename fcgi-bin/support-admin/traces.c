/* Looking at answers afterwards: what happened in each step, what evaluators said. */
#include "support-admin/traces.h"
#include "db/store.h"
#include "support/accounts/audit.h"
#include "support/metrics.h"
#include "support/service.h"
#include "support/tools.h"
#include "support/traces/evaluator_switch.h"
#include "support/traces/metrics_snapshot.h"
#include "support/traces/readable.h"

#include <string.h>

enum { DAYS_MAX = 3650, TREND_DAYS_MAX = 365, WORST_MAX = 100, LIST_MAX = 500, UTF8_BYTES_MAX = 4 };

struct traces_query {
    const char *q, *route;
    int64_t limit, offset;
};

#define OWNER struct traces_query
static const struct field traces_query_fields[] = {
    STRING(OWNER, q, .default_text = "", .max_length = 200,
           .help = "Text that the question or the answer contains."),
    STRING(OWNER, route, .default_text = "", .max_length = 30),
    INTEGER(OWNER, limit, .default_value = 50,
            .help = "1 to 500; others are brought into that range."),
    INTEGER(OWNER, offset, .lower = AT_LEAST(0), .default_value = 0)};
#undef OWNER
SCHEMA(traces_query_schema, struct traces_query, "TracesQuery", traces_query_fields);

struct traces_reply {
    OBJECT_LIST(struct trace_row, traces);
    int64_t total;
};

#define OWNER struct traces_reply
static const struct field traces_fields[] = {OBJECTS(OWNER, traces, trace_row_schema),
                                             INTEGER(OWNER, total)};
#undef OWNER
SCHEMA(traces_schema, struct traces_reply, "Traces", traces_fields);

struct step {
    int64_t order;
    const char *node;
    json_t *state;
    const char *ts;
};

#define OWNER struct step
static const struct field step_fields[] = {INTEGER(OWNER, order), STRING(OWNER, node),
                                           JSON_OBJECT(OWNER, state, .nullable = true),
                                           STRING(OWNER, ts)};
#undef OWNER
static SCHEMA(step_schema, struct step, "TraceStep", step_fields);

struct evaluation_entry {
    const char *trace_id, *evaluator_name;
    double score;
    const char *verdict;
    json_t *metadata;
    const char *evaluated_at, *question;
};

#define OWNER struct evaluation_entry
static const struct field evaluation_fields[] = {
    STRING(OWNER, evaluator_name), NUMBER(OWNER, score),
    STRING(OWNER, verdict),        JSON_OBJECT(OWNER, metadata, .nullable = true),
    STRING(OWNER, evaluated_at),
};
static const struct field worst_item_fields[] = {
    STRING(OWNER, trace_id),     NUMBER(OWNER, score),
    STRING(OWNER, verdict),      JSON_OBJECT(OWNER, metadata, .nullable = true),
    STRING(OWNER, evaluated_at), STRING(OWNER, question, .nullable = true),
};
#undef OWNER
static SCHEMA(evaluation_schema, struct evaluation_entry, "TraceEvaluation", evaluation_fields);
static SCHEMA(worst_item_schema, struct evaluation_entry, "WorstTrace", worst_item_fields);

struct trace_reply {
    const char *trace_id, *started_at, *finished_at;
    OBJECT_LIST(struct step, steps);
    OBJECT_LIST(struct trace_vote, feedback);
    const char *tenant_id, *session_id, *request_id, *final_route;
    struct optional_integer final_quality;
    struct optional_number final_relevance, duration_ms;
    double cost_usd;
    const char *question, *answer;
    OBJECT_LIST(struct evaluation_entry, evaluations);
    bool withheld;
};

#define OWNER struct trace_reply
static const struct field trace_fields[] = {
    STRING(OWNER, trace_id),
    STRING(OWNER, started_at),
    STRING(OWNER, finished_at, .nullable = true),
    OBJECTS(OWNER, steps, step_schema),
    OBJECTS(OWNER, feedback, trace_vote_schema),
    STRING(OWNER, tenant_id),
    STRING(OWNER, session_id, .nullable = true),
    STRING(OWNER, request_id, .nullable = true),
    STRING(OWNER, final_route, .nullable = true),
    NULLABLE_INTEGER(OWNER, final_quality),
    NULLABLE_NUMBER(OWNER, final_relevance),
    NULLABLE_NUMBER(OWNER, duration_ms),
    NUMBER(OWNER, cost_usd),
    STRING(OWNER, question),
    STRING(OWNER, answer, .nullable = true),
    OBJECTS(OWNER, evaluations, evaluation_schema),
    BOOLEAN(OWNER, withheld,
            .help = "It used a document that the caller may not read: without answer, steps and "
                    "evaluations."),
};
#undef OWNER
SCHEMA(trace_schema, struct trace_reply, "Trace", trace_fields);

struct purge_query {
    int64_t older_than_days;
};

#define OWNER struct purge_query
static const struct field purge_query_fields[] = {
    INTEGER(OWNER, older_than_days, .default_value = 30, .help = "0 deletes nothing.")};
#undef OWNER
SCHEMA(purge_query_schema, struct purge_query, "PurgeQuery", purge_query_fields);

#define OWNER struct purge_query
static const struct field audit_purge_query_fields[] = {
    INTEGER(OWNER, older_than_days, .default_value = 90, .help = "0 deletes nothing.")};
#undef OWNER
SCHEMA(audit_purge_query_schema, struct purge_query, "AuditPurgeQuery", audit_purge_query_fields);

struct audit_purged {
    int64_t deleted;
};

#define OWNER struct audit_purged
static const struct field audit_purged_fields[] = {INTEGER(OWNER, deleted)};
#undef OWNER
SCHEMA(audit_purged_schema, struct audit_purged, "AuditPurged", audit_purged_fields);

struct traces_purged {
    int64_t traces_deleted, steps_deleted, feedback_deleted;
};

#define OWNER struct traces_purged
static const struct field traces_purged_fields[] = {INTEGER(OWNER, traces_deleted),
                                                    INTEGER(OWNER, steps_deleted),
                                                    INTEGER(OWNER, feedback_deleted)};
#undef OWNER
SCHEMA(traces_purged_schema, struct traces_purged, "TracesPurged", traces_purged_fields);

struct trend_query {
    const char *evaluator;
    int64_t days;
};

#define OWNER struct trend_query
static const struct field trend_query_fields[] = {
    STRING(OWNER, evaluator, .required = true, .min_length = 1, .max_length = 64),
    INTEGER(OWNER, days, .default_value = 30)};
#undef OWNER
SCHEMA(trend_query_schema, struct trend_query, "TrendQuery", trend_query_fields);

struct trend_reply {
    const char *evaluator;
    int64_t days;
    OBJECT_LIST(struct trend_point, points);
};

#define OWNER struct trend_reply
static const struct field trend_fields[] = {STRING(OWNER, evaluator), INTEGER(OWNER, days),
                                            OBJECTS(OWNER, points, trend_point_schema)};
#undef OWNER
SCHEMA(trend_schema, struct trend_reply, "Trend", trend_fields);

struct worst_query {
    const char *evaluator;
    int64_t limit;
};

#define OWNER struct worst_query
static const struct field worst_query_fields[] = {
    STRING(OWNER, evaluator, .required = true, .min_length = 1, .max_length = 64),
    INTEGER(OWNER, limit, .default_value = 20)};
#undef OWNER
SCHEMA(worst_query_schema, struct worst_query, "WorstQuery", worst_query_fields);

struct worst_reply {
    const char *evaluator;
    int64_t limit;
    OBJECT_LIST(struct evaluation_entry, items);
};

#define OWNER struct worst_reply
static const struct field worst_fields[] = {STRING(OWNER, evaluator), INTEGER(OWNER, limit),
                                            OBJECTS(OWNER, items, worst_item_schema)};
#undef OWNER
SCHEMA(worst_schema, struct worst_reply, "Worst", worst_fields);

struct latency_metrics {
    struct optional_number p50_sec;
    struct optional_number p95_sec;
    struct optional_number p99_sec;
    const char *window;
};

#define OWNER struct latency_metrics
static const struct field latency_metrics_fields[] = {
    NULLABLE_NUMBER(OWNER, p50_sec), NULLABLE_NUMBER(OWNER, p95_sec),
    NULLABLE_NUMBER(OWNER, p99_sec), STRING(OWNER, window)};
#undef OWNER
static SCHEMA(latency_metrics_schema, struct latency_metrics, "LatencyMetrics",
              latency_metrics_fields);

struct escalation_metrics {
    int64_t total_traces;
    int64_t escalated;
    struct optional_number rate_pct;
    const char *window;
};

#define OWNER struct escalation_metrics
static const struct field escalation_metrics_fields[] = {
    INTEGER(OWNER, total_traces), INTEGER(OWNER, escalated), NULLABLE_NUMBER(OWNER, rate_pct),
    STRING(OWNER, window)};
#undef OWNER
static SCHEMA(escalation_metrics_schema, struct escalation_metrics, "EscalationMetrics",
              escalation_metrics_fields);

struct quality_metrics {
    int64_t scored_traces;
    struct optional_number avg_quality;
    struct optional_number low_quality_share_pct;
    const char *window;
};

#define OWNER struct quality_metrics
static const struct field quality_metrics_fields[] = {
    INTEGER(OWNER, scored_traces), NULLABLE_NUMBER(OWNER, avg_quality),
    NULLABLE_NUMBER(OWNER, low_quality_share_pct), STRING(OWNER, window)};
#undef OWNER
static SCHEMA(quality_metrics_schema, struct quality_metrics, "QualityMetrics",
              quality_metrics_fields);

struct errors_metrics {
    int64_t total_started;
    int64_t likely_failed;
    struct optional_number likely_failure_rate_pct;
    int64_t failed;
    const char *window;
};

#define OWNER struct errors_metrics
static const struct field errors_metrics_fields[] = {
    INTEGER(OWNER, total_started), INTEGER(OWNER, likely_failed),
    NULLABLE_NUMBER(OWNER, likely_failure_rate_pct), INTEGER(OWNER, failed), STRING(OWNER, window)};
#undef OWNER
static SCHEMA(errors_metrics_schema, struct errors_metrics, "ErrorsMetrics", errors_metrics_fields);

struct feedback_metrics {
    int64_t total;
    int64_t thumbs_down;
    struct optional_number thumbs_down_rate_pct;
    const char *window;
};

#define OWNER struct feedback_metrics
static const struct field feedback_metrics_fields[] = {
    INTEGER(OWNER, total), INTEGER(OWNER, thumbs_down),
    NULLABLE_NUMBER(OWNER, thumbs_down_rate_pct), STRING(OWNER, window)};
#undef OWNER
static SCHEMA(feedback_metrics_schema, struct feedback_metrics, "FeedbackMetrics",
              feedback_metrics_fields);

struct metrics_reply {
    const struct latency_metrics *latency;
    const struct escalation_metrics *escalation;
    const struct quality_metrics *quality;
    const struct errors_metrics *errors;
    const struct feedback_metrics *feedback;
    const char *generated_at;
};

#define OWNER struct metrics_reply
static const struct field metrics_fields[] = {
    OBJECT(OWNER, latency, latency_metrics_schema),
    OBJECT(OWNER, escalation, escalation_metrics_schema),
    OBJECT(OWNER, quality, quality_metrics_schema),
    OBJECT(OWNER, errors, errors_metrics_schema),
    OBJECT(OWNER, feedback, feedback_metrics_schema),
    STRING(OWNER, generated_at),
};
#undef OWNER
SCHEMA(metrics_schema, struct metrics_reply, "Metrics", metrics_fields);

struct audit_query {
    int64_t limit;
    const char *actor, *action;
};

#define OWNER struct audit_query
static const struct field audit_query_fields[] = {
    INTEGER(OWNER, limit, .default_value = 50),
    STRING(OWNER, actor, .nullable = true, .max_length = 100),
    STRING(OWNER, action, .nullable = true, .max_length = 50)};
#undef OWNER
SCHEMA(audit_query_schema, struct audit_query, "AuditQuery", audit_query_fields);

struct audit_reply {
    OBJECT_LIST(struct audit_row, entries);
};

#define OWNER struct audit_reply
static const struct field audit_fields[] = {OBJECTS(OWNER, entries, audit_row_schema)};
#undef OWNER
SCHEMA(audit_schema, struct audit_reply, "Audit", audit_fields);

static int64_t clamp(int64_t value, int64_t most)
{
    return value < 1 ? 1 : value > most ? most : value;
}

static enum error bad_parameter(struct request *request, const char *text)
{
    return problem_set(&request->problem, ERROR_INVALID, "bad_parameter", "%s", text);
}

enum error traces_handle(struct request *request, struct reply *reply)
{
    const struct traces_query *query = request->query;
    struct traces_reply *object = ARENA_NEW(request->arena, struct traces_reply);
    struct service_tools tools;
    enum error error = service_tools(request, &tools);

    if (!error)
        error = trace_list(&tools.traces,
                           &(struct trace_filter){query->q, query->route,
                                                  clamp(query->limit, LIST_MAX), query->offset},
                           &object->traces, &object->total);
    reply->object = object;
    return error;
}

/* `^[A-Za-z0-9-]{8,64}$` */
static bool is_trace_id(const char *text)
{
    size_t length = strlen(text);

    return length >= 8 && length <= 64 &&
           strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-") ==
               length;
}

static struct object_list as_steps(struct request *request, const struct object_list *rows)
{
    struct step *steps = ARENA_ARRAY(request->arena, struct step, rows->count + 1);

    for (size_t i = 0; i < rows->count; i++) {
        const struct trace_step_row *row = &((const struct trace_step_row *)rows->items)[i];

        steps[i] = (struct step){.order = row->order,
                                 .node = row->node,
                                 .state = service_json(request, row->state),
                                 .ts = row->ts};
    }
    return (struct object_list){rows->count, steps};
}

static struct object_list as_evaluations(struct request *request, const struct object_list *rows)
{
    struct evaluation_entry *entries =
        ARENA_ARRAY(request->arena, struct evaluation_entry, rows->count + 1);

    for (size_t i = 0; i < rows->count; i++) {
        const struct trace_evaluation_row *row =
            &((const struct trace_evaluation_row *)rows->items)[i];

        entries[i] = (struct evaluation_entry){.trace_id = row->trace_id,
                                               .evaluator_name = row->evaluator_name,
                                               .score = row->score,
                                               .verdict = row->verdict,
                                               .metadata = service_json(request, row->metadata),
                                               .evaluated_at = row->evaluated_at,
                                               .question = row->question};
    }
    return (struct object_list){rows->count, entries};
}

enum error trace_handle(struct request *request, struct reply *reply)
{
    const char *id = request->arguments[0];
    struct trace_reply *object = ARENA_NEW(request->arena, struct trace_reply);
    struct object_list steps, votes, evaluations;
    struct service_tools tools;
    struct trace_row row;
    bool readable = false;
    enum error error;

    if (!is_trace_id(id))
        return bad_parameter(request, "invalid trace_id format");
    error = service_tools(request, &tools);
    if (!error)
        error = trace_find(&tools.traces, id, &row);
    if (!error)
        error = trace_steps(&tools.traces, id, &steps);
    if (!error)
        error = trace_votes(&tools.traces, id, &votes);
    if (!error)
        error = trace_evaluations(&tools.traces, id, &evaluations);
    if (!error)
        error = readable_trace(&tools.documents, id, &readable);
    if (error)
        return error;
    if (!readable)
        steps = evaluations = (struct object_list){0};
    *object = (struct trace_reply){.trace_id = row.trace_id,
                                   .started_at = row.started_at,
                                   .finished_at = row.finished_at,
                                   .steps = as_steps(request, &steps),
                                   .feedback = votes,
                                   .tenant_id = tools.traces.tenant,
                                   .session_id = row.session_id,
                                   .request_id = row.request_id,
                                   .final_route = row.final_route,
                                   .final_quality = row.final_quality,
                                   .final_relevance = row.final_relevance,
                                   .duration_ms = row.duration_ms,
                                   .cost_usd = row.cost_usd,
                                   .question = row.question,
                                   .answer = readable ? row.answer : NULL,
                                   .evaluations = as_evaluations(request, &evaluations),
                                   .withheld = !readable};
    reply->object = object;
    return ERROR_NONE;
}

static enum error check_clock(struct request *request)
{
    const struct support_settings *settings = service_settings(request);

    return clock_check(settings->state_directory, "support", &settings->clock, &request->problem);
}

enum error traces_purge_handle(struct request *request, struct reply *reply)
{
    const struct purge_query *query = request->query;
    struct traces_purged *object = ARENA_NEW(request->arena, struct traces_purged);
    struct service_tools tools;
    struct purge_counts counts;
    enum error error;

    if (query->older_than_days < 0 || query->older_than_days > DAYS_MAX)
        return bad_parameter(request, "older_than_days must be in [0, 3650]");
    error = service_tools(request, &tools);
    if (!error)
        error = check_clock(request);
    if (!error)
        error = trace_purge(tools.traces.db, tools.traces.tenant, query->older_than_days, &counts,
                            &request->problem);
    if (error)
        return error;
    *object = (struct traces_purged){.traces_deleted = counts.traces,
                                     .steps_deleted = counts.steps,
                                     .feedback_deleted = counts.feedback};
    trace_count_purged(request->server->metrics, &counts);
    service_audit(
        request, "trace_purge",
        arena_print(request->arena, "traces/older_than=%lldd", (long long)query->older_than_days),
        arena_print(request->arena, "{\"traces\":%lld,\"steps\":%lld,\"feedback\":%lld}",
                    (long long)counts.traces, (long long)counts.steps, (long long)counts.feedback));
    reply->object = object;
    return ERROR_NONE;
}

enum error audit_purge_handle(struct request *request, struct reply *reply)
{
    const struct purge_query *query = request->query;
    struct audit_purged *object = ARENA_NEW(request->arena, struct audit_purged);
    struct service_tools tools;
    enum error error;

    if (query->older_than_days < 0 || query->older_than_days > DAYS_MAX)
        return bad_parameter(request, "older_than_days must be in [0, 3650]");
    error = service_tools(request, &tools);
    if (!error)
        error = check_clock(request);
    if (!error)
        error = audit_purge(tools.traces.db, tools.traces.tenant, query->older_than_days,
                            &object->deleted, &request->problem);
    if (error)
        return error;
    metric_add(request->server->metrics, METRIC_AUDIT_PURGED, NULL, (double)object->deleted);
    service_audit(
        request, "audit_purge",
        arena_print(request->arena, "audit/older_than=%lldd", (long long)query->older_than_days),
        arena_print(request->arena, "{\"deleted\":%lld}", (long long)object->deleted));
    reply->object = object;
    return ERROR_NONE;
}

/* The operator, an administrator of the tenant `default`, sees the evaluations of all. */
static void widen(const struct request *request, struct trace_call *call)
{
    if (request->who.role == SUPPORT_ADMIN && strcmp(call->tenant, "default") == 0)
        call->tenant = NULL;
}

/* Whether evaluations of this name are shown: not if all, or this one, are switched off. */
static enum error is_shown(const struct request *request, const struct trace_call *call,
                           const char *evaluator, bool *shown)
{
    enum error error = ERROR_NONE;

    *shown = service_settings(request)->online_evaluators;
    if (*shown)
        error = evaluator_is_on(call, evaluator, shown);
    return error;
}

enum error trend_handle(struct request *request, struct reply *reply)
{
    const struct trend_query *query = request->query;
    struct trend_reply *object = ARENA_NEW(request->arena, struct trend_reply);
    struct service_tools tools;
    bool shown = false;
    enum error error;

    if (query->days < 1 || query->days > TREND_DAYS_MAX)
        return bad_parameter(request, "days must be in [1, 365]");
    error = service_tools(request, &tools);
    *object = (struct trend_reply){.evaluator = query->evaluator, .days = query->days};
    if (!error)
        error = is_shown(request, &tools.traces, query->evaluator, &shown);
    widen(request, &tools.traces);
    if (!error && shown)
        error = trace_trend(&tools.traces, query->evaluator, query->days, &object->points);
    reply->object = object;
    return error;
}

enum error worst_handle(struct request *request, struct reply *reply)
{
    const struct worst_query *query = request->query;
    struct worst_reply *object = ARENA_NEW(request->arena, struct worst_reply);
    struct service_tools tools;
    struct object_list rows = {0};
    bool shown = false;
    enum error error;

    if (query->limit < 1 || query->limit > WORST_MAX)
        return bad_parameter(request, "limit must be in [1, 100]");
    error = service_tools(request, &tools);
    if (!error)
        error = is_shown(request, &tools.traces, query->evaluator, &shown);
    widen(request, &tools.traces);
    if (!error && shown)
        error = trace_worst(&tools.traces, query->evaluator, query->limit, &rows);
    if (error)
        return error;
    *object = (struct worst_reply){.evaluator = query->evaluator,
                                   .limit = query->limit,
                                   .items = as_evaluations(request, &rows)};
    reply->object = object;
    return ERROR_NONE;
}

/* The metrics of each window. */
static void set_metrics(struct arena *arena, struct metrics_reply *reply,
                        const struct metrics_snapshot *s)
{
    struct latency_metrics *latency = ARENA_NEW(arena, struct latency_metrics);
    struct escalation_metrics *escalation = ARENA_NEW(arena, struct escalation_metrics);
    struct quality_metrics *quality = ARENA_NEW(arena, struct quality_metrics);
    struct errors_metrics *errors = ARENA_NEW(arena, struct errors_metrics);
    struct feedback_metrics *feedback = ARENA_NEW(arena, struct feedback_metrics);

    *latency = (struct latency_metrics){
        .p50_sec = s->p50_sec, .p95_sec = s->p95_sec, .p99_sec = s->p99_sec, .window = "24h"};
    *escalation = (struct escalation_metrics){.total_traces = s->total_traces,
                                              .escalated = s->escalated,
                                              .rate_pct = s->escalation_rate_pct,
                                              .window = "24h"};
    *quality = (struct quality_metrics){.scored_traces = s->scored_traces,
                                        .avg_quality = s->avg_quality,
                                        .low_quality_share_pct = s->low_quality_share_pct,
                                        .window = "7d"};
    *errors = (struct errors_metrics){.total_started = s->total_started,
                                      .likely_failed = s->likely_failed,
                                      .likely_failure_rate_pct = s->likely_failure_rate_pct,
                                      .failed = s->failed,
                                      .window = "24h"};
    *feedback = (struct feedback_metrics){.total = s->votes,
                                          .thumbs_down = s->thumbs_down,
                                          .thumbs_down_rate_pct = s->thumbs_down_rate_pct,
                                          .window = "7d"};
    reply->latency = latency;
    reply->escalation = escalation;
    reply->quality = quality;
    reply->errors = errors;
    reply->feedback = feedback;
}

enum error metrics_handle(struct request *request, struct reply *reply)
{
    struct metrics_reply *object = ARENA_NEW(request->arena, struct metrics_reply);
    struct metrics_snapshot snapshot;
    struct service_tools tools;
    enum error error = service_tools(request, &tools);

    if (!error)
        error = metrics_snapshot(&tools.traces, &snapshot);
    if (error)
        return error;
    set_metrics(request->arena, object, &snapshot);
    object->generated_at = store_now(request->arena);
    reply->object = object;
    return ERROR_NONE;
}

/* Takes the names and groups of documents that the caller may not read; a name that was cut counts
 * as one of them. */
static void hide_documents(const struct document_reader *reader, const struct object_list *entries)
{
    static const char prefix[] = "document:";
    const size_t length = sizeof prefix - 1, whole = AUDIT_RESOURCE_BYTES - UTF8_BYTES_MAX;
    struct audit_row *rows = entries->items;

    for (size_t i = 0; reader && i < entries->count; i++) {
        const char *resource = rows[i].resource;

        if (strncmp(resource, prefix, length) != 0 ||
            (strlen(resource) <= whole && !document_is_hidden(reader, resource + length)))
            continue;
        rows[i].resource = prefix;
        rows[i].detail = NULL;
    }
}

enum error audit_handle(struct request *request, struct reply *reply)
{
    const struct audit_query *query = request->query;
    struct audit_reply *object = ARENA_NEW(request->arena, struct audit_reply);
    struct service_tools tools;
    enum error error = service_tools(request, &tools);

    if (!error)
        error = audit_read(tools.traces.db, request->arena, tools.traces.tenant, query->actor,
                           query->action, clamp(query->limit, LIST_MAX), &object->entries,
                           &request->problem);
    if (!error)
        hide_documents(tools.documents.reader, &object->entries);
    reply->object = object;
    return error;
}
