/* POST /api/v1/sequential/...: what a plan demands, and what observed looks say under it. */
#include "experiments-compute/sequential.h"
#include "experiments/sequential/hybrid_design.h"
#include "experiments/sequential/sequential_monitor.h"

static struct compute_cost cost_of(int64_t units)
{
    return (struct compute_cost){.units = (uint32_t)units, .heavy = units >= COMPUTE_HEAVY_UNITS};
}

void sequential_design_cost(const void *body, struct compute_cost *cost)
{
    *cost = cost_of(sequential_design_cost_units(body));
}

void sequential_monitor_cost(const void *body, struct compute_cost *cost)
{
    *cost = cost_of(sequential_monitor_cost_units(body));
}

void hybrid_cost(const void *body, struct compute_cost *cost)
{
    *cost = cost_of(hybrid_cost_units(body));
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

enum error hybrid_handle(struct request *request, struct reply *reply)
{
    struct hybrid_reply *answer = ARENA_NEW(request->arena, struct hybrid_reply);
    const struct sequential_call call = {request->locale, request->arena, &request->problem};
    enum error error = hybrid_answer(&call, request->body, answer);

    reply->object = error ? NULL : answer;
    return error;
}
