/* Private to common/orchestrator/dispatch: a call in progress, with its cost. */
#ifndef ASSAY_ORCHESTRATOR_DISPATCH_ACTIVE_CALL_H
#define ASSAY_ORCHESTRATOR_DISPATCH_ACTIVE_CALL_H

#include "base/clock.h"
#include "limits/limits.h"
#include "orchestrator/dispatch/adapters.h"
#include "orchestrator/dispatch/attempts.h"
#include "orchestrator/dispatch/replacement.h"
#include "shm/semaphore.h"

enum call_state { CALL_QUEUED, CALL_RUNNING, CALL_IN_BROWSER, CALL_DONE };

/* One call request in progress. */
struct active_call {
    const struct call_request *wanted;    /* = &watched */
    const struct call_request *passed_on; /* the same, whose pieces nobody watches */
    struct call_request watched;
    struct result *result;
    const struct model *model;  /* the current model */
    struct placement placement; /* of its deployments */
    enum call_state state;
    struct semaphore_ticket ticket; /* of the model, on this host */
    bool has_ticket;
    struct limits_place place; /* the same over all hosts */
    struct llm_call *call;
    struct browser_call browser;
    size_t hold; /* number of its hold in the run, from 1; 0 = none is needed */
    int64_t queued_at, started_at;
    int64_t first_at; /* of the first piece of a stream; 0 = none came */
    struct attempt_list attempts;
    int64_t charged_tokens; /* of the key's minute */
    int64_t earlier_cost;   /* of the model before the fallback */
    const char *fallback;   /* details of the previous model; NULL */
    struct traced_attempts traced;
};

/* Before a call is made: takes the tokens of the prompt from the key's minute and holds the cost of
 * all attempts. *granted is false when a limit has no room: then the result says which. */
MUST_CHECK enum error call_hold(struct run *run, struct active_call *active, bool *granted);

/* Replaces the held cost of an ended call by its actual cost. */
void call_book(struct run *run, struct active_call *active);

/* Keeps the attempts of an API call that has ended at one place, for the trace of the request, if
 * it has one. */
void call_trace_attempts(struct run *run, struct active_call *active);

static inline int64_t milliseconds_since(int64_t timestamp)
{
    return (clock_monotonic_microseconds() - timestamp) / 1000;
}

#endif
