/* Calls of endpoints that are optional for retrieval. */
#include "base/clock.h"
#include "net/egress.h"
#include "support/answer/graph_state.h"

#include <math.h>
#include <stdlib.h>

static const double reserve_seconds =
    0.5; /* seconds of the question, reserved for the steps after the call */

static double seconds_for(const struct graph_state *state)
{
    double seconds = state->tools->settings->stall_seconds;

    if (state->request->deadline)
        seconds = fmin(seconds,
                       (double)(state->request->deadline - clock_monotonic_microseconds()) / 1e6 -
                           reserve_seconds);
    return seconds;
}

const char *lookup_call_begin(struct graph_state *state, const char *breaker, const char *url,
                              struct lookup_call *call)
{
    const struct support_settings *settings = state->tools->settings;
    struct shm_region *region = state->tools->region;

    *call = (struct lookup_call){.seconds = seconds_for(state)};
    call->rule = (struct breaker_rule){settings->breaker ? (uint32_t)settings->breaker_failures : 0,
                                       (uint32_t)(settings->breaker_seconds * 1000),
                                       (uint32_t)(fmax(call->seconds, 0) * 1000) + 1000,
                                       !url || egress_is_local(url)};
    if (call->seconds <= 0)
        return "time_budget";
    if (region && !breaker_allow(region, breaker, &call->rule, &call->pass))
        return "breaker_open";
    db_release_before_wait(state->tools->call->db);
    return NULL;
}

void lookup_call_end(struct graph_state *state, struct lookup_call *call, bool failed)
{
    struct shm_region *region = state->tools->region;

    if (region && state->watch.cancelled(state->watch.context))
        breaker_cancel(region, &call->pass);
    else if (region)
        breaker_record(region, &call->rule, &call->pass, !failed);
}
