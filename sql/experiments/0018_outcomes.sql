-- What people decided about experiments, newest last; the project names the decision in force. `verdict` and
-- `headline` are what the service recommended at that moment.
CREATE TABLE experiment_outcomes (
    id {identity},
    experiment_id {text} NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    decision {text} NOT NULL, -- ship, stop or reopen
    variation_index {integer},
    note {text} NOT NULL,
    verdict {text} NOT NULL,
    headline {text} NOT NULL,
    actor {text},
    created_at {text} NOT NULL
) {strict};

CREATE INDEX experiment_outcomes_of ON experiment_outcomes (experiment_id, id);

ALTER TABLE projects ADD COLUMN decision {text};
ALTER TABLE projects ADD COLUMN decided_at {text};

-- Who created a project, by the audit log where that still has it.
ALTER TABLE projects ADD COLUMN owner {text};
UPDATE projects SET owner = (SELECT a.actor FROM audit_log a WHERE a.project_id = projects.id
    AND a.action = 'project.create' ORDER BY a.ts LIMIT 1);

-- The newest figures of each experiment, for the list: made again when the version of the events or the design
-- differs.
CREATE TABLE live_summaries (
    experiment_id {text} NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    version {integer} NOT NULL,
    design_at {text} NOT NULL,
    verdict {text} NOT NULL,
    headline {text} NOT NULL,
    people {integer} NOT NULL,
    planned {integer},
    variation_index {integer},
    effect_relative {real},
    PRIMARY KEY (experiment_id)
) {clustered};

-- Growth of an experiment by day (UTC), for the course of its effect: computed from the raw rows on request, and
-- kept until the version differs. `step` is the number of days that a row covers.
CREATE TABLE live_series (
    experiment_id {text} NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    version {text} NOT NULL,
    computed_at {integer} NOT NULL,
    took {integer} NOT NULL, -- microseconds
    step {integer} NOT NULL,
    PRIMARY KEY (experiment_id)
) {clustered};

CREATE TABLE live_days (
    experiment_id {text} NOT NULL REFERENCES live_series (experiment_id) ON DELETE CASCADE,
    day {integer} NOT NULL, -- since 1970
    arm {integer} NOT NULL,
    people {integer} NOT NULL,
    converted {integer} NOT NULL,
    huge {integer} NOT NULL,
    value_sum {real} NOT NULL,
    value_squares {real} NOT NULL,
    other_sum {real} NOT NULL,
    other_squares {real} NOT NULL,
    products {real} NOT NULL,
    PRIMARY KEY (experiment_id, day, arm)
) {clustered};
