/* Private to common/orchestrator/dispatch: how each kind of model is called. */
#ifndef ASSAY_ORCHESTRATOR_DISPATCH_ADAPTERS_H
#define ASSAY_ORCHESTRATOR_DISPATCH_ADAPTERS_H

#include "orchestrator/browser/ask.h"
#include "orchestrator/dispatch/browser_state.h"
#include "orchestrator/dispatch/details.h"

/* Prepares the call of an API. NULL when it is impossible: then the result gives the reason. */
struct llm_call *api_call_prepare(struct run *run, const struct call_request *wanted,
                                  const struct model *model, struct result *result);
void api_call_finish(struct run *run, const struct call_request *wanted, const struct model *model,
                     const struct llm_call *call, struct result *result);

/* Whether the model's protocol supports everything in the call request. */
bool call_suits(const struct run *run, const struct call_request *wanted,
                const struct model *model);

/* The token limit of an answer when the request sets none; 0 = the call has no limit. */
int64_t answer_limit(const struct orchestrator_settings *settings, const struct model *model);

/* Upper bound of the cost of one attempt: the prompt, one token per byte, and the longest answer. 0
 * without a price. */
int64_t attempt_price(const struct run *run, const struct call_request *wanted,
                      const struct model *model);

/* The cost of an ended call. A canceled call is charged: by the received part of its answer, else
 * by the upper bound. Absent for models without a price, and when nothing was generated. */
struct optional_integer api_call_cost(const struct run *run, const struct call_request *wanted,
                                      const struct model *model, const struct llm_call *call);

/* Takes the tokens of the prompt, by estimate, from the minute of the caller's key; false with
 * run->key_refusal when they do not fit. *charged is what was taken. */
bool key_tokens_take(struct run *run, const struct call_request *wanted, int64_t *charged);

/* Takes what an ended call used beyond that. */
void key_tokens_settle(const struct run *run, int64_t used, int64_t charged);

/* The dry-run simulator. */
void dry_run_answer(struct run *run, const struct call_request *requests, size_t count,
                    size_t which, struct result *result);

/* The web provider through a browser. One call at a time. */
struct browser_call {
    struct breaker_permit pass;
    struct wire wire; /* to the browser's process, while a job runs */
};

/* True when a job has started; false when the result is already complete. */
bool browser_start(struct run *run, const struct call_request *wanted, const struct model *model,
                   struct browser_call *active, struct result *result);

/* True when the job has ended and the result is complete. */
bool browser_poll(struct run *run, struct browser_call *active, struct result *result);

/* Waits for news, at most that long. */
void browser_wait(const struct browser_call *active, int milliseconds);

/* Cancels the job; the breaker does not count that as a failure. */
void browser_cancel(struct run *run, struct browser_call *active);

/* Closes the connection of a job that was left by a jump; the breaker forgets it in time. */
void browser_drop(struct browser_call *active);

/* Sets a failure, with details `{"provider": ...}` when none are given. */
void result_fail(struct run *run, struct result *result, int failure_code, const char *message);

#endif
