/* How an orchestration is answered, and a task shown. */
#ifndef ASSAY_ORCHESTRATOR_TASK_ANSWER_H
#define ASSAY_ORCHESTRATOR_TASK_ANSWER_H

#include "base/schema.h"
#include "http/request.h"
#include "orchestrator/runs/orchestrate.h"

struct model_name {
    const char *id;
    const char *display_name;
};

/* One step of a live run. */
struct step_answer {
    int64_t step_index;
    const char *model_id;
    const char *model_display_name;
    const char *adapter_name;
    int status; /* enum run_status */
    const char *output_text;
    int failure_code;
    const char *failure_message;
    struct optional_integer duration_ms;
    struct optional_integer input_tokens;
    struct optional_integer output_tokens;
    struct optional_number cost_usd;
    const char *started_at, *completed_at;
};

/* A call that was not made, or not answered, and why. */
struct refusal_answer {
    const char *model_id;
    const char *reason;
    const char *message;
};

/* What an answer took. */
struct accounting_answer {
    int64_t calls;
    struct optional_integer input_tokens;
    struct optional_integer output_tokens;
    struct optional_integer cached_input_tokens, cache_write_tokens, reasoning_tokens;
    struct optional_number cost_usd;
    int64_t waited_ms;
    OBJECT_LIST(struct refusal_answer, refused); /* struct refusal_answer */
};

struct task_answer {
    const char *task_id;
    int status;
    const char *accepted_at;
    const char *completed_at;
    struct optional_integer duration_ms;
    int execution_mode;
    const char *adapter_name;
    int failure_code;
    const char *failure_message;
    const struct model_name *model;
    OBJECT_LIST(struct model_name, requested_models); /* struct model_name */
    const char *output_text;
    bool was_decomposed;
    int64_t subtask_count;
    OBJECT_LIST(struct step_answer, results); /* struct step_answer; none in a dry run */
    const char *trace_id;
    const struct accounting_answer *accounting;
};

SCHEMA_OF(model_name_schema, struct model_name);
SCHEMA_OF(step_answer_schema, struct step_answer);
SCHEMA_OF(accounting_schema, struct accounting_answer);
SCHEMA_OF(task_answer_schema, struct task_answer);

/* The answer of an orchestration that has ended; adds x-trace-id to the reply. ERROR_UNAVAILABLE
 * (503) where nobody is signed in, ERROR_UNAVAILABLE (504) where the time was up. */
MUST_CHECK enum error task_answer_make(struct request *request, struct reply *reply,
                                       const struct orchestration *orchestration);

/* What the calls of a run took. */
const struct accounting_answer *accounting_of(const struct run *run, const struct result *results,
                                              size_t count);

/* 503 for a task that failed because nobody is signed in; ERROR_NONE for all others. */
MUST_CHECK enum error task_answer_refuse(struct request *request, struct reply *reply,
                                         const struct task_run *task_run,
                                         const struct outcome *outcome);

struct step_answer step_answer_of(struct arena *arena, const struct step_record *step);

#endif
