-- What the service orchestrator had written to sqlite at commit 432ab7d (README.md).
PRAGMA user_version = 8;
BEGIN TRANSACTION;
CREATE TABLE assay_identity (id TEXT NOT NULL, service TEXT NOT NULL, session TEXT NOT NULL, created_at TEXT NOT NULL);
INSERT INTO "assay_identity" VALUES('ed5825ca-5a04-47f8-bc94-bc3d3a24c8df','orchestrator','c82443a7-86a6-4b99-b292-dd0b618e8d53','2026-11-26T17:33:02.479809+00:00');
CREATE TABLE assay_probe (id INTEGER NOT NULL PRIMARY KEY, at TEXT NOT NULL);
CREATE TABLE orch_model_catalog_snapshots (
    catalog_key TEXT PRIMARY KEY,
    checked_at TEXT NOT NULL,
    source TEXT NOT NULL,
    payload TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;
CREATE TABLE "orch_runs" (
    task_id TEXT PRIMARY KEY REFERENCES orch_tasks (task_id) ON DELETE CASCADE,
    deadline_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE orch_spend (
    day TEXT NOT NULL,
    provider TEXT NOT NULL,
    nano_usd INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (day, provider)
) STRICT;
INSERT INTO "orch_spend" VALUES('2026-11-26','openai',20000);
CREATE TABLE "orch_spend_holds" (
    hold_id TEXT PRIMARY KEY,
    task_id TEXT NOT NULL,
    day TEXT NOT NULL,
    provider TEXT NOT NULL,
    nano_usd INTEGER NOT NULL,
    expires_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE orch_task_events (
    event_id TEXT PRIMARY KEY,
    task_id TEXT NOT NULL REFERENCES orch_tasks (task_id) ON DELETE CASCADE,
    sequence_no INTEGER NOT NULL,
    event_type TEXT NOT NULL,
    created_at TEXT NOT NULL,
    payload TEXT NOT NULL,
    UNIQUE (task_id, sequence_no)
) STRICT;
INSERT INTO "orch_task_events" VALUES('01a218eb-0410-446f-b02f-2a10af8188db','01a218eb-0410-4426-8694-9c93a8d5f961',1,'task.accepted','2026-11-26T17:33:04.912490+00:00','{"dry_run":false,"execution_plan":{"quorum":1,"merge_strategy":"first_success","adapter_hint":"auto","cancel_on_quorum":true,"steps":[{"step_index":1,"model_id":"gpt-5-4-api","display_name":"GPT-5.4 API","backend":"api","provider":"openai"}]}}');
INSERT INTO "orch_task_events" VALUES('01a218eb-0449-4383-bf96-fdaab0604e07','01a218eb-0410-4426-8694-9c93a8d5f961',2,'step.completed','2026-11-26T17:33:04.969164+00:00','{"step_index":1,"model_id":"gpt-5-4-api","model_display_name":"GPT-5.4 API","duration_ms":35,"details":{"provider":"openai","provider_model_id":"gpt-5.4","timeout_seconds":60.0,"attempts":1}}');
INSERT INTO "orch_task_events" VALUES('01a218eb-0449-428c-a974-b118b3df7538','01a218eb-0410-4426-8694-9c93a8d5f961',3,'task.completed','2026-11-26T17:33:04.969164+00:00','{"winning_step_index":1,"winning_model_id":"gpt-5-4-api","duration_ms":56,"cancelled_steps":[],"cancel_reason":null,"details":{"quorum":1,"merge_strategy":"first_success","adapter_names":["api.openai"],"completed_step_count":1,"failed_step_count":0,"cancelled_step_count":0,"failure_codes":[],"winning_step_index":1,"winning_model_id":"gpt-5-4-api","cancelled_steps":[],"cancel_reason":null}}');
INSERT INTO "orch_task_events" VALUES('01a218eb-0473-492a-9df3-0a77766643d9','01a218eb-0473-458c-97a3-21e40625150e',1,'task.accepted','2026-11-26T17:33:05.011634+00:00','{"dry_run":true,"execution_plan":{"quorum":1,"merge_strategy":"first_success","adapter_hint":"auto","cancel_on_quorum":true,"steps":[{"step_index":1,"model_id":"gpt-5-4-api","display_name":"GPT-5.4 API","backend":"api","provider":"openai"}]}}');
INSERT INTO "orch_task_events" VALUES('01a218eb-0480-4df0-aa85-4d3e20424610','01a218eb-0480-45d6-8922-f16ebeaf94b6',1,'task.accepted','2026-11-26T17:33:05.024808+00:00','{"dry_run":false,"execution_plan":{"quorum":1,"merge_strategy":"first_success","adapter_hint":"auto","cancel_on_quorum":true,"steps":[{"step_index":1,"model_id":"gpt-5-4-api","display_name":"GPT-5.4 API","backend":"api","provider":"openai"}]}}');
INSERT INTO "orch_task_events" VALUES('01a218eb-0482-47ef-b3b3-eb6056b28c07','01a218eb-0480-45d6-8922-f16ebeaf94b6',2,'step.failed','2026-11-26T17:33:05.025956+00:00','{"step_index":1,"model_id":"gpt-5-4-api","model_display_name":"GPT-5.4 API","failure_code":"provider_unavailable","failure_message":"OpenAI-compatible HTTP error: 500","details":{"provider":"openai","attempts":1}}');
INSERT INTO "orch_task_events" VALUES('01a218eb-0482-44d5-8016-cca5cf43c39e','01a218eb-0480-45d6-8922-f16ebeaf94b6',3,'task.failed','2026-11-26T17:33:05.025956+00:00','{"failure_code":"provider_unavailable","failure_message":"OpenAI-compatible HTTP error: 500","failed_steps":[{"step_index":1,"model_id":"gpt-5-4-api","model_display_name":"GPT-5.4 API","failure_code":"provider_unavailable","failure_message":"OpenAI-compatible HTTP error: 500","details":{"provider":"openai","attempts":1}}],"details":{"quorum":1,"merge_strategy":"first_success","adapter_names":["api.openai"],"completed_step_count":0,"failed_step_count":1,"cancelled_step_count":0,"failure_codes":["provider_unavailable"],"winning_step_index":null,"winning_model_id":null,"cancelled_steps":[],"cancel_reason":null}}');
CREATE TABLE orch_task_steps (
    task_id TEXT NOT NULL REFERENCES orch_tasks (task_id) ON DELETE CASCADE,
    step_index INTEGER NOT NULL,
    model_id TEXT NOT NULL,
    model_display_name TEXT NOT NULL,
    backend TEXT NOT NULL,
    provider TEXT NOT NULL,
    status TEXT NOT NULL,
    failure_code TEXT,
    failure_message TEXT,
    output_text TEXT,
    duration_ms INTEGER, input_tokens INTEGER, output_tokens INTEGER, cost_usd REAL, executed_model_id TEXT,
    PRIMARY KEY (task_id, step_index)
) STRICT;
INSERT INTO "orch_task_steps" VALUES('01a218eb-0410-4426-8694-9c93a8d5f961',1,'gpt-5-4-api','GPT-5.4 API','api','openai','succeeded',NULL,NULL,'yes',35,1,1,2.0e-05,NULL);
INSERT INTO "orch_task_steps" VALUES('01a218eb-0480-45d6-8922-f16ebeaf94b6',1,'gpt-5-4-api','GPT-5.4 API','api','openai','failed','provider_unavailable','OpenAI-compatible HTTP error: 500',NULL,0,NULL,NULL,NULL,NULL);
CREATE TABLE orch_tasks (
    task_id TEXT PRIMARY KEY,
    status TEXT NOT NULL,
    accepted_at TEXT NOT NULL,
    completed_at TEXT,
    duration_ms INTEGER,
    prompt TEXT NOT NULL,
    prompt_folded TEXT NOT NULL DEFAULT '',
    reasoning INTEGER NOT NULL DEFAULT 0,
    execution_mode TEXT NOT NULL,
    dry_run INTEGER NOT NULL DEFAULT 1,
    model_count INTEGER NOT NULL DEFAULT 1,
    quorum INTEGER NOT NULL DEFAULT 1,
    merge_strategy TEXT NOT NULL DEFAULT 'first_success',
    adapter_hint TEXT NOT NULL DEFAULT 'auto',
    cancel_on_quorum INTEGER NOT NULL DEFAULT 1,
    failure_code TEXT,
    failure_message TEXT,
    output_text TEXT,
    metadata TEXT NOT NULL DEFAULT '{}'
, retry_of_task_id TEXT, session_id TEXT, was_decomposed INTEGER NOT NULL DEFAULT 0, subtask_count INTEGER NOT NULL DEFAULT 0, decompose INTEGER NOT NULL DEFAULT 1) STRICT;
INSERT INTO "orch_tasks" VALUES('01a218eb-0410-4426-8694-9c93a8d5f961','succeeded','2026-11-26T17:33:04.912490+00:00','2026-11-26T17:33:04.969164+00:00',56,'hello','hello',0,'api',0,1,1,'first_success','auto',1,NULL,NULL,'yes','{"a":1}',NULL,'s',0,0,1);
INSERT INTO "orch_tasks" VALUES('01a218eb-0473-458c-97a3-21e40625150e','succeeded','2026-11-26T17:33:05.011634+00:00','2026-11-26T17:33:05.011645+00:00',0,'dry','dry',0,'dry_run',1,1,1,'first_success','auto',1,NULL,NULL,'[dry-run] Simulated response for: dry','{}',NULL,NULL,0,0,1);
INSERT INTO "orch_tasks" VALUES('01a218eb-0480-45d6-8922-f16ebeaf94b6','failed','2026-11-26T17:33:05.024808+00:00','2026-11-26T17:33:05.025956+00:00',1,'fails','fails',0,'api',0,1,1,'first_success','auto',1,'provider_unavailable','OpenAI-compatible HTTP error: 500',NULL,'{}',NULL,NULL,0,0,1);
CREATE TABLE schema_migrations ( version INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL, applied_at TEXT NOT NULL);
INSERT INTO "schema_migrations" VALUES(1,'0001_initial.sql','2026-11-26T17:33:02.454976+00:00');
INSERT INTO "schema_migrations" VALUES(2,'0002_add_retry_of_task_id.sql','2026-11-26T17:33:02.474275+00:00');
INSERT INTO "schema_migrations" VALUES(3,'0003_add_token_tracking.sql','2026-11-26T17:33:02.474663+00:00');
INSERT INTO "schema_migrations" VALUES(4,'0004_add_session_id.sql','2026-11-26T17:33:02.474855+00:00');
INSERT INTO "schema_migrations" VALUES(5,'0005_add_decomposition_fields.sql','2026-11-26T17:33:02.475172+00:00');
INSERT INTO "schema_migrations" VALUES(6,'0006_add_model_catalog_snapshot.sql','2026-11-26T17:33:02.475282+00:00');
INSERT INTO "schema_migrations" VALUES(7,'0007_spend_and_runs.sql','2026-11-26T17:33:02.475516+00:00');
INSERT INTO "schema_migrations" VALUES(8,'0008_fewer_pages.sql','2026-11-26T17:33:02.479637+00:00');
CREATE INDEX orch_tasks_by_status ON orch_tasks (status, accepted_at);
CREATE INDEX orch_task_steps_by_model ON orch_task_steps (model_id);
CREATE INDEX orch_task_steps_by_status ON orch_task_steps (status);
CREATE INDEX orch_task_steps_by_provider ON orch_task_steps (provider);
CREATE INDEX orch_tasks_retries ON orch_tasks (retry_of_task_id) WHERE retry_of_task_id IS NOT NULL;
CREATE INDEX orch_tasks_newest ON orch_tasks (accepted_at, task_id);
CREATE INDEX orch_tasks_by_session ON orch_tasks (session_id, accepted_at, task_id)
    WHERE session_id IS NOT NULL;
COMMIT;
