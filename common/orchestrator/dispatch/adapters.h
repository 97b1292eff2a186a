/* Private to common/orchestrator/dispatch: how each kind of model is called. */
#ifndef ASSAY_ORCHESTRATOR_DISPATCH_ADAPTERS_H
#define ASSAY_ORCHESTRATOR_DISPATCH_ADAPTERS_H

#include "orchestrator/dispatch/browser_state.h"
#include "orchestrator/dispatch/details.h"

/* The call of an API, ready to go. NULL when it cannot be made: then the result says why. */
struct llm_call *api_call_prepare(struct run *run, const struct call_request *wanted,
                                  const struct model *model, struct result *result);
void api_call_finish(struct run *run, const struct call_request *wanted, const struct model *model,
                     const struct llm_call *call, struct result *result);

/* Whether the model's protocol can express everything in the call request. */
bool call_suits(const struct run *run, const struct call_request *wanted,
                const struct model *model);

/* The token limit of an answer when the request sets none; 0 = no limit is sent. */
int64_t answer_limit(const struct orchestrator_settings *settings, const struct model *model);

/* The most that one attempt can cost: the prompt, counted by its bytes, and the longest answer. 0
 * without a price. */
int64_t attempt_price(const struct run *run, const struct call_request *wanted,
                      const struct model *model);

/* What a call that is over has cost. Calls that were given up are paid: what was seen of their
 * answer, else the most. Not given for models without a price, and where nothing was produced. */
struct optional_integer api_call_cost(const struct run *run, const struct call_request *wanted,
                                      const struct model *model, const struct llm_call *call);

/* The simulator. */
void dry_run_answer(struct run *run, const struct call_request *requests, size_t count,
                    size_t which, struct result *result);

/* The web provider through a browser. One call at a time. */
struct browser_call {
    struct breaker_permit pass;
};

/* True when a job is running now; false when the result is complete already. */
bool browser_start(struct run *run, const struct call_request *wanted, const struct model *model,
                   struct browser_call *active, struct result *result);

/* True when the job has ended and the result is complete. */
bool browser_poll(struct run *run, struct browser_call *active, struct result *result);

/* Sleeps until there may be news, at most so long. */
void browser_wait(int milliseconds);

/* Cancels the job; the breaker does not count that as a failure. */
void browser_cancel(struct run *run, struct browser_call *active);

/* A failure, with details `{"provider": ...}` when none are given. */
void result_fail(struct run *run, struct result *result, int failure_code, const char *message);

#endif
