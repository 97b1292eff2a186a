-- Whether personal data in the prompts of a key is replaced before models get it, and in stored tasks.

ALTER TABLE orch_keys ADD COLUMN redacts_prompts {boolean} NOT NULL DEFAULT 0;
