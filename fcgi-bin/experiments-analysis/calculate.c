/* POST /api/v1/calculate: sizes a design. */
#include "experiments-analysis/calculate.h"

void calculate_cost(const void *body, struct compute_cost *cost)
{
    int64_t units = sizing_cost(body);

    *cost = (struct compute_cost){.units = (uint32_t)units, .heavy = units >= COMPUTE_HEAVY_UNITS};
}

enum error calculate_handle(struct request *request, struct reply *reply)
{
    struct calculation *answer = ARENA_NEW(request->arena, struct calculation);
    const struct calculation_call call = {request->locale, request->arena, &request->problem};
    enum error error = calculation_run(&call, request->body, answer);

    reply->object = error ? NULL : answer;
    return error;
}
