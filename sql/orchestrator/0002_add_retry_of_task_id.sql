-- The task that one tries again.

ALTER TABLE orch_tasks ADD COLUMN retry_of_task_id {text};

CREATE INDEX orch_tasks_retries ON orch_tasks (retry_of_task_id) WHERE retry_of_task_id IS NOT NULL;
