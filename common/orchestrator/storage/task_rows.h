/* Private to common/orchestrator/storage: the columns of tasks, steps and events. */
#ifndef ASSAY_ORCHESTRATOR_STORAGE_TASK_ROWS_H
#define ASSAY_ORCHESTRATOR_STORAGE_TASK_ROWS_H

#include "db/query.h"
#include "orchestrator/storage/task_store.h"

#define TASK_COLUMNS                                                                               \
    "task_id, status, accepted_at, completed_at, duration_ms, prompt, reasoning, execution_mode,"  \
    " dry_run, model_count, quorum, merge_strategy, adapter_hint, cancel_on_quorum, failure_code," \
    " failure_message, output_text, metadata, retry_of_task_id, session_id, was_decomposed,"       \
    " subtask_count, decompose, key_id"
#define STEP_COLUMNS                                                                               \
    "task_id, step_index, model_id, model_display_name, backend, provider, status, failure_code,"  \
    " failure_message, output_text, duration_ms, input_tokens, output_tokens, cost_usd,"           \
    " executed_model_id, started_at, completed_at, first_output_at"
#define EVENT_COLUMNS "event_id, task_id, sequence_no, event_type, created_at, payload"

/* For SELECT: earlier versions wrote `pending` for a step without a call. */
#define STEP_COLUMNS_READ                                                                          \
    "task_id, step_index, model_id, model_display_name, backend, provider,"                        \
    " CASE WHEN status = 'pending' THEN 'accepted' ELSE status END AS status, failure_code,"       \
    " failure_message, output_text, duration_ms, input_tokens, output_tokens, cost_usd,"           \
    " executed_model_id, started_at, completed_at, first_output_at"

#endif
