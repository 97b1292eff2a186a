/* POST /api/v1/design/solve: a plan with one open number. */
#include "experiments-analysis/design_solve.h"

void design_solve_cost(const void *body, struct compute_cost *cost)
{
    int64_t units = solve_cost(body);

    *cost = (struct compute_cost){.units = (uint32_t)units, .heavy = units >= COMPUTE_HEAVY_UNITS};
}

enum error design_solve_handle(struct request *request, struct reply *reply)
{
    struct solve_reply *answer = ARENA_NEW(request->arena, struct solve_reply);
    const struct solve_call call = {request->locale, request->arena, &request->problem};
    enum error error = solve_answer(&call, request->body, answer);

    reply->object = error ? NULL : answer;
    return error;
}
