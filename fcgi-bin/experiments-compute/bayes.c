/* POST /api/v1/results/bayes: posteriors of several arms. */
#include "experiments-compute/bayes.h"

void bayes_cost(const void *body, struct compute_cost *cost)
{
    int64_t units = bayes_cost_units(body);

    *cost = (struct compute_cost){.units = (uint32_t)units, .heavy = units >= COMPUTE_HEAVY_UNITS};
}

enum error bayes_handle(struct request *request, struct reply *reply)
{
    struct bayes_reply *answer = ARENA_NEW(request->arena, struct bayes_reply);
    const struct results_call call = {request->locale, request->arena, &request->problem};
    enum error error = bayes_analyze(&call, request->body, answer);

    reply->object = error ? NULL : answer;
    return error;
}
