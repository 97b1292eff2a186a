-- Orchestrations, their steps and what happened in them. Timestamps are UTC text of one width, so that
-- they compare bytewise. JSON is kept as text: digests of snapshots depend on how numbers are spelled.

CREATE TABLE orch_tasks (
    task_id {text} PRIMARY KEY,
    status {text} NOT NULL,
    accepted_at {text} NOT NULL,
    completed_at {text},
    duration_ms {integer},
    prompt {text} NOT NULL,
    prompt_folded {text} NOT NULL DEFAULT '',
    reasoning {boolean} NOT NULL DEFAULT 0,
    execution_mode {text} NOT NULL,
    dry_run {boolean} NOT NULL DEFAULT 1,
    model_count {integer} NOT NULL DEFAULT 1,
    quorum {integer} NOT NULL DEFAULT 1,
    merge_strategy {text} NOT NULL DEFAULT 'first_success',
    adapter_hint {text} NOT NULL DEFAULT 'auto',
    cancel_on_quorum {boolean} NOT NULL DEFAULT 1,
    failure_code {text},
    failure_message {text},
    output_text {text},
    metadata {text} NOT NULL DEFAULT '{}'
) {strict};

CREATE INDEX orch_tasks_newest ON orch_tasks (accepted_at DESC, task_id DESC);
CREATE INDEX orch_tasks_by_status ON orch_tasks (status, accepted_at);

CREATE TABLE orch_task_steps (
    task_id {text} NOT NULL REFERENCES orch_tasks (task_id) ON DELETE CASCADE,
    step_index {integer} NOT NULL,
    model_id {text} NOT NULL,
    model_display_name {text} NOT NULL,
    backend {text} NOT NULL,
    provider {text} NOT NULL,
    status {text} NOT NULL,
    failure_code {text},
    failure_message {text},
    output_text {text},
    duration_ms {integer},
    PRIMARY KEY (task_id, step_index)
) {strict};

CREATE INDEX orch_task_steps_by_model ON orch_task_steps (model_id);
CREATE INDEX orch_task_steps_by_status ON orch_task_steps (status);
CREATE INDEX orch_task_steps_by_provider ON orch_task_steps (provider);

CREATE TABLE orch_task_events (
    event_id {text} PRIMARY KEY,
    task_id {text} NOT NULL REFERENCES orch_tasks (task_id) ON DELETE CASCADE,
    sequence_no {integer} NOT NULL,
    event_type {text} NOT NULL,
    created_at {text} NOT NULL,
    payload {text} NOT NULL,
    UNIQUE (task_id, sequence_no)
) {strict};
