/* Thresholds: the stored analysis, a new analysis, and the cutoffs chosen by a tenant. */
#include "support-trends/thresholds.h"
#include "support/service.h"
#include "support/tools.h"
#include "support/trends/threshold_choice.h"
#include "support/trends/threshold_report.h"

#include <math.h>
#include <string.h>

enum { DAYS_MAX = 365, QUALITY_MAX = 100 };

struct thresholds_query {
    int64_t days;
    struct optional_number risk, confidence;
};

#define OWNER struct thresholds_query
static const struct field query_fields[] = {INTEGER(
    OWNER, days, .default_value = 30, .help = "1 to 365; others are brought into that range.")};
static const struct field refresh_fields[] = {
    INTEGER(OWNER, days, .default_value = 30,
            .help = "1 to 365; others are brought into that range."),
    NULLABLE_NUMBER(OWNER, risk, .lower = AT_LEAST(0.0001), .upper = AT_MOST(0.9999),
                    .help = "Share of wrong answers to keep; else THRESHOLD_RISK."),
    NULLABLE_NUMBER(OWNER, confidence, .lower = AT_LEAST(0.5), .upper = AT_MOST(0.999999),
                    .help = "How sure; else THRESHOLD_CONFIDENCE.")};
#undef OWNER
SCHEMA(thresholds_query_schema, struct thresholds_query, "ThresholdsQuery", query_fields);
SCHEMA(thresholds_refresh_schema, struct thresholds_query, "ThresholdsRefresh", refresh_fields);

struct choose_request {
    const char *metric;
    int source;
    struct optional_number cutoff;
    int64_t days;
};

#define OWNER struct choose_request
static const struct field choose_fields[] = {
    STRING(OWNER, metric, .required = true, .max_length = 64,
           .help = "quality_threshold or fact_verification_min_score."),
    CHOICE(OWNER, source, threshold_source_names, .choice_count = 3, .required = true,
           .help = "`risk` and `f1` take the cutoff of the latest analysis, `manual` the given "
                   "one."),
    NULLABLE_NUMBER(OWNER, cutoff, .lower = AT_LEAST(0), .upper = AT_MOST(QUALITY_MAX)),
    INTEGER(OWNER, days, .lower = AT_LEAST(1), .upper = AT_MOST(DAYS_MAX), .default_value = 30,
            .help = "Of the analysis."),
};
#undef OWNER
SCHEMA(choose_schema, struct choose_request, "ThresholdChoiceRequest", choose_fields,
       .example = "{\"metric\":\"quality_threshold\",\"source\":\"manual\",\"cutoff\":80}");

struct choices_reply {
    OBJECT_LIST(struct threshold_choice, choices);
};

#define OWNER struct choices_reply
static const struct field choices_fields[] = {OBJECTS(OWNER, choices, threshold_choice_schema)};
#undef OWNER
SCHEMA(choices_schema, struct choices_reply, "ThresholdChoices", choices_fields);

struct unchosen {
    const char *status;
};

#define OWNER struct unchosen
static const struct field unchosen_fields[] = {STRING(OWNER, status)};
#undef OWNER
SCHEMA(unchosen_schema, struct unchosen, "ThresholdUnchosen", unchosen_fields);

static enum error analyse(struct request *request, struct service_tools *tools,
                          const struct thresholds_query *query, bool anew,
                          struct threshold_analysis *analysis)
{
    const struct threshold_request asked = {
        .settings = service_settings(request),
        .days = query->days < 1          ? 1
                : query->days > DAYS_MAX ? DAYS_MAX
                                         : query->days,
        .risk = query->risk.given ? query->risk.value : 0,
        .confidence = query->confidence.given ? query->confidence.value : 0,
        .path = "reports/threshold_recommendations.md",
        .of_tenant = true};

    return threshold_latest(&tools->traces, &asked, anew, analysis);
}

static enum error answer(struct request *request, struct reply *reply, bool anew)
{
    struct threshold_analysis *object = ARENA_NEW(request->arena, struct threshold_analysis);
    struct service_tools tools;
    enum error error = service_tools(request, &tools);

    if (!error)
        error = analyse(request, &tools, request->query, anew, object);
    reply->object = object;
    return error;
}

enum error thresholds_handle(struct request *request, struct reply *reply)
{
    return answer(request, reply, false);
}

enum error thresholds_refresh_handle(struct request *request, struct reply *reply)
{
    return answer(request, reply, true);
}

enum error choices_handle(struct request *request, struct reply *reply)
{
    struct choices_reply *object = ARENA_NEW(request->arena, struct choices_reply);
    struct service_tools tools;
    enum error error = service_tools(request, &tools);

