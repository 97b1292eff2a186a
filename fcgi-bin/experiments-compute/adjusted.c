/* POST /api/v1/results/adjusted: compares arms adjusted by covariates. */
#include "experiments-compute/adjusted.h"

void adjusted_cost(const void *body, struct compute_cost *cost)
{
    int64_t units = adjusted_cost_units(body);

    *cost = (struct compute_cost){.units = (uint32_t)units, .heavy = units >= COMPUTE_HEAVY_UNITS};
}

enum error adjusted_handle(struct request *request, struct reply *reply)
{
    struct adjusted_reply *answer = ARENA_NEW(request->arena, struct adjusted_reply);
    const struct results_call call = {request->locale, request->arena, &request->problem};
    enum error error = adjusted_analyze(&call, request->body, answer);

    reply->object = error ? NULL : answer;
    return error;
}
