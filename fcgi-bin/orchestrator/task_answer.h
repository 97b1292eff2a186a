/* Tasks in answers: one struct for an orchestration that has just ended, for the list of tasks and
 * for one stored task, with a schema for each. */
#ifndef ASSAY_ORCHESTRATOR_TASK_ANSWER_H
#define ASSAY_ORCHESTRATOR_TASK_ANSWER_H

#include "base/schema.h"
#include "http/request.h"
#include "orchestrator/runs/orchestrate.h"

struct model_name {
    const char *id;
    const char *display_name;
};
SCHEMA_OF(model_name_schema, struct model_name);

/* A step among the results of a live run. */
SCHEMA_OF(step_result_schema, struct step_record);

/* A call that was not made, or failed. */
struct refusal_answer {
    const char *model_id;
    const char *reason;
    const char *message;
};

/* Statistics of the calls of a run. */
struct accounting_answer {
    int64_t calls;
    struct optional_integer input_tokens;
    struct optional_integer output_tokens;
    struct optional_integer cached_input_tokens, cache_write_tokens, reasoning_tokens;
    struct optional_number cost_usd;
    int64_t waited_ms;
    OBJECT_LIST(struct refusal_answer, refused); /* struct refusal_answer */
};
SCHEMA_OF(accounting_schema, struct accounting_answer);

struct task_answer {
    const char *task_id;
    int status;
    int64_t accepted_at;
    struct optional_integer completed_at, duration_ms;
    int execution_mode;
    const char *adapter_name;
    int failure_code;
    const char *failure_message;
    const struct model_name *model; /* the winning model; NULL = none */
    OBJECT_LIST(struct model_name, requested_models);
    const char *output_text;
    bool was_decomposed;
    int64_t subtask_count;
    OBJECT_LIST(struct step_record, results); /* absent in a dry run */
    const char *trace_id;
    const struct accounting_answer *accounting; /* for an orchestration only */
    /* For stored tasks, in the list or single. */
    bool dry_run;
    int64_t model_count;
    const char *cancel_reason, *session_id;
    int64_t cancelled_step_count;
    const char *prompt_preview;
    struct optional_number cost_usd;
    const char *prompt;
    bool reasoning;
    json_t *metadata;
    int64_t quorum;
    int merge_strategy, adapter_hint;
    bool cancel_on_quorum;
    const char *retry_of_task_id;
    struct optional_integer winning_step_index;
    json_t *cancelled_steps, *execution_details;
    OBJECT_LIST(struct step_record, steps);
    OBJECT_LIST(struct event_record, events);
    int64_t events_total;
};
/* An orchestration that has just ended, an item of the list, one stored task. */
SCHEMA_OF(task_answer_schema, struct task_answer);
SCHEMA_OF(task_item_schema, struct task_answer);
SCHEMA_OF(task_detail_schema, struct task_answer);

/* The answer of an orchestration that has ended; adds x-trace-id to the reply. ERROR_UNAVAILABLE
 * (503) when no user is signed in, ERROR_UNAVAILABLE (504) after a timeout. */
MUST_CHECK enum error task_answer_make(struct request *request, struct reply *reply,
                                       const struct orchestration *orchestration);

/* Fills in the statistics of the run's calls. */
const struct accounting_answer *accounting_of(const struct run *run, const struct result *results,
                                              size_t count);

/* 503 for a task that failed because no user is signed in; ERROR_NONE for all others. */
MUST_CHECK enum error task_answer_refuse(struct request *request, struct reply *reply,
                                         const struct task_run *task_run,
                                         const struct outcome *outcome);

/* Fills in the members common to all answers from the record. */
struct task_answer task_answer_of(const struct task_record *task);

/* Converts the steps of a live run into its results. */
struct object_list step_results(struct arena *arena, const struct task_record *task,
                                const struct step_list *steps);

#endif
