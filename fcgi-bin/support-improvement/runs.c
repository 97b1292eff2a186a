/* Regression runs over HTTP: starts a run, shows its progress and its report. */
#include "support-improvement/experiments.h"
#include "support-improvement/family.h"
#include "support/candidates/experiment.h"
#include "support/programs/data_files.h"
#include "support/regression/run_store.h"
#include "support/review/review_store.h"

#include <stdlib.h>
#include <string.h>

enum { RUNS_DEFAULT = 20, LABELS_MOST = 10 };

struct run_query {
    const char *baseline;
};

#define OWNER struct run_query
static const struct field run_query_fields[] = {
    STRING(OWNER, baseline, .default_text = "current", .max_length = EXPERIMENT_ID_MAX)};
#undef OWNER
SCHEMA(run_query_schema, struct run_query, "RegressionRunQuery", run_query_fields);

struct run_started {
    const char *job_id, *status;
};

#define OWNER struct run_started
static const struct field run_started_fields[] = {STRING(OWNER, job_id), STRING(OWNER, status)};
#undef OWNER
SCHEMA(run_started_schema, struct run_started, "RegressionRunStarted", run_started_fields);

struct runs_query {
    int64_t limit;
};

#define OWNER struct runs_query
static const struct field runs_query_fields[] = {
    INTEGER(OWNER, limit, .default_value = RUNS_DEFAULT, .help = "Kept between 1 and 100.")};
#undef OWNER
SCHEMA(runs_query_schema, struct runs_query, "RegressionRunsQuery", runs_query_fields);

struct run_entry {
    const char *run_id, *status, *result, *created_at, *baseline, *candidate, *mode;
    struct optional_number candidate_pass_rate;
    struct optional_integer sample_size, cases_done, cases_total;
    const char *report_path, *finished_at, *error;
};

#define OWNER struct run_entry
#define RUN_FIELDS                                                                                 \
    STRING(OWNER, run_id), STRING(OWNER, status), STRING(OWNER, result, .nullable = true),         \
        STRING(OWNER, created_at), STRING(OWNER, baseline), STRING(OWNER, candidate),              \
        STRING(OWNER, mode, .nullable = true), NULLABLE_NUMBER(OWNER, candidate_pass_rate),        \
        NULLABLE_INTEGER(OWNER, sample_size), NULLABLE_INTEGER(OWNER, cases_done),                 \
        NULLABLE_INTEGER(OWNER, cases_total), STRING(OWNER, report_path, .nullable = true),        \
        STRING(OWNER, finished_at, .nullable = true), STRING(OWNER, error, .nullable = true)
static const struct field run_entry_fields[] = {RUN_FIELDS};
#undef OWNER
static SCHEMA(run_entry_schema, struct run_entry, "RegressionRun", run_entry_fields);

struct runs_reply {
    OBJECT_LIST(struct run_entry, runs);
};

#define OWNER struct runs_reply
static const struct field runs_fields[] = {OBJECTS(OWNER, runs, run_entry_schema)};
#undef OWNER
SCHEMA(runs_schema, struct runs_reply, "RegressionRuns", runs_fields);

/* A case whose verdict would help the gate most. */
struct label_next {
    int64_t review_id;
    const char *question;
    double doubt;
    const char *doubt_kind;
};

#define OWNER struct label_next
static const struct field label_fields[] = {
    INTEGER(OWNER, review_id), STRING(OWNER, question, .nullable = true),
    NUMBER(OWNER, doubt, ROUNDED(4), .help = "How unsure the evaluators are; -1: not computed."),
    STRING(OWNER, doubt_kind, .nullable = true)};
#undef OWNER
static SCHEMA(label_schema, struct label_next, "LabelNext", label_fields);

struct run_detail {
    const struct run_entry *run;
    const char *run_id, *status;
    json_t *report;
    const char *report_markdown;
    OBJECT_LIST(struct label_next, label_next);
};

#define OWNER struct run_detail
static const struct field run_fields[] = {
    STRING(OWNER, run_id),
    STRING(OWNER, status),
    OBJECT(OWNER, run, run_entry_schema),
    JSON_OBJECT(OWNER, report, .nullable = true),
    STRING(OWNER, report_markdown, .nullable = true),
    OBJECTS(OWNER, label_next, label_schema,
            .help =
                "If the gate needs more cases: waiting ones to judge next, those first of which "
                "the evaluators are least sure.")};
