-- Whether a prompt was to be split, and into how many.

ALTER TABLE orch_tasks ADD COLUMN was_decomposed {boolean} NOT NULL DEFAULT 0;
ALTER TABLE orch_tasks ADD COLUMN subtask_count {integer} NOT NULL DEFAULT 0;
ALTER TABLE orch_tasks ADD COLUMN decompose {boolean} NOT NULL DEFAULT 1;
