/* POST /api/v1/results/cluster: compares two arms of clusters. */
#include "experiments-compute/cluster.h"

void cluster_cost(const void *body, struct compute_cost *cost)
{
    int64_t units = cluster_cost_units(body);

    *cost = (struct compute_cost){.units = (uint32_t)units, .heavy = units >= COMPUTE_HEAVY_UNITS};
}

enum error cluster_handle(struct request *request, struct reply *reply)
{
    struct cluster_reply *answer = ARENA_NEW(request->arena, struct cluster_reply);
    const struct results_call call = {request->locale, request->arena, &request->problem};
    enum error error = cluster_analyze(&call, request->body, answer);

    reply->object = error ? NULL : answer;
    return error;
}
