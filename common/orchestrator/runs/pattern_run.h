/*
 * Tasks with several rounds of calls: common parts of smart, consensus, compare, debate, batch and
 * pipeline. One model is the leading one; every call becomes a step; the task is stored like any
 * other, with the name of its route in its metadata.
 */
#ifndef ASSAY_ORCHESTRATOR_RUNS_PATTERN_RUN_H
#define ASSAY_ORCHESTRATOR_RUNS_PATTERN_RUN_H

#include "orchestrator/runs/calls.h"
#include "orchestrator/runs/task_run.h"

/* A pattern in progress, for the subscriber. */
struct candidate {
    size_t index;
    const char *text;
};

struct pattern_run {
    struct task_run task_run;
    struct plan plan;
    const struct model *model; /* the leading model */
    struct phrasing phrasing;  /* language of the prompt */
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
    const char *prompt; /* stored prompt */
    const char *model;  /* name; NULL = the default model */
    bool reasoning;
    bool dry_run;
    const struct fetch_watch *watch; /* NULL = nothing ends it early */
    /* A conversation and its last message of the user; `prompt` is its text. NULL = none. */
    const struct llm_request *conversation;
    const char *question;
};

/* Resolves the model and stores the task. ERROR_INVALID (`run_rejected`) for a model that is
 * unknown or never callable. */
MUST_CHECK enum error pattern_begin(struct pattern_run *run, const struct worker_context *worker,
                                    struct arena *arena, struct db *db,
                                    const struct pattern_request *wanted, struct problem *problem);

/* Whether a live call of the model is possible. */
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
/* Calls a judge: a model that wrote none of the judged answers. If there is none, or it does not
 * answer, the leading model judges; *judge is the model called last. */
MUST_CHECK enum error pattern_ask_judge(struct pattern_run *run, const struct model *const *judged,
                                        size_t count, const struct asking *asking,
                                        const struct model **judge, struct result *result);
/* Calls the given models. */
MUST_CHECK enum error pattern_dispatch(struct pattern_run *run, const struct call_request *orders,
                                       size_t count, struct result *results);

/* Ends the task with this result as its answer. */
MUST_CHECK enum error pattern_end(struct pattern_run *run, const struct result *answer);
/* Ends the task with an answer that is the text of one of the calls, or another text, or `answer`
 * NULL when nothing succeeded: then `failure` gives the reason. */
MUST_CHECK enum error pattern_end_text(struct pattern_run *run, const char *answer,
                                       const struct result *failure);

#endif
