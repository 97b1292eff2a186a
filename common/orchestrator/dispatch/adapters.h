/* Private to common/orchestrator/dispatch: how each kind of model is asked. */
#ifndef ASSAY_ORCHESTRATOR_DISPATCH_ADAPTERS_H
#define ASSAY_ORCHESTRATOR_DISPATCH_ADAPTERS_H

#include "orchestrator/dispatch/details.h"

/* The call of an API, ready to go; or why it cannot be made (*refused, with the result filled in).
 */
struct llm_call *api_call_prepare(struct run *run, const struct order *order,
                                  const struct model *model, struct result *result);
void api_call_finish(struct run *run, const struct model *model, const struct llm_call *call,
                     struct result *result);

/* The most that a call can cost: the prompt, counted by its bytes, and the longest answer. */
int64_t api_call_price(const struct run *run, const struct order *order, const struct model *model);

/* The simulator. */
void dry_run_answer(struct run *run, const struct order *orders, size_t count, size_t which,
                    struct result *result);

/* The web provider through a browser, to the end of it. */
void browser_answer(struct run *run, const struct order *order, const struct model *model,
                    struct result *result);

/* A failure, with details `{"provider": ...}` when none are given. */
void result_fail(struct run *run, struct result *result, int failure_code, const char *message);

#endif
