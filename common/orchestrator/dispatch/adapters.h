/* Private to common/orchestrator/dispatch: how each kind of model is asked. */
#ifndef ASSAY_ORCHESTRATOR_DISPATCH_ADAPTERS_H
#define ASSAY_ORCHESTRATOR_DISPATCH_ADAPTERS_H

#include "orchestrator/dispatch/browser_state.h"
#include "orchestrator/dispatch/details.h"

/* The call of an API, ready to go; or why it cannot be made (*refused, with the result filled in).
 */
struct llm_call *api_call_prepare(struct run *run, const struct order *order,
                                  const struct model *model, struct result *result);
void api_call_finish(struct run *run, const struct order *order, const struct model *model,
                     const struct llm_call *call, struct result *result);

/* Whether all that an order asks for can be said to a model. */
bool order_suits(const struct run *run, const struct order *order, const struct model *model);

/* The most that a call can cost: the prompt, counted by its bytes, and the longest answer. */
int64_t api_call_price(const struct run *run, const struct order *order, const struct model *model);

/* The simulator. */
void dry_run_answer(struct run *run, const struct order *orders, size_t count, size_t which,
                    struct result *result);

/* The web provider through a browser. One call at a time. */
struct browser_errand {
    struct breaker_pass pass;
};

/* True when a job is under way now; false when the result stands already. */
bool browser_begin(struct run *run, const struct order *order, const struct model *model,
                   struct browser_errand *errand, struct result *result);

/* True when the job has ended and the result stands. */
bool browser_look(struct run *run, struct browser_errand *errand, struct result *result);

/* Sleeps until there may be news, at most so long. */
void browser_rest(int milliseconds);

/* Takes the job back; that says nothing about the browser. */
void browser_cut(struct run *run, struct browser_errand *errand);

/* A failure, with details `{"provider": ...}` when none are given. */
void result_fail(struct run *run, struct result *result, int failure_code, const char *message);

#endif