#undef OWNER
SCHEMA(run_schema, struct run_detail, "RegressionRunDetail", run_fields);

static const char *own_tenant(const struct request *request)
{
    return family_is_operator(request) ? NULL
                                       : (request->who.tenant ? request->who.tenant : "default");
}

static enum error must_exist(struct request *request, const char *id, const char *what)
{
    struct experiment experiment;
    enum error error;

    if (strcmp(id, "current") == 0)
        return ERROR_NONE;
    error = experiment_read(request->arena, service_settings(request), id, &experiment,
                            &request->problem);
    return error == ERROR_NOT_FOUND
               ? problem_set(&request->problem, ERROR_NOT_FOUND, "experiment_not_found", "%s", what)
               : error;
}

enum error run_start_handle(struct request *request, struct reply *reply)
{
    const struct run_query *query = request->query;
    const struct run_request asked = {.baseline = query->baseline,
                                      .candidate = request->arguments[0],
                                      .tenant = own_tenant(request)};
    struct run_started *object = ARENA_NEW(request->arena, struct run_started);
    struct trace_call call;
    enum error error = must_exist(request, asked.candidate, "experiment not found");

    if (!error)
        error = must_exist(request, asked.baseline, "baseline experiment not found");
    if (!error)
        error = family_call(request, &call);
    if (!error)
        error = run_ask(call.db, call.arena, service_settings(request), &asked, &object->job_id,
                        call.problem);
    if (error)
        return error;
    service_audit(request, "regression_run",
                  arena_print(request->arena, "experiment:%s", asked.candidate), NULL);
    object->status = "queued";
    reply->object = object;
    return ERROR_NONE;
}

static struct run_entry of_row(const struct run_row *row)
{
    return (struct run_entry){.run_id = row->run_id,
                              .status = "completed",
                              .result = row->drift_alert ? "fail" : "pass",
                              .created_at = row->created_at,
                              .baseline = row->baseline,
                              .candidate = row->candidate,
                              .mode = row->mode,
                              .candidate_pass_rate = GIVEN_NUMBER(row->pass_rate),
                              .sample_size = GIVEN_INTEGER(row->sample_size),
                              .report_path = row->report_path};
}

static struct run_entry of_job(const struct request *request, const struct background_run *run)
{
    struct run_request asked = {0};
    struct run_progress progress = {0};
    bool begun = run->progress &&
                 schema_from_json(request->arena, &run_progress_schema, run->progress, &progress);

    (void)schema_from_json(request->arena, &run_request_schema, run->payload, &asked);
    return (struct run_entry){.run_id = run->id,
                              .status = run->status,
                              .created_at = run->created_at,
                              .baseline = asked.baseline,
                              .candidate = asked.candidate,
                              .cases_done = {begun, progress.cases_done},
                              .cases_total = {begun, progress.cases_total},
                              .finished_at = run->finished_at,
                              .error = run->error};
}

static int newest_first(const void *a, const void *b)
{
    return strcmp(((const struct run_entry *)b)->created_at,
                  ((const struct run_entry *)a)->created_at);
}

static enum error add_jobs(struct request *request, const struct trace_call *call, bool ended,
                           int limit, struct run_entry *entries, size_t *count)
{
    const struct job_kind kind = run_kind(service_settings(request));
    struct object_list jobs;
    enum error error = background_list(call->db, call->arena, &kind, own_tenant(request), ended,
                                       limit, &jobs, call->problem);

    for (size_t i = 0; i < jobs.count && !error; i++)
        entries[(*count)++] = of_job(request, &((const struct background_run *)jobs.items)[i]);
    return error;
}

enum error runs_handle(struct request *request, struct reply *reply)
{
    const struct runs_query *query = request->query;
    int64_t limit = query->limit < 1 ? 1 : query->limit > RUNS_MOST ? RUNS_MOST : query->limit;
    struct runs_reply *object = ARENA_NEW(request->arena, struct runs_reply);
    struct run_entry *entries =
        ARENA_ARRAY(request->arena, struct run_entry, (size_t)limit * 3 + 1);
    struct object_list rows = {0, NULL};
    struct trace_call call;
    size_t count = 0;
    enum error error = family_call(request, &call);

