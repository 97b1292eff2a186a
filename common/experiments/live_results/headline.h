/*
 * What a decision means for people: one of a few situations, finer than the verdict, which pages,
 * lists and reports have a sentence and a color for. Also the state of an experiment.
 */
#ifndef ASSAY_EXPERIMENTS_LIVE_RESULTS_HEADLINE_H
#define ASSAY_EXPERIMENTS_LIVE_RESULTS_HEADLINE_H

#include "experiments/live_results/live_results.h"
#include "experiments/live_results/policy.h"

enum headline {
    HEADLINE_NOT_STARTED,     /* nobody was exposed */
    HEADLINE_TOO_EARLY,       /* too few people for any comparison */
    HEADLINE_KEEP_RUNNING,    /* nothing shown yet */
    HEADLINE_PROMISING,       /* a real gain, whose worth is still open */
    HEADLINE_SHIP,            /* a real gain that is worth it */
    HEADLINE_GAIN_NOT_PROVEN, /* plan complete: a real gain, not proven worth it */
    HEADLINE_GAIN_TOO_SMALL,  /* a real gain, proven not worth it */
    HEADLINE_NO_WORTHWHILE,   /* plan complete: no worthwhile effect is left */
    HEADLINE_NO_EFFECT,       /* last look without an effect */
    HEADLINE_NO_CLEAR_RESULT, /* twice the plan without a result */
    HEADLINE_WORSE,           /* significantly worse */
    HEADLINE_GUARDRAIL,       /* a guardrail is breached */
    HEADLINE_UNTRUSTWORTHY,   /* the data contradict the plan or themselves */
    HEADLINE__MAX
};
extern const char *const headline_names[HEADLINE__MAX];

/* The catalog's keys of its sentence and of what that means, by its name. */
const char *headline_key(const char *name);
const char *headline_note_key(const char *name);

enum headline headline_of(const struct policy_outcome *outcome);

/* The verdict with what a list shows of it. */
struct headline_figures {
    enum verdict verdict;
    enum headline headline;
    int64_t people;
    struct optional_integer planned;         /* people in all arms by the plan */
    struct optional_integer variation_index; /* the treatment with the largest gain */
    struct optional_number effect_relative;  /* its effect, percent of the control */
};
void headline_figures(const struct live_results_call *call, const struct live_view *view,
                      struct headline_figures *figures);

#endif
