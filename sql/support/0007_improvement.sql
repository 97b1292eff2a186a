-- How answers are made better: cases for review, what runs over the curated data measured, experiments, and what
-- the programs of the offline half remember.

-- Only what people asked is judged: answers of regression runs and benchmarks are traces of another origin.
ALTER TABLE traces ADD COLUMN origin {text} NOT NULL DEFAULT 'live';
CREATE INDEX traces_of_experiment ON traces (experiment_id, started_at);

-- A case outlives its trace: what was judged is kept with the verdict.
CREATE TABLE review_queue (
    id {identity},
    trace_id {text} NOT NULL UNIQUE,
    tenant_id {text} NOT NULL,
    reason {text} NOT NULL
        CHECK (reason IN ('thumbs_down', 'low_quality', 'escalated', 'fact_fail', 'slow_trace', 'manual')),
    status {text} NOT NULL
        CHECK (status IN ('pending', 'in_review', 'confirmed_good', 'confirmed_bad', 'dismissed')),
    reviewer_notes {text},
    created_at {text} NOT NULL,
    reviewed_at {text},
    reviewed_by {text}, -- users.id
    snapshot_json {json}
) {strict};
CREATE INDEX review_queue_newest ON review_queue (tenant_id, status, created_at, id);
CREATE INDEX review_queue_by_status ON review_queue (status, created_at);
CREATE INDEX review_queue_of_tenant ON review_queue (tenant_id, created_at, id);

CREATE TABLE eval_results (
    id {identity},
    created_at {text} NOT NULL,
    tenant_id {text} NOT NULL, -- whose cases or answers; `all`: everybody's
    metric_name {text} NOT NULL,
    value {real} NOT NULL,
    sample_size {integer} NOT NULL,
    drift_alert {boolean} NOT NULL,
    kind {text} NOT NULL CHECK (kind IN ('nightly', 'regression')),
    run_id {text} UNIQUE,
    baseline_experiment_id {text},
    candidate_experiment_id {text},
    report_path {text}, -- below the root of the files
    started_at {text},
    quality_delta {real},
    cost_delta {real},
    latency_delta {real},
    mode {text}
) {strict};
CREATE INDEX eval_results_newest ON eval_results (kind, created_at, id);
CREATE INDEX eval_results_of_metric ON eval_results (metric_name, created_at);
CREATE INDEX eval_results_of_candidate ON eval_results (candidate_experiment_id, created_at, id);

CREATE TABLE experiment_deployments (
    id {identity},
    experiment_id {text} NOT NULL,
    regression_run_id {text},
    staged_at {text},
    deployed_at {text},
    rolled_back_at {text},
    superseded_at {text},
    rollback_reason {text}
) {strict};
CREATE INDEX experiment_deployments_of ON experiment_deployments (experiment_id, id);
CREATE INDEX experiment_deployments_by_time ON experiment_deployments (deployed_at);

CREATE TABLE experiment_assignments (
    id {identity},
    tenant_id {text} NOT NULL UNIQUE,
    experiment_id {text} NOT NULL,
    rollout_percentage {integer} NOT NULL CHECK (rollout_percentage BETWEEN 0 AND 100),
    rolled_out_at {text} NOT NULL
) {strict};
CREATE INDEX experiment_assignments_of ON experiment_assignments (experiment_id, rolled_out_at);

CREATE TABLE curated_case_status (
    id {identity},
    case_id {text} NOT NULL,
    tenant_id {text} NOT NULL,
    status {text} NOT NULL CHECK (status IN ('fresh', 'stale_needs_review')),
    staleness_reason {text},
    last_checked_at {text},
    UNIQUE (case_id, tenant_id)
) {strict};
CREATE INDEX curated_case_status_of ON curated_case_status (tenant_id, status, last_checked_at);

CREATE TABLE improvement_backlogs (
    tenant_id {text} NOT NULL,
    week {text} NOT NULL,
    payload {json} NOT NULL,
    markdown {text} NOT NULL,
    generated_at {text} NOT NULL,
    PRIMARY KEY (tenant_id, week)
) {strict};

-- What is computed seldom and read often. A key past its end is absent. Microseconds since 1970.
CREATE TABLE kv_cache (
    cache_key {text} PRIMARY KEY,
    tenant_id {text} NOT NULL,
    value {json} NOT NULL,
    expires_at {integer} NOT NULL
) {strict};
CREATE INDEX kv_cache_by_end ON kv_cache (expires_at);