    if (!error)
        error = run_list(call.db, call.arena, own_tenant(request), limit, &rows, call.problem);
    for (size_t i = 0; i < rows.count && !error; i++)
        entries[count++] = of_row(&((const struct run_row *)rows.items)[i]);
    if (!error)
        error = add_jobs(request, &call, false, (int)limit, entries, &count);
    if (!error)
        error = add_jobs(request, &call, true, (int)limit, entries, &count);
    if (error)
        return error;
    qsort(entries, count, sizeof *entries, newest_first);
    object->runs = (struct object_list){count < (size_t)limit ? count : (size_t)limit, entries};
    reply->object = object;
    return ERROR_NONE;
}

/* Only files below the root; NULL when the file cannot be read. */
static const char *report_text(const struct request *request, const char *path, const char *ending)
{
    struct problem ignored = {0};
    size_t length, stem = path ? strlen(path) : 0;
    char *bytes;

    if (!path || *path == '/' || strstr(path, "..") || stem < 5)
        return NULL;
    path = arena_print(request->arena, "%.*s%s", (int)(stem - 5), path, ending);
    return data_file_read(request->arena,
                          data_file_path(request->arena, service_settings(request), path), &bytes,
                          &length, &ignored)
               ? NULL
               : bytes;
}

static enum error find_job(struct request *request, const struct trace_call *call,
                           struct run_entry *entry)
{
    const struct job_kind kind = run_kind(service_settings(request));
    const char *tenant = own_tenant(request);
    struct background_run run;
    enum error error =
        background_find(call->db, call->arena, &kind, request->arguments[0], &run, call->problem);

    if (error == ERROR_NOT_FOUND || (!error && tenant && strcmp(tenant, run.tenant) != 0))
        return problem_set(call->problem, ERROR_NOT_FOUND, "run_not_found",
                           "regression run not found");
    if (!error)
        *entry = of_job(request, &run);
    return error;
}

/* Further cases that the gate of a report needs; 0 where it can decide. */
static int64_t cases_missing(const json_t *report)
{
    const json_t *gate = json_object_get(report, "gate");
    const json_t *missing = json_object_get(json_object_get(gate, "power"), "cases_missing");

    return json_is_integer(missing) ? json_integer_value(missing) : 0;
}

/* Of the caller's tenant: he can judge no others. */
static enum error find_labels(const struct trace_call *call, const json_t *report,
                              struct object_list *labels)
{
    int64_t missing = cases_missing(report);
    const struct review_filter filter = {.status = review_status_names[REVIEW_PENDING],
                                         .reason = "",
                                         .limit = missing < LABELS_MOST ? missing : LABELS_MOST,
                                         .unsure_first = true};
    struct label_next *items = ARENA_ARRAY(call->arena, struct label_next, LABELS_MOST);
    struct object_list rows = {0, NULL};
    enum error error = missing > 0 ? review_list(call, &filter, &rows) : ERROR_NONE;

    for (size_t i = 0; i < rows.count; i++) {
        const struct review_row *row = &((const struct review_row *)rows.items)[i];

        items[i] = (struct label_next){row->id, row->question, row->doubt, row->doubt_kind};
    }
    *labels = (struct object_list){rows.count, items};
    return error;
}

enum error run_handle(struct request *request, struct reply *reply)
{
    struct run_detail *object = ARENA_NEW(request->arena, struct run_detail);
    struct run_entry *entry = ARENA_NEW(request->arena, struct run_entry);
    struct run_row row;
    struct trace_call call;
    bool found = false;
    enum error error = family_call(request, &call);

    if (!error)
        error = run_find(call.db, call.arena, own_tenant(request), request->arguments[0], &row,
                         &found, call.problem);
    if (!error && !found)
        error = find_job(request, &call, entry);
    if (error)
        return error;
    if (found)
        *entry = of_row(&row);
    *object = (struct run_detail){
        .run = entry,
        .run_id = entry->run_id,
        .status = entry->status,
        .report =
            found ? service_json(request, report_text(request, row.report_path, ".json")) : NULL,
        .report_markdown = found ? report_text(request, row.report_path, ".md") : NULL};
    reply->object = object;
    return find_labels(&call, object->report, &object->label_next);
}
