/* The attempts of a call for its trace, over all places and models that it went to. */
#include "base/list.h"
#include "net/egress.h"
#include "orchestrator/dispatch/active_call.h"

static const char *server_of(struct arena *arena, const struct llm_call *call)
{
    char host[EGRESS_HOST_MAX];
    struct problem problem = {0};

    return egress_host(call->provider->base_url, host, &problem) ? NULL
                                                                 : arena_copy_string(arena, host);
}

/* A low number of words, as error.type has them: the status, how the connection ended, or what was
 * wrong with the answer. Who cancels an attempt has not made it fail. */
static const char *failure_of(struct arena *arena, const struct fetch_attempt *attempt,
                              const struct result *result, bool is_last)
{
    if (attempt->outcome == FETCH_CANCELLED)
        return NULL;
    if (attempt->status && (attempt->status < 200 || attempt->status > 299))
        return arena_print(arena, "%d", attempt->status);
    if (attempt->outcome != FETCH_ANSWERED)
        return fetch_outcome_name(attempt->outcome);
    return is_last && result->status == RUN_FAILED ? failure_name(result->failure_code) : NULL;
}

void call_trace_attempts(struct run *run, struct active_call *active)
{
    const struct trace_context *trace = run->worker->trace;
    const struct fetch_answer *answer = &active->call->http_answer;
    int64_t behind = clock_unix_microseconds() - clock_monotonic_microseconds();

    for (uint32_t i = 0; trace && trace->sampled && i < answer->attempts; i++) {
        const struct fetch_attempt *attempt = &answer->history[i];
        size_t number = active->traced.count + 1;

        *LIST_ADD(run->arena, &active->traced) = (struct traced_attempt){
            .provider = active->model->provider,
            .model_name = active->call->provider->model,
            .server = server_of(run->arena, active->call),
            .started_at = attempt->started_at + behind,
            .ended_at = attempt->ended_at + behind,
            .number = (int64_t)number,
            .status = attempt->status,
            .trace = attempt->trace,
            .failure = failure_of(run->arena, attempt, active->result, i + 1 == answer->attempts)};
    }
}
