/* Routes one prompt by its complexity: one call, subtasks, or consensus; then verifies the answer.
 */
#ifndef ASSAY_ORCHESTRATOR_RUNS_SMART_H
#define ASSAY_ORCHESTRATOR_RUNS_SMART_H

#include "orchestrator/plan/pattern.h"
#include "orchestrator/runs/consensus.h"

struct smart_request {
    const char *prompt;
    const char *model;             /* NULL = the default one */
    const char *reliability_level; /* NULL = absent, like the next one */
    const char *pattern;
    bool dry_run;
    bool second;                     /* smart/v2 */
    const struct fetch_watch *watch; /* NULL = nothing ends it early */
    /* A conversation and its last message of the user; `prompt` is its text. NULL = none. */
    const struct llm_request *conversation;
    const char *question;
};

/* Answers of different models to one prompt, successful ones only. */
struct fan_out {
    const struct model **models;
    const char **answers;
    size_t count;
};

struct smart {
    struct pattern_run run;
    struct treatment treatment;
    enum task_type task_type;
    struct complexity complexity;
    bool was_decomposed, used_consensus, used_roles;
    struct result answer;
    const char *answer_text;        /* NULL when the run failed */
    const char *verification;       /* NULL when it was not verified, or the verification failed */
    struct string_list models_used; /* models whose answers were merged */
    struct fan_out fan_out;         /* when several were called in parallel */
    struct consensus consensus;     /* when it was used */
};

/* The subscriber is in `run`, or `run` is zeroed. ERROR_INVALID (`run_rejected`) for an invalid
 * request. */
MUST_CHECK enum error smart_run(struct smart *smart, const struct worker_context *worker,
                                struct arena *arena, struct db *db,
                                const struct smart_request *wanted, struct problem *problem);

#endif
