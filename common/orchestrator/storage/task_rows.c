/* The schemas of tasks, steps and events: their columns in the store, and their members in
 * snapshots. */
#include "orchestrator/storage/task_rows.h"

#define OWNER struct task_record
static const struct field task_fields[] = {
    STRING(OWNER, task_id),
    CHOICE(OWNER, status, run_status_names, .choice_count = RUN_STATUS__MAX),
    TIME(OWNER, accepted_at, .time = TIME_Z),
    MOMENT(OWNER, completed_at, .time = TIME_Z),
    NULLABLE_INTEGER(OWNER, duration_ms),
    STRING(OWNER, prompt),
    BOOLEAN(OWNER, reasoning),
    CHOICE(OWNER, execution_mode, execution_mode_names, .choice_count = EXECUTION_MODE__MAX),
    BOOLEAN(OWNER, dry_run),
    INTEGER(OWNER, model_count),
    INTEGER(OWNER, quorum),
    CHOICE(OWNER, merge_strategy, merge_strategy_names, .choice_count = MERGE_STRATEGY__MAX),
    CHOICE(OWNER, adapter_hint, adapter_hint_names, .choice_count = ADAPTER_HINT__MAX),
    BOOLEAN(OWNER, cancel_on_quorum),
    CHOICE(OWNER, failure_code, failure_code_names, .choice_count = FAILURE_CODE__MAX,
           .nullable = true),
    STRING(OWNER, failure_message, .nullable = true),
    STRING(OWNER, output_text, .nullable = true),
    WRITTEN_JSON(OWNER, metadata),
    STRING(OWNER, retry_of_task_id, .nullable = true),
    STRING(OWNER, session_id, .nullable = true),
    BOOLEAN(OWNER, was_decomposed),
    INTEGER(OWNER, subtask_count),
    BOOLEAN(OWNER, decompose),
    STRING(OWNER, key_id, .nullable = true, .internal = true),
};
#undef OWNER
SCHEMA(task_record_schema, struct task_record, "TaskRecord", task_fields);

#define OWNER struct step_record
static const struct field step_fields[] = {
    STRING(OWNER, task_id),
    INTEGER(OWNER, step_index),
    STRING(OWNER, model_id),
    STRING(OWNER, model_display_name),
    CHOICE(OWNER, backend, backend_names, .choice_count = BACKEND__MAX),
    STRING(OWNER, provider),
    CHOICE(OWNER, status, run_status_names, .choice_count = RUN_STATUS__MAX),
    CHOICE(OWNER, failure_code, failure_code_names, .choice_count = FAILURE_CODE__MAX,
           .nullable = true),
    STRING(OWNER, failure_message, .nullable = true),
    STRING(OWNER, output_text, .nullable = true),
    NULLABLE_INTEGER(OWNER, duration_ms),
    NULLABLE_INTEGER(OWNER, input_tokens),
    NULLABLE_INTEGER(OWNER, output_tokens),
    NULLABLE_NUMBER(OWNER, cost_usd),
    STRING(OWNER, executed_model_id, .nullable = true),
    MOMENT(OWNER, started_at, .time = TIME_Z),
    MOMENT(OWNER, completed_at, .time = TIME_Z),
    MOMENT(OWNER, first_output_at, .time = TIME_Z),
};
#undef OWNER
SCHEMA(step_record_schema, struct step_record, "StepRecord", step_fields);

#define OWNER struct event_record
static const struct field event_fields[] = {
    STRING(OWNER, event_id),
    STRING(OWNER, task_id),
    INTEGER(OWNER, sequence_no),
    CHOICE(OWNER, event_type, event_type_names, .choice_count = EVENT_TYPE__MAX),
    TIME(OWNER, created_at, .time = TIME_Z),
    WRITTEN_JSON(OWNER, payload),
};
#undef OWNER
SCHEMA(event_record_schema, struct event_record, "EventRecord", event_fields);
