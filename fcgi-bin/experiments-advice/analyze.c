/* POST /api/v1/analyze: sizes a whole design, with the report on it and advice. Numbers and report
 * never depend on the advice. */
#include "experiments-advice/analyze.h"

#include "experiments-advice/ask.h"
#include "experiments/advice/advice_prompt.h"
#include "experiments/payloads/design_report.h"

#include <string.h>

struct analyze_reply {
    const struct calculation *calculations;
    const struct analysis_report *report;
    const struct advice *advice;
};

#define OWNER struct analyze_reply
static const struct field reply_fields[] = {
    OBJECT(OWNER, calculations, calculation_schema),
    OBJECT(OWNER, report, analysis_report_schema),
    OBJECT(OWNER, advice, advice_schema),
};
#undef OWNER
SCHEMA(analyze_reply_schema, struct analyze_reply, "DesignAnalysis", reply_fields,
       .help = "A sized design with the report on it and advice.");

void analyze_cost(const void *body, struct compute_cost *cost)
{
    struct sizing_request design;
    int64_t units;

    payload_to_sizing(body, &design);
    units = sizing_cost(&design);
    *cost = (struct compute_cost){.units = (uint32_t)units, .heavy = units >= COMPUTE_HEAVY_UNITS};
}

/* The design as a document, as the other routes get it. */
static enum error read_context(struct request *request, const struct calculation *calculation,
                               json_t **context)
{
    const char *text = advice_context(request->arena, request->body, calculation);
    struct json_fault fault;

    if (json_read(request->arena, text, strlen(text), JSON_DEPTH_LIMIT, context, &fault))
        return problem_set(&request->problem, ERROR_SYSTEM, "context_unreadable", "%s", fault.text);
    return ERROR_NONE;
}

enum error analyze_handle(struct request *request, struct reply *reply)
{
    const struct calculation_call call = {request->locale, request->arena, &request->problem};
    struct calculation *calculation = ARENA_NEW(request->arena, struct calculation);
    struct analysis_report *report = ARENA_NEW(request->arena, struct analysis_report);
    struct analyze_reply *answer = ARENA_NEW(request->arena, struct analyze_reply);
    struct suggestion suggestion;
    json_t *context;
    enum error error = design_calculate(&call, request->body, calculation);

    if (!error)
        error = read_context(request, calculation, &context);
    if (error)
        return error;
    design_report_compose(&call, request->body, calculation, report);
    *answer = (struct analyze_reply){
        .calculations = calculation,
        .report = report,
        .advice = ask_for_advice(request, advice_prompt(request->arena, context), &suggestion)};
    reply->object = answer;
    return ERROR_NONE;
}
