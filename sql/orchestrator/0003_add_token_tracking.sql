-- What steps have used, what they cost, and which model really answered.

ALTER TABLE orch_task_steps ADD COLUMN input_tokens {integer};
ALTER TABLE orch_task_steps ADD COLUMN output_tokens {integer};
ALTER TABLE orch_task_steps ADD COLUMN cost_usd {real};
ALTER TABLE orch_task_steps ADD COLUMN executed_model_id {text};
