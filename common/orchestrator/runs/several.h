/* Compare, debate, batch and pipeline: simple combinations of calls. */
#ifndef ASSAY_ORCHESTRATOR_RUNS_SEVERAL_H
#define ASSAY_ORCHESTRATOR_RUNS_SEVERAL_H

#include "orchestrator/plan/pattern.h"
#include "orchestrator/runs/consensus.h"

/* One of several answers, with a status name of the API. */
struct item {
    const char *model_id; /* or the unknown name */
    const char *prompt;
    const char *answer; /* "" unless completed */
    const char *status; /* "completed", "failed", "error", "unknown_model", "no_adapter" */
};

struct item_list {
    size_t count, succeeded, failed;
    struct item *items;
};

/* Several models in parallel; `analysis` is the judge's text about the answers, which are numbered
 * in the order of the request. */
struct comparison {
    struct pattern_run run;
    bool was_run; /* false: none of the names is a model, and nothing was stored */
    struct item_list answers;
    const char *analysis;
    const struct model *judge; /* NULL = no comparison was requested */
};
MUST_CHECK enum error compare_run(struct comparison *comparison,
                                  const struct worker_context *worker, struct arena *arena,
                                  struct db *db, const char *prompt,
                                  const struct string_list *models, bool analyze, bool dry_run,
                                  struct problem *problem);

/* A position, its challenge, and an improved position. */
struct debate {
    struct pattern_run run;
    const char *position, *challenge, *defense; /* NULL when a call failed */
    struct result last;                         /* the failed call, else the defense */
};
MUST_CHECK enum error debate_run(struct debate *debate, const struct worker_context *worker,
                                 struct arena *arena, struct db *db, const char *topic,
                                 const char *position, const char *model, bool dry_run,
                                 struct problem *problem);

/* Several prompts to one model. */
struct batch {
    struct pattern_run run;
    struct item_list results;
};
MUST_CHECK enum error batch_run(struct batch *batch, const struct worker_context *worker,
                                struct arena *arena, struct db *db,
                                const struct string_list *prompts, const char *model, bool dry_run,
                                struct problem *problem);

/* One prompt by its level, optionally over a model of each provider. */
struct pipeline {
    struct pattern_run run;
    struct treatment treatment;
    enum task_type task_type;
    struct result answer;
    const char *answer_text; /* NULL when all calls failed */
    struct string_list models_used;
};
MUST_CHECK enum error pipeline_run(struct pipeline *pipeline, const struct worker_context *worker,
                                   struct arena *arena, struct db *db, const char *prompt,
                                   const char *model, const char *level, bool multi_model,
                                   bool dry_run, struct problem *problem);

#endif
