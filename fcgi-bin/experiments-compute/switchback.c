/* POST /api/v1/results/switchback: compares two arms of slots of time. */
#include "experiments-compute/switchback.h"

void switchback_cost(const void *body, struct compute_cost *cost)
{
    int64_t units = switchback_cost_units(body);

    *cost = (struct compute_cost){.units = (uint32_t)units, .heavy = units >= COMPUTE_HEAVY_UNITS};
}

enum error switchback_handle(struct request *request, struct reply *reply)
{
    struct switchback_reply *answer = ARENA_NEW(request->arena, struct switchback_reply);
    const struct results_call call = {request->locale, request->arena, &request->problem};
    enum error error = switchback_analyze(&call, request->body, answer);

    reply->object = error ? NULL : answer;
    return error;
}
