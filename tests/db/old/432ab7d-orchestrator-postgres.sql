-- What the service orchestrator had written to postgres at commit 432ab7d (README.md).
SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE public.assay_identity (
    id text NOT NULL,
    service text NOT NULL,
    session text NOT NULL,
    created_at text NOT NULL
);
CREATE TABLE public.assay_probe (
    id integer NOT NULL,
    at text NOT NULL
);
CREATE TABLE public.orch_model_catalog_snapshots (
    catalog_key text NOT NULL COLLATE pg_catalog."C",
    checked_at text NOT NULL COLLATE pg_catalog."C",
    source text NOT NULL COLLATE pg_catalog."C",
    payload text NOT NULL COLLATE pg_catalog."C",
    updated_at text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.orch_runs (
    task_id text NOT NULL COLLATE pg_catalog."C",
    deadline_at text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.orch_spend (
    day text NOT NULL COLLATE pg_catalog."C",
    provider text NOT NULL COLLATE pg_catalog."C",
    nano_usd bigint DEFAULT 0 NOT NULL
);
CREATE TABLE public.orch_spend_holds (
    hold_id text NOT NULL COLLATE pg_catalog."C",
    task_id text NOT NULL COLLATE pg_catalog."C",
    day text NOT NULL COLLATE pg_catalog."C",
    provider text NOT NULL COLLATE pg_catalog."C",
    nano_usd bigint NOT NULL,
    expires_at text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.orch_task_events (
    event_id text NOT NULL COLLATE pg_catalog."C",
    task_id text NOT NULL COLLATE pg_catalog."C",
    sequence_no bigint NOT NULL,
    event_type text NOT NULL COLLATE pg_catalog."C",
    created_at text NOT NULL COLLATE pg_catalog."C",
    payload text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.orch_task_steps (
    task_id text NOT NULL COLLATE pg_catalog."C",
    step_index bigint NOT NULL,
    model_id text NOT NULL COLLATE pg_catalog."C",
    model_display_name text NOT NULL COLLATE pg_catalog."C",
    backend text NOT NULL COLLATE pg_catalog."C",
    provider text NOT NULL COLLATE pg_catalog."C",
    status text NOT NULL COLLATE pg_catalog."C",
    failure_code text COLLATE pg_catalog."C",
    failure_message text COLLATE pg_catalog."C",
    output_text text COLLATE pg_catalog."C",
    duration_ms bigint,
    input_tokens bigint,
    output_tokens bigint,
    cost_usd double precision,
    executed_model_id text COLLATE pg_catalog."C"
);
CREATE TABLE public.orch_tasks (
    task_id text NOT NULL COLLATE pg_catalog."C",
    status text NOT NULL COLLATE pg_catalog."C",
    accepted_at text NOT NULL COLLATE pg_catalog."C",
    completed_at text COLLATE pg_catalog."C",
    duration_ms bigint,
    prompt text NOT NULL COLLATE pg_catalog."C",
    prompt_folded text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    reasoning smallint DEFAULT 0 NOT NULL,
    execution_mode text NOT NULL COLLATE pg_catalog."C",
    dry_run smallint DEFAULT 1 NOT NULL,
    model_count bigint DEFAULT 1 NOT NULL,
    quorum bigint DEFAULT 1 NOT NULL,
    merge_strategy text DEFAULT 'first_success'::text NOT NULL COLLATE pg_catalog."C",
    adapter_hint text DEFAULT 'auto'::text NOT NULL COLLATE pg_catalog."C",
    cancel_on_quorum smallint DEFAULT 1 NOT NULL,
    failure_code text COLLATE pg_catalog."C",
    failure_message text COLLATE pg_catalog."C",
    output_text text COLLATE pg_catalog."C",
    metadata text DEFAULT '{}'::text NOT NULL COLLATE pg_catalog."C",
    retry_of_task_id text COLLATE pg_catalog."C",
    session_id text COLLATE pg_catalog."C",
    was_decomposed smallint DEFAULT 0 NOT NULL,
    subtask_count bigint DEFAULT 0 NOT NULL,
    decompose smallint DEFAULT 1 NOT NULL
);
CREATE TABLE public.schema_migrations (
    version integer NOT NULL,
    name text NOT NULL,
    applied_at text NOT NULL
);
INSERT INTO public.assay_identity VALUES ('c42f7885-c49e-4d49-86cd-ff92b9f48b6f', 'orchestrator', '78abd375-8659-4f27-9ff7-3c20901bb3c7', '2026-11-26T17:33:08.478503+00:00');
INSERT INTO public.orch_spend VALUES ('2026-11-26', 'openai', 20000);
INSERT INTO public.orch_task_events VALUES ('01a218eb-1a93-40e0-a5b8-b6891b8fc4db', '01a218eb-1a92-4421-8ab6-cdf741b7570d', 1, 'task.accepted', '2026-11-26T17:33:10.674319+00:00', '{"dry_run":false,"execution_plan":{"quorum":1,"merge_strategy":"first_success","adapter_hint":"auto","cancel_on_quorum":true,"steps":[{"step_index":1,"model_id":"gpt-5-4-api","display_name":"GPT-5.4 API","backend":"api","provider":"openai"}]}}');
INSERT INTO public.orch_task_events VALUES ('01a218eb-1abf-4a9b-8eb8-7f7f8a3f6c09', '01a218eb-1a92-4421-8ab6-cdf741b7570d', 2, 'step.completed', '2026-11-26T17:33:10.709894+00:00', '{"step_index":1,"model_id":"gpt-5-4-api","model_display_name":"GPT-5.4 API","duration_ms":24,"details":{"provider":"openai","provider_model_id":"gpt-5.4","timeout_seconds":60.0,"attempts":1}}');
INSERT INTO public.orch_task_events VALUES ('01a218eb-1ac2-4d6a-ab0b-42ee5d6a516d', '01a218eb-1a92-4421-8ab6-cdf741b7570d', 3, 'task.completed', '2026-11-26T17:33:10.709894+00:00', '{"winning_step_index":1,"winning_model_id":"gpt-5-4-api","duration_ms":35,"cancelled_steps":[],"cancel_reason":null,"details":{"quorum":1,"merge_strategy":"first_success","adapter_names":["api.openai"],"completed_step_count":1,"failed_step_count":0,"cancelled_step_count":0,"failure_codes":[],"winning_step_index":1,"winning_model_id":"gpt-5-4-api","cancelled_steps":[],"cancel_reason":null}}');
INSERT INTO public.orch_task_events VALUES ('01a218eb-1aea-4b60-8479-839618ab2cf1', '01a218eb-1aea-4e2b-b7df-9fd6b08eb590', 1, 'task.accepted', '2026-11-26T17:33:10.762060+00:00', '{"dry_run":true,"execution_plan":{"quorum":1,"merge_strategy":"first_success","adapter_hint":"auto","cancel_on_quorum":true,"steps":[{"step_index":1,"model_id":"gpt-5-4-api","display_name":"GPT-5.4 API","backend":"api","provider":"openai"}]}}');
INSERT INTO public.orch_task_events VALUES ('01a218eb-1af2-46a8-94be-d3f36df859ad', '01a218eb-1af2-4950-90e7-cac3a22f0ceb', 1, 'task.accepted', '2026-11-26T17:33:10.770024+00:00', '{"dry_run":false,"execution_plan":{"quorum":1,"merge_strategy":"first_success","adapter_hint":"auto","cancel_on_quorum":true,"steps":[{"step_index":1,"model_id":"gpt-5-4-api","display_name":"GPT-5.4 API","backend":"api","provider":"openai"}]}}');
INSERT INTO public.orch_task_events VALUES ('01a218eb-1b0a-4a04-8251-34e170040f59', '01a218eb-1af2-4950-90e7-cac3a22f0ceb', 2, 'step.failed', '2026-11-26T17:33:10.777425+00:00', '{"step_index":1,"model_id":"gpt-5-4-api","model_display_name":"GPT-5.4 API","failure_code":"provider_unavailable","failure_message":"OpenAI-compatible HTTP error: 500","details":{"provider":"openai","attempts":1}}');
INSERT INTO public.orch_task_events VALUES ('01a218eb-1b0a-4fd0-883c-951e2ee6e787', '01a218eb-1af2-4950-90e7-cac3a22f0ceb', 3, 'task.failed', '2026-11-26T17:33:10.777425+00:00', '{"failure_code":"provider_unavailable","failure_message":"OpenAI-compatible HTTP error: 500","failed_steps":[{"step_index":1,"model_id":"gpt-5-4-api","model_display_name":"GPT-5.4 API","failure_code":"provider_unavailable","failure_message":"OpenAI-compatible HTTP error: 500","details":{"provider":"openai","attempts":1}}],"details":{"quorum":1,"merge_strategy":"first_success","adapter_names":["api.openai"],"completed_step_count":0,"failed_step_count":1,"cancelled_step_count":0,"failure_codes":["provider_unavailable"],"winning_step_index":null,"winning_model_id":null,"cancelled_steps":[],"cancel_reason":null}}');
INSERT INTO public.orch_task_steps VALUES ('01a218eb-1a92-4421-8ab6-cdf741b7570d', 1, 'gpt-5-4-api', 'GPT-5.4 API', 'api', 'openai', 'succeeded', NULL, NULL, 'yes', 24, 1, 1, 2e-05, NULL);
INSERT INTO public.orch_task_steps VALUES ('01a218eb-1af2-4950-90e7-cac3a22f0ceb', 1, 'gpt-5-4-api', 'GPT-5.4 API', 'api', 'openai', 'failed', 'provider_unavailable', 'OpenAI-compatible HTTP error: 500', NULL, 2, NULL, NULL, NULL, NULL);
INSERT INTO public.orch_tasks VALUES ('01a218eb-1a92-4421-8ab6-cdf741b7570d', 'succeeded', '2026-11-26T17:33:10.674319+00:00', '2026-11-26T17:33:10.709894+00:00', 35, 'hello', 'hello', 0, 'api', 0, 1, 1, 'first_success', 'auto', 1, NULL, NULL, 'yes', '{"a":1}', NULL, 's', 0, 0, 1);
INSERT INTO public.orch_tasks VALUES ('01a218eb-1aea-4e2b-b7df-9fd6b08eb590', 'succeeded', '2026-11-26T17:33:10.762060+00:00', '2026-11-26T17:33:10.762072+00:00', 0, 'dry', 'dry', 0, 'dry_run', 1, 1, 1, 'first_success', 'auto', 1, NULL, NULL, '[dry-run] Simulated response for: dry', '{}', NULL, NULL, 0, 0, 1);
INSERT INTO public.orch_tasks VALUES ('01a218eb-1af2-4950-90e7-cac3a22f0ceb', 'failed', '2026-11-26T17:33:10.770024+00:00', '2026-11-26T17:33:10.777425+00:00', 7, 'fails', 'fails', 0, 'api', 0, 1, 1, 'first_success', 'auto', 1, 'provider_unavailable', 'OpenAI-compatible HTTP error: 500', NULL, '{}', NULL, NULL, 0, 0, 1);
INSERT INTO public.schema_migrations VALUES (1, '0001_initial.sql', '2026-11-26T17:33:08.202675+00:00');
INSERT INTO public.schema_migrations VALUES (2, '0002_add_retry_of_task_id.sql', '2026-11-26T17:33:08.239274+00:00');
INSERT INTO public.schema_migrations VALUES (3, '0003_add_token_tracking.sql', '2026-11-26T17:33:08.240037+00:00');
INSERT INTO public.schema_migrations VALUES (4, '0004_add_session_id.sql', '2026-11-26T17:33:08.329513+00:00');
INSERT INTO public.schema_migrations VALUES (5, '0005_add_decomposition_fields.sql', '2026-11-26T17:33:08.330382+00:00');
INSERT INTO public.schema_migrations VALUES (6, '0006_add_model_catalog_snapshot.sql', '2026-11-26T17:33:08.332047+00:00');
INSERT INTO public.schema_migrations VALUES (7, '0007_spend_and_runs.sql', '2026-11-26T17:33:08.384363+00:00');
INSERT INTO public.schema_migrations VALUES (8, '0008_fewer_pages.sql', '2026-11-26T17:33:08.418074+00:00');
ALTER TABLE ONLY public.assay_probe
    ADD CONSTRAINT assay_probe_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.orch_model_catalog_snapshots
    ADD CONSTRAINT orch_model_catalog_snapshots_pkey PRIMARY KEY (catalog_key);
ALTER TABLE ONLY public.orch_runs
    ADD CONSTRAINT orch_runs_anew_pkey PRIMARY KEY (task_id);
ALTER TABLE ONLY public.orch_spend_holds
    ADD CONSTRAINT orch_spend_holds_anew_pkey PRIMARY KEY (hold_id);
ALTER TABLE ONLY public.orch_spend
    ADD CONSTRAINT orch_spend_pkey PRIMARY KEY (day, provider);
ALTER TABLE ONLY public.orch_task_events
    ADD CONSTRAINT orch_task_events_pkey PRIMARY KEY (event_id);
ALTER TABLE ONLY public.orch_task_events
    ADD CONSTRAINT orch_task_events_task_id_sequence_no_key UNIQUE (task_id, sequence_no);
ALTER TABLE ONLY public.orch_task_steps
    ADD CONSTRAINT orch_task_steps_pkey PRIMARY KEY (task_id, step_index);
ALTER TABLE ONLY public.orch_tasks
    ADD CONSTRAINT orch_tasks_pkey PRIMARY KEY (task_id);
ALTER TABLE ONLY public.schema_migrations
    ADD CONSTRAINT schema_migrations_pkey PRIMARY KEY (version);
CREATE INDEX orch_task_steps_by_model ON public.orch_task_steps USING btree (model_id);
CREATE INDEX orch_task_steps_by_provider ON public.orch_task_steps USING btree (provider);
CREATE INDEX orch_task_steps_by_status ON public.orch_task_steps USING btree (status);
CREATE INDEX orch_tasks_by_session ON public.orch_tasks USING btree (session_id, accepted_at, task_id) WHERE (session_id IS NOT NULL);
CREATE INDEX orch_tasks_by_status ON public.orch_tasks USING btree (status, accepted_at);
CREATE INDEX orch_tasks_newest ON public.orch_tasks USING btree (accepted_at, task_id);
CREATE INDEX orch_tasks_retries ON public.orch_tasks USING btree (retry_of_task_id) WHERE (retry_of_task_id IS NOT NULL);
ALTER TABLE ONLY public.orch_runs
    ADD CONSTRAINT orch_runs_anew_task_id_fkey FOREIGN KEY (task_id) REFERENCES public.orch_tasks(task_id) ON DELETE CASCADE;
ALTER TABLE ONLY public.orch_task_events
    ADD CONSTRAINT orch_task_events_task_id_fkey FOREIGN KEY (task_id) REFERENCES public.orch_tasks(task_id) ON DELETE CASCADE;
ALTER TABLE ONLY public.orch_task_steps
    ADD CONSTRAINT orch_task_steps_task_id_fkey FOREIGN KEY (task_id) REFERENCES public.orch_tasks(task_id) ON DELETE CASCADE;
