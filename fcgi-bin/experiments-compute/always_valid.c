/* POST /api/v1/results/always-valid: an interval and a p-value that hold at all looks together. */
#include "experiments-compute/always_valid.h"
#include "experiments/sequential/always_valid_reading.h"

enum { VALUES_PER_UNIT = 4000 };

void always_valid_cost(const void *body, struct compute_cost *cost)
{
    const struct always_valid_request *asked = body;
    size_t values = asked->control_arm->values.count + asked->treatment_arm->values.count;
    size_t units = 1 + values / VALUES_PER_UNIT;

    *cost = (struct compute_cost){.units = (uint32_t)units, .heavy = units >= COMPUTE_HEAVY_UNITS};
}

enum error always_valid_handle(struct request *request, struct reply *reply)
{
    struct always_valid_reply *answer = ARENA_NEW(request->arena, struct always_valid_reply);
    const struct always_valid_call call = {request->locale, request->arena};

    always_valid_read(&call, request->body, answer);
    reply->object = answer;
    return ERROR_NONE;
}
