/* POST /api/v1/results/omnibus: tests groups of values. */
#include "experiments-compute/omnibus.h"

void omnibus_cost(const void *body, struct compute_cost *cost)
{
    int64_t units = omnibus_cost_units(body);

    *cost = (struct compute_cost){.units = (uint32_t)units, .heavy = units >= COMPUTE_HEAVY_UNITS};
}

enum error omnibus_handle(struct request *request, struct reply *reply)
{
    struct omnibus_reply *answer = ARENA_NEW(request->arena, struct omnibus_reply);
    const struct results_call call = {request->locale, request->arena, &request->problem};
    enum error error = omnibus_analyze(&call, request->body, answer);

    reply->object = error ? NULL : answer;
    return error;
}
