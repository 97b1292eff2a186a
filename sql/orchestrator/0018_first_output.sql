-- When the first piece of a streamed answer came. Not known of whole answers and of older steps.

ALTER TABLE orch_task_steps ADD COLUMN first_output_at {text};
