-- Tasks of one conversation.

ALTER TABLE orch_tasks ADD COLUMN session_id {text};

CREATE INDEX orch_tasks_by_session ON orch_tasks (session_id, accepted_at DESC, task_id DESC)
    WHERE session_id IS NOT NULL;
