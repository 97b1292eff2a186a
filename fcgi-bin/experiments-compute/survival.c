/* POST /api/v1/results/survival: tests survival times of arms, and computes their curves. */
#include "experiments-compute/survival.h"
#include "experiments/analyses/survival_analysis.h"

void survival_cost(const void *body, struct compute_cost *cost)
{
    int64_t units = survival_cost_units(body);

    *cost = (struct compute_cost){.units = (uint32_t)units, .heavy = units >= COMPUTE_HEAVY_UNITS};
}

enum error survival_handle(struct request *request, struct reply *reply)
{
    struct survival_reply *answer = ARENA_NEW(request->arena, struct survival_reply);
    const struct results_call call = {request->locale, request->arena, &request->problem};
    enum error error = survival_analyze(&call, request->body, answer);

    reply->object = error ? NULL : answer;
    return error;
}
