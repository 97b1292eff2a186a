-- When the call of a step began and ended. Not known of older steps.

ALTER TABLE orch_task_steps ADD COLUMN started_at {text};
ALTER TABLE orch_task_steps ADD COLUMN completed_at {text};
