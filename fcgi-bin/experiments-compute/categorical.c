/* POST /api/v1/results/categorical: tests a table of counts. */
#include "experiments-compute/categorical.h"

void categorical_cost(const void *body, struct compute_cost *cost)
{
    int64_t units = categorical_cost_units(body);

    *cost = (struct compute_cost){.units = (uint32_t)units, .heavy = units >= COMPUTE_HEAVY_UNITS};
}

enum error categorical_handle(struct request *request, struct reply *reply)
{
    struct categorical_reply *answer = ARENA_NEW(request->arena, struct categorical_reply);
    const struct results_call call = {request->locale, request->arena, &request->problem};
    enum error error = categorical_analyze(&call, request->body, answer);

    reply->object = error ? NULL : answer;
    return error;
}
