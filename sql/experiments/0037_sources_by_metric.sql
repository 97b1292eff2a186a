-- What was read of live data belongs to a project and a metric: a design may name another metric, and the former one
-- again, whose rows then go on from where they were. `event_name` is the name under which rows are recorded.
DROP INDEX experiment_source_rows_waiting;
ALTER TABLE experiment_sources RENAME TO experiment_sources_before;
ALTER TABLE experiment_source_rows RENAME TO experiment_source_rows_before;

CREATE TABLE experiment_sources (
    project_id {text} NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    metric_id {text} NOT NULL,
    event_name {text} NOT NULL,
    position {text},
    read_at {integer},
    complete_at {integer},
    event_age_seconds {real},
    stale_seconds {real} NOT NULL,
    event_age_seconds_max {real} NOT NULL,
    rows_read {integer} NOT NULL DEFAULT 0,
    rows_recorded {integer} NOT NULL DEFAULT 0,
    rows_unusable {integer} NOT NULL DEFAULT 0,
    failed_at {integer},
    failure {text},
    PRIMARY KEY (project_id, metric_id)
) {clustered};

CREATE TABLE experiment_source_rows (
    project_id {text} NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    metric_id {text} NOT NULL,
    entity_id {text} NOT NULL,
    position {text} NOT NULL,
    user_id {text} NOT NULL,
    value {real} NOT NULL,
    occurred_at {integer} NOT NULL,
    waits {boolean} NOT NULL,
    checked_at {integer} NOT NULL,
    PRIMARY KEY (project_id, metric_id, entity_id)
) {clustered};

INSERT INTO experiment_sources (project_id, metric_id, event_name, position, read_at, complete_at, event_age_seconds,
    stale_seconds, event_age_seconds_max, rows_read, rows_recorded, rows_unusable, failed_at, failure)
    SELECT s.project_id, s.metric_id,
        coalesce((SELECT min(v.definition ->> 'event_name') FROM catalog_metric_versions v
            WHERE v.metric_id = s.metric_id), ''),
        s.position, s.read_at, s.complete_at, s.event_age_seconds, s.stale_seconds, s.event_age_seconds_max,
        s.rows_read, s.rows_recorded, s.rows_unusable, s.failed_at, s.failure
    FROM experiment_sources_before s;
INSERT INTO experiment_source_rows (project_id, metric_id, entity_id, position, user_id, value, occurred_at, waits,
    checked_at)
    SELECT r.project_id, s.metric_id, r.entity_id, r.position, r.user_id, r.value, r.occurred_at, r.waits, r.checked_at
    FROM experiment_source_rows_before r JOIN experiment_sources_before s ON s.project_id = r.project_id;
DROP TABLE experiment_source_rows_before;
DROP TABLE experiment_sources_before;

CREATE INDEX experiment_source_rows_waiting ON experiment_source_rows (project_id, metric_id, entity_id)
    WHERE waits = 1;
