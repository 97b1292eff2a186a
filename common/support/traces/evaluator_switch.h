/*
 * Evaluators that a tenant has switched off: they run on no further answer of it and enter no score
 * until they are switched on again. What they said before stays in the traces.
 */
#ifndef ASSAY_SUPPORT_TRACES_EVALUATOR_SWITCH_H
#define ASSAY_SUPPORT_TRACES_EVALUATOR_SWITCH_H

#include "support/traces/trace_store.h"

struct evaluator_off {
    bool off;
    const char *at, *by; /* NULL if it is on */
};

/* In the order of evaluator_names. */
MUST_CHECK enum error evaluator_switches(const struct trace_call *call,
                                         struct evaluator_off off[EVALUATORS]);

/* `by` is the person's name. No effect if it is so already; `changed` says whether it had one. */
MUST_CHECK enum error evaluator_switch(const struct trace_call *call, const char *evaluator,
                                       bool on, const char *by, bool *changed);

/* Removes the evaluations of evaluators that are off from a list of all; returns what is left. */
size_t evaluations_left(const struct evaluator_off off[EVALUATORS],
                        struct evaluation evaluations[EVALUATORS]);

/* False for an evaluator that the call's tenant has switched off; true for unknown names. */
MUST_CHECK enum error evaluator_is_on(const struct trace_call *call, const char *evaluator,
                                      bool *on);

#endif
