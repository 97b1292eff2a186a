-- Who may call, and for how much. A key belongs to a team, a team to a customer; each of the three has budgets.
-- Times are microseconds since 1970 by the clock of the database, money is billionths of a US dollar.

CREATE TABLE orch_customers (
    customer_id {text} PRIMARY KEY,
    name {text} NOT NULL UNIQUE,
    active {boolean} NOT NULL DEFAULT 1,
    created_at {integer} NOT NULL
) {strict};

CREATE TABLE orch_teams (
    team_id {text} PRIMARY KEY,
    customer_id {text} REFERENCES orch_customers (customer_id),
    name {text} NOT NULL UNIQUE,
    active {boolean} NOT NULL DEFAULT 1,
    created_at {integer} NOT NULL
) {strict};

CREATE INDEX orch_teams_by_customer ON orch_teams (customer_id);

-- Of a key only its digest is stored, and its first characters for people.
CREATE TABLE orch_keys (
    key_id {text} PRIMARY KEY,
    team_id {text} REFERENCES orch_teams (team_id),
    name {text} NOT NULL,
    key_hash {text} NOT NULL UNIQUE,
    key_prefix {text} NOT NULL,
    allowed_models {text} NOT NULL DEFAULT '[]',
    requests_per_minute {integer},
    tokens_per_minute {integer},
    stores_prompts {boolean} NOT NULL DEFAULT 1,
    active {boolean} NOT NULL DEFAULT 1,
    expires_at {integer},
    created_at {integer} NOT NULL,
    created_by {text},
    last_used_at {integer}
) {strict};

CREATE INDEX orch_keys_by_team ON orch_keys (team_id);

CREATE TABLE orch_budgets (
    budget_id {text} PRIMARY KEY,
    owner_kind {text} NOT NULL,
    owner_id {text} NOT NULL,
    period {text} NOT NULL,
    rolling {boolean} NOT NULL DEFAULT 0,
    limit_nano_usd {integer} NOT NULL,
    extra_nano_usd {integer} NOT NULL DEFAULT 0,
    extra_until {integer},
    alert_percents {text} NOT NULL DEFAULT '[]',
    created_at {integer} NOT NULL
) {strict};

CREATE INDEX orch_budgets_by_owner ON orch_budgets (owner_id);

-- What a budget has spent and holds: one row per calendar window, or one per sixtieth of a rolling one.
-- The budget `service` is ORCH_DAILY_COST_LIMIT_USD; its part is the day as a number, 20261127.
CREATE TABLE orch_budget_parts (
    budget_id {text} NOT NULL,
    part_at {integer} NOT NULL,
    nano_usd {integer} NOT NULL,
    held_nano_usd {integer} NOT NULL,
    PRIMARY KEY (budget_id, part_at)
) {clustered};

INSERT INTO orch_budget_parts (budget_id, part_at, nano_usd, held_nano_usd)
SELECT 'service', CAST(replace(day, '-', '') AS BIGINT), CAST(sum(nano_usd) AS BIGINT), 0
FROM orch_spend GROUP BY day;

-- Notices that were sent: one per window and share.
CREATE TABLE orch_budget_alerts (
    budget_id {text} NOT NULL,
    window_at {integer} NOT NULL,
    percent {integer} NOT NULL,
    sent_at {integer} NOT NULL,
    PRIMARY KEY (budget_id, window_at, percent)
) {clustered};

-- Whom a held call belongs to, and the budget parts it is counted in. A settled one holds what the call did cost
-- until its task ends.
ALTER TABLE orch_spend_holds ADD COLUMN key_id {text} NOT NULL DEFAULT '';
ALTER TABLE orch_spend_holds ADD COLUMN team_id {text} NOT NULL DEFAULT '';
ALTER TABLE orch_spend_holds ADD COLUMN customer_id {text} NOT NULL DEFAULT '';
ALTER TABLE orch_spend_holds ADD COLUMN model_id {text} NOT NULL DEFAULT '';
ALTER TABLE orch_spend_holds ADD COLUMN charges {text} NOT NULL DEFAULT '{}';
ALTER TABLE orch_spend_holds ADD COLUMN settled {boolean} NOT NULL DEFAULT 0;

-- Steps that have ended, summed per day of the service's time zone. Stays when tasks are deleted.
CREATE TABLE orch_usage (
    day {text} NOT NULL,
    key_id {text} NOT NULL,
    team_id {text} NOT NULL,
    customer_id {text} NOT NULL,
    model_id {text} NOT NULL,
    provider {text} NOT NULL,
    calls {integer} NOT NULL,
    failures {integer} NOT NULL,
    input_tokens {integer} NOT NULL,
    output_tokens {integer} NOT NULL,
    cached_tokens {integer} NOT NULL,
    cache_hits {integer} NOT NULL,
    duration_ms {integer} NOT NULL,
    timed_calls {integer} NOT NULL,
    nano_usd {integer} NOT NULL,
    excess_nano_usd {integer} NOT NULL,
    PRIMARY KEY (day, key_id, model_id, provider, team_id, customer_id)
) {clustered};

INSERT INTO orch_usage (day, key_id, team_id, customer_id, model_id, provider, calls, failures, input_tokens,
                        output_tokens, cached_tokens, cache_hits, duration_ms, timed_calls, nano_usd, excess_nano_usd)
SELECT substr(t.accepted_at, 1, 10), '', '', '', coalesce(s.executed_model_id, s.model_id), s.provider, count(*),
       CAST(sum(CASE WHEN s.status = 'failed' THEN 1 ELSE 0 END) AS BIGINT),
       CAST(sum(coalesce(s.input_tokens, 0)) AS BIGINT), CAST(sum(coalesce(s.output_tokens, 0)) AS BIGINT), 0, 0,
       CAST(sum(coalesce(s.duration_ms, 0)) AS BIGINT), count(s.duration_ms),
       CAST(sum(CAST(round(coalesce(s.cost_usd, 0) * 1000000000.0) AS BIGINT)) AS BIGINT), 0
FROM orch_task_steps AS s JOIN orch_tasks AS t ON t.task_id = s.task_id
GROUP BY 1, 5, 6;

-- The key a task was sent with, so that keys see their own tasks only.
ALTER TABLE orch_tasks ADD COLUMN key_id {text};

CREATE INDEX orch_tasks_by_key ON orch_tasks (key_id, accepted_at, task_id) WHERE key_id IS NOT NULL;

-- include kits/jobs_1.sql
-- include kits/jobs_2.sql
-- include kits/webhooks_1.sql
