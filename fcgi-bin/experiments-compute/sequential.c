/* POST /api/v1/sequential/...: what a plan demands, and what observed looks say under it. */
#include "experiments-compute/sequential.h"
#include "experiments/sequential/sequential_monitor.h"

static struct compute_cost cost_of(size_t looks)
{
    int64_t units = sequential_cost_units((int64_t)looks);

    return (struct compute_cost){.units = (uint32_t)units, .heavy = units >= COMPUTE_HEAVY_UNITS};
}

void sequential_design_cost(const void *body, struct compute_cost *cost)
{
    *cost = cost_of(((const struct sequential_plan *)body)->information_fractions.count);
}

void sequential_monitor_cost(const void *body, struct compute_cost *cost)
{
    const struct sequential_monitor_request *asked = body;

    *cost = cost_of(asked->plan->information_fractions.count + asked->looks.count);
}

enum error sequential_design_handle(struct request *request, struct reply *reply)
{
    struct sequential_design_reply *answer =
        ARENA_NEW(request->arena, struct sequential_design_reply);
    const struct sequential_call call = {request->locale, request->arena, &request->problem};
    enum error error = sequential_design_plan(&call, request->body, answer);

    reply->object = error ? NULL : answer;
    return error;
}

enum error sequential_monitor_handle(struct request *request, struct reply *reply)
{
    struct sequential_monitor_reply *answer =
        ARENA_NEW(request->arena, struct sequential_monitor_reply);
    const struct sequential_call call = {request->locale, request->arena, &request->problem};
    enum error error = sequential_monitor(&call, request->body, answer);

    reply->object = error ? NULL : answer;
    return error;
}