    if (!error)
        error = threshold_choices(&tools.traces, &object->choices);
    reply->object = object;
    return error;
}

static const struct threshold_finding *finding_of(const struct threshold_analysis *analysis,
                                                  const char *metric)
{
    return strcmp(metric, "quality_threshold") == 0
               ? analysis->thresholds->quality_threshold
               : analysis->thresholds->fact_verification_min_score;
}

/* The cutoff of the analysis, with its guarantee. */
static enum error take_analysis(struct request *request, struct service_tools *tools,
                                const struct choose_request *body, struct threshold_choice *choice)
{
    const struct thresholds_query query = {.days = body->days};
    const struct threshold_finding *finding;
    struct threshold_analysis analysis;
    struct optional_number cutoff = {0};
    bool by_risk = strcmp(choice->source, "risk") == 0;
    enum error error = analyse(request, tools, &query, false, &analysis);

    if (error)
        return error;
    finding = finding_of(&analysis, choice->metric);
    if (!by_risk)
        cutoff = finding->suggested;
    else if (finding->risk)
        cutoff = finding->risk->cutoff;
    if (!cutoff.given)
        return problem_set(&request->problem, ERROR_CONFLICT, "no_cutoff",
                           "the analysis found no cutoff to choose");
    choice->cutoff = cutoff.value;
    if (by_risk) {
        choice->risk = (struct optional_number)GIVEN_NUMBER(finding->risk->risk);
        choice->confidence = (struct optional_number)GIVEN_NUMBER(finding->risk->confidence);
        choice->coverage = finding->risk->coverage;
    }
    return ERROR_NONE;
}

static enum error find_choice(struct request *request, const struct trace_call *call,
                              const char *metric, struct threshold_choice **choice)
{
    struct object_list rows;
    enum error error = threshold_choices(call, &rows);

    for (size_t i = 0; i < rows.count && !error; i++) {
        struct threshold_choice *row = &((struct threshold_choice *)rows.items)[i];

        if (strcmp(row->metric, metric) == 0) {
            *choice = row;
            return ERROR_NONE;
        }
    }
    return error ? error
                 : problem_set(&request->problem, ERROR_CONFLICT, "choice_gone",
                               "the choice was taken back meanwhile");
}

enum error choose_handle(struct request *request, struct reply *reply)
{
    const struct choose_request *body = request->body;
    struct threshold_choice choice = {.metric = body->metric,
                                      .source = threshold_source_names[body->source],
                                      .cutoff = body->cutoff.value,
                                      .chosen_by = request->who.subject};
    struct threshold_choice *chosen = NULL;
    struct service_tools tools;
    enum threshold_metric which;
    enum error error;

    if (!threshold_is_choosable(body->metric, &which))
        return request_fault(request, "body", "metric", "unknown_metric",
                             "quality_threshold or fact_verification_min_score");
    if (strcmp(choice.source, "manual") == 0 && !body->cutoff.given)
        return request_fault(request, "body", "cutoff", "missing",
                             "A manual choice needs a cutoff");
    error = service_tools(request, &tools);
    if (!error && strcmp(choice.source, "manual") != 0)
        error = take_analysis(request, &tools, body, &choice);
    choice.cutoff = fmin(fmax(rint(choice.cutoff), 0), QUALITY_MAX);
    if (!error)
        error = threshold_choose(&tools.traces, &choice);
    if (!error)
        error = find_choice(request, &tools.traces, choice.metric, &chosen);
    if (error)
        return error;
    service_audit(request, "threshold_choose",
                  arena_print(request->arena, "threshold:%s", choice.metric),
                  arena_print(request->arena, "{\"cutoff\":%.0f,\"source\":\"%s\"}", choice.cutoff,
                              choice.source));
    reply->object = chosen;
    return ERROR_NONE;
}

enum error unchoose_handle(struct request *request, struct reply *reply)
{
    struct unchosen *object = ARENA_NEW(request->arena, struct unchosen);
    struct service_tools tools;
    bool removed = false;
    enum error error = service_tools(request, &tools);

    if (!error)
        error = threshold_unchoose(&tools.traces, request->arguments[0], &removed);
    if (error)
        return error;
    if (!removed)
        return problem_set(&request->problem, ERROR_NOT_FOUND, "choice_not_found",
                           "nothing was chosen");
    service_audit(request, "threshold_unchoose",
                  arena_print(request->arena, "threshold:%s", request->arguments[0]), NULL);
    object->status = "ok";
    reply->object = object;
    return ERROR_NONE;
}
