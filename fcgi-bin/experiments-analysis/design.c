/* POST /api/v1/design: the report on a whole design. */
#include "experiments-analysis/design.h"
#include "experiments-analysis/calculate.h"
#include "experiments/payloads/design_report.h"

void design_cost(const void *body, struct compute_cost *cost)
{
    struct sizing_request design;

    payload_to_sizing(body, &design);
    calculate_cost(&design, cost);
}

enum error design_handle(struct request *request, struct reply *reply)
{
    const struct calculation_call call = {request->locale, request->arena, &request->problem};
    struct calculation *calculation = ARENA_NEW(request->arena, struct calculation);
    struct analysis_report *report = ARENA_NEW(request->arena, struct analysis_report);
    enum error error = design_calculate(&call, request->body, calculation);

    if (error)
        return error;
    design_report_compose(&call, request->body, calculation, report);
    reply->object = report;
    return ERROR_NONE;
}
