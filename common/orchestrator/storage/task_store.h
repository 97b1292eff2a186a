/*
 * Tasks, their steps and events. A task is stored before its first call and ended once: by its
 * worker, or by another worker after its deadline.
 */
#ifndef ASSAY_ORCHESTRATOR_STORAGE_TASK_STORE_H
#define ASSAY_ORCHESTRATOR_STORAGE_TASK_STORE_H

#include "base/schema.h"
#include "db/db.h"
#include "orchestrator/names.h"

/* A row of orch_tasks, and a task of a snapshot. */
struct task_record {
    const char *task_id;
    int status;                           /* enum run_status */
    int64_t accepted_at;                  /* microseconds since 1970, as all timestamps */
    struct optional_integer completed_at; /* absent while it runs */
    struct optional_integer duration_ms;
    const char *prompt;
    const char *prompt_folded; /* text_fold() of the prompt, for searching; written, not read */
    bool reasoning;
    int execution_mode; /* enum execution_mode */
    bool dry_run;
    int64_t model_count;
    int64_t quorum;
    int merge_strategy; /* enum merge_strategy */
    int adapter_hint;   /* enum adapter_hint */
    bool cancel_on_quorum;
    int failure_code; /* enum failure_code */
    const char *failure_message;
    const char *output_text;
    const char *metadata; /* JSON */
    const char *retry_of_task_id;
    const char *session_id;
    bool was_decomposed;
    int64_t subtask_count;
    bool decompose;
    const char *key_id; /* the virtual key it was sent with; NULL = none. Not in snapshots. */
};

/* A row of orch_task_steps, and a step of a snapshot. */
struct step_record {
    const char *task_id; /* set only when read in bulk */
    int64_t step_index;  /* from 1 */
    const char *model_id;
    const char *model_display_name;
    int backend; /* enum backend */
    const char *provider;
    int status; /* enum run_status; RUN_ACCEPTED = not called yet */
    int failure_code;
    const char *failure_message;
    const char *output_text;
    struct optional_integer duration_ms;
    struct optional_integer input_tokens, output_tokens;
    struct optional_number cost_usd;
    const char *executed_model_id;      /* NULL = model_id */
    struct optional_integer started_at; /* of its call; absent: never made, or unknown */
    struct optional_integer completed_at;
    struct optional_integer first_output_at; /* of a streamed answer */
    const char *details;                     /* for its event; not stored with the step */
    /* For answers only. */
    const char *adapter_name; /* "api.openai" */
    bool output_truncated;
};

/* A row of orch_task_events, and an event of a snapshot. */
struct event_record {
    const char *event_id; /* NULL = generated when it is stored */
    const char *task_id;
    int64_t sequence_no;
    int event_type; /* enum event_type */
    int64_t created_at;
    const char *payload; /* JSON */
};

/* Schemas of a record: its columns, and its members in a snapshot. */
SCHEMA_OF(task_record_schema, struct task_record);
SCHEMA_OF(step_record_schema, struct step_record);
SCHEMA_OF(event_record_schema, struct event_record);

struct step_list {
    size_t count;
    struct step_record *items;
};
struct event_list {
    size_t count;
    struct event_record *items;
};
struct task_list {
    size_t count;
    struct task_record *items;
};

/* A whole task. */
struct task_bundle {
    struct task_record task;
    struct step_list steps;
    struct event_list events;
};

/* Stores a new task with its first event. When it has not ended after so many seconds, by the
 * database's clock, any worker may end it. */
MUST_CHECK enum error task_begin(struct db *db, const struct task_record *task,
                                 const struct event_record *accepted, double seconds,
                                 struct problem *problem);

/* Ends a task, with steps and the further events, in its own transaction or the caller's.
 * ERROR_CONFLICT (`task_ended`) when it has already ended. */
MUST_CHECK enum error task_finish(struct db *db, const struct task_bundle *bundle,
                                  struct problem *problem);

/* Stores a whole task, or replaces the one with its id. */
MUST_CHECK enum error task_replace(struct db *db, const struct task_bundle *bundle,
                                   struct problem *problem);

/* ERROR_NOT_FOUND (`task_not_found`). */
MUST_CHECK enum error task_get(struct db *db, struct arena *arena, const char *task_id,
                               struct task_record *task, struct problem *problem);

struct task_filter {
    int status, execution_mode, failure_code; /* -1 = any */
    struct optional_boolean dry_run;
    struct optional_integer before; /* accepted strictly before; absent = any */
    const char *prompt_contains;    /* without regard to case; NULL = any */
    const char *key_id;             /* sent with this virtual key; NULL = any or none */
    int64_t limit;
};
/* Newest first. */
MUST_CHECK enum error task_list_recent(struct db *db, struct arena *arena,
                                       const struct task_filter *filter, struct task_list *list,
                                       struct problem *problem);

/* The last tasks of a session that were sent with the same virtual key (NULL = with none), oldest
 * first; only prompt and output are filled in. */
MUST_CHECK enum error task_list_session(struct db *db, struct arena *arena, const char *session_id,
                                        const char *key_id, int64_t most, struct task_list *list,
                                        struct problem *problem);

MUST_CHECK enum error task_steps(struct db *db, struct arena *arena, const char *task_id,
                                 struct step_list *steps, struct problem *problem);

/* A page of a task's events in their order; `limit` 0 = all from `offset` on. `total` may be NULL.
 */
MUST_CHECK enum error task_events(struct db *db, struct arena *arena, const char *task_id,
                                  int64_t limit, int64_t offset, struct event_list *events,
                                  int64_t *total, struct problem *problem);

/* The event that ended the task; an empty list while it runs. */
MUST_CHECK enum error task_terminal_event(struct db *db, struct arena *arena, const char *task_id,
                                          struct event_list *event, struct problem *problem);

/* Steps and the first and terminal events of several tasks at once, ordered by task. */
MUST_CHECK enum error task_steps_of(struct db *db, struct arena *arena,
                                    const struct string_list *task_ids, struct step_list *steps,
                                    struct problem *problem);
MUST_CHECK enum error task_events_of(struct db *db, struct arena *arena,
                                     const struct string_list *task_ids, bool outer_only,
                                     struct event_list *events, struct problem *problem);

struct model_statistics {
    const char *model_id;
    int64_t total_executions; /* cancelled ones included */
    int64_t successful, failed;
    double success_rate;    /* of all executions */
    double avg_duration_ms; /* over those with a duration; 0 without any */
};
SCHEMA_OF(model_statistics_schema, struct model_statistics);
struct statistics_list {
    size_t count;
    struct model_statistics *items; /* by model */
};
/* Over the steps of the newest `tasks` tasks. */
MUST_CHECK enum error task_statistics(struct db *db, struct arena *arena, int64_t tasks,
                                      struct statistics_list *list, struct problem *problem);

/* Ends tasks past their deadline, whose worker is dead. Returns how many. */
MUST_CHECK enum error task_sweep(struct db *db, struct arena *arena, int64_t *swept,
                                 struct problem *problem);

/* Deletes all but the newest `most` tasks. */
MUST_CHECK enum error task_evict(struct db *db, struct arena *arena, int64_t most,
                                 struct problem *problem);

#endif
