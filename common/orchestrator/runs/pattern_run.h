/*
 * Tasks that are more than one round of calls: what smart, consensus, compare, debate, batch and
 * pipeline have in common. One model leads; every call becomes a step; the task is stored like any
 * other, with the name of its route in its metadata.
 */
#ifndef ASSAY_ORCHESTRATOR_RUNS_PATTERN_RUN_H
#define ASSAY_ORCHESTRATOR_RUNS_PATTERN_RUN_H

#include "orchestrator/runs/calls.h"
#include "orchestrator/runs/task_run.h"

/* An answer on its way, for those who watch. */
struct candidate {
    size_t index;
    const char *text;
};

struct pattern_run {
    struct task_run task_run;
    struct plan plan;
    const struct model *model; /* that leads */
    struct phrasing phrasing;  /* in the language of the prompt */
    struct outcome outcome;
    size_t result_count; /* of all calls, for accounting */
    struct result *results;
    /* Called when the task is stored, and for each answer; NULL = no subscriber. */
    void (*on_accepted)(const struct pattern_run *run, void *context);
    void (*on_candidate)(const struct candidate *candidate, void *context);
    void *context;
    size_t candidates;
};

struct pattern_request {
    const char *route;
    const char *prompt; /* as it is stored */
    const char *model;  /* name; NULL = the default one */
    bool reasoning;
    bool dry_run;
    const struct fetch_watch *watch; /* NULL = nothing ends it early */
    /* A conversation and its last message of the user; `prompt` is its text. NULL = none. */
    const struct llm_request *conversation;
    const char *question;
};

/* Resolves the model and stores the task. ERROR_INVALID (`run_rejected`) for a model that is not
 * known or cannot be reached in any case. */
MUST_CHECK enum error pattern_begin(struct pattern_run *run, const struct worker_context *worker,
                                    struct arena *arena, struct db *db,
                                    const struct pattern_request *wanted, struct problem *problem);

/* Whether a live call of the model can be made at all. */
MUST_CHECK enum error pattern_check_adapter(const struct worker_context *worker,
                                            const struct model *model, bool dry_run,
                                            struct problem *problem);

/* Calls in parallel: call i goes to models[i % model_count]. A call without text has failed. */
MUST_CHECK enum error pattern_ask(struct pattern_run *run, const struct model *const *models,
                                  size_t model_count, const struct asking *askings, size_t count,
                                  struct result *results);
/* One call of a model. */
MUST_CHECK enum error pattern_ask_one(struct pattern_run *run, const struct model *model,
                                      const struct asking *asking, struct result *result);
/* Asks a model to judge that has written none of the judged. Where there is none, or it does not
 * answer, the leading model judges; *judge is who was asked last. */
MUST_CHECK enum error pattern_ask_judge(struct pattern_run *run, const struct model *const *judged,
                                        size_t count, const struct asking *asking,
                                        const struct model **judge, struct result *result);
/* Calls of any models. */
MUST_CHECK enum error pattern_dispatch(struct pattern_run *run, const struct call_request *orders,
                                       size_t count, struct result *results);

/* Ends the task with this result as its answer. */
MUST_CHECK enum error pattern_end(struct pattern_run *run, const struct result *answer);
/* The same where the answer is the text of one of the calls, or a text of its own, or `answer` NULL
 * where nothing succeeded: then `failure` says why. */
MUST_CHECK enum error pattern_end_text(struct pattern_run *run, const char *answer,
                                       const struct result *failure);

#endif
