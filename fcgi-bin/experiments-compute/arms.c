/* POST /api/v1/results/arms: compares several arms with the control. */
#include "experiments-compute/arms.h"

void arms_cost(const void *body, struct compute_cost *cost)
{
    int64_t units = arms_cost_units(body);

    *cost = (struct compute_cost){.units = (uint32_t)units, .heavy = units >= COMPUTE_HEAVY_UNITS};
}

enum error arms_handle(struct request *request, struct reply *reply)
{
    struct arms_reply *answer = ARENA_NEW(request->arena, struct arms_reply);
    const struct results_call call = {request->locale, request->arena, &request->problem};
    enum error error = arms_analyze(&call, request->body, answer);

    reply->object = error ? NULL : answer;
    return error;
}
