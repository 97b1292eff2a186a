-- Figures of live data that watch an experiment: when an alarm is raised, and what was read last. Moments are
-- microseconds since 1970. `stale_seconds` and `event_age_seconds_max` are the limits of the program that read last.
CREATE TABLE experiment_alarms (
    id {text} NOT NULL,
    project_id {text} NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    metric {text} NOT NULL,
    metric_window {text} NOT NULL,
    condition {text} NOT NULL, -- above, below or changed
    threshold {real} NOT NULL,
    reference {real},
    reference_at {integer},
    value {real},
    unit {text},
    read_at {integer},
    event_age_seconds {real},
    stale_seconds {real},
    event_age_seconds_max {real},
    raised_at {integer},
    failed_at {integer},
    failure {text},
    actor {text},
    created_at {text} NOT NULL,
    PRIMARY KEY (id)
) {clustered};

CREATE INDEX experiment_alarms_of ON experiment_alarms (project_id, id);
