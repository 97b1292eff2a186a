-- Metrics whose events are rows of live data: how far the rows were read for a project, and what of each row was recorded.
-- Moments are microseconds since 1970. `stale_seconds` and `event_age_seconds_max` are the limits of the program that read
-- last; `position` is the journal's place there, NULL = the beginning.
CREATE TABLE experiment_sources (
    project_id {text} NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    metric_id {text} NOT NULL,
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
    PRIMARY KEY (project_id)
) {clustered};

-- The newest version of a row that was recorded, or that waits for the exposure of its user.
CREATE TABLE experiment_source_rows (
    project_id {text} NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    entity_id {text} NOT NULL,
    position {text} NOT NULL,
    user_id {text} NOT NULL,
    value {real} NOT NULL,
    occurred_at {integer} NOT NULL,
    waits {boolean} NOT NULL,
    checked_at {integer} NOT NULL,
    PRIMARY KEY (project_id, entity_id)
) {clustered};

CREATE INDEX experiment_source_rows_waiting ON experiment_source_rows (project_id, checked_at) WHERE waits = 1;
