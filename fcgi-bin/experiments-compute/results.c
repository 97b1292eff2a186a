/* POST /api/v1/results: analyzes what was observed in two arms. */
#include "experiments-compute/results.h"
#include "experiments/analyses/results_analysis.h"

void results_cost(const void *body, struct compute_cost *cost)
{
    const struct results_request *observed = body;
    int64_t units = results_cost_units(observed);

    *cost = (struct compute_cost){.units = (uint32_t)units, .heavy = units >= COMPUTE_HEAVY_UNITS};
}

enum error results_handle(struct request *request, struct reply *reply)
{
    struct results_reply *answer = ARENA_NEW(request->arena, struct results_reply);
    const struct results_call call = {request->locale, request->arena, &request->problem};
    enum error error = results_analyze(&call, request->body, answer);

    reply->object = error ? NULL : answer;
    return error;
}
