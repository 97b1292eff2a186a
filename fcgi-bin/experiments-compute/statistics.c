/* POST /api/v1/results/statistics: analyzes two arms from sums and counts. */
#include "experiments-compute/statistics.h"

void statistics_cost(const void *body, struct compute_cost *cost)
{
    int64_t units = statistics_cost_units(body);

    *cost = (struct compute_cost){.units = (uint32_t)units, .heavy = units >= COMPUTE_HEAVY_UNITS};
}

enum error statistics_handle(struct request *request, struct reply *reply)
{
    struct results_reply *answer = ARENA_NEW(request->arena, struct results_reply);
    const struct results_call call = {request->locale, request->arena, &request->problem};
    enum error error = statistics_analyze(&call, request->body, answer);

    reply->object = error ? NULL : answer;
    return error;
}
