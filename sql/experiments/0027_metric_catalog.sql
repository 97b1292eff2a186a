-- Metrics that projects share. Every change is a version of its own; a project notes which one it was planned with.
CREATE TABLE catalog_metrics (
    id {text} PRIMARY KEY,
    version {integer} NOT NULL,
    name {text} NOT NULL,
    name_folded {text} NOT NULL UNIQUE,
    kind {text} NOT NULL,
    updated_at {text} NOT NULL,
    created_at {text} NOT NULL,
    definition {json} NOT NULL
) {strict};

CREATE TABLE catalog_metric_versions (
    metric_id {text} NOT NULL REFERENCES catalog_metrics (id) ON DELETE CASCADE,
    version {integer} NOT NULL,
    definition {json} NOT NULL,
    actor {text},
    created_at {text} NOT NULL,
    PRIMARY KEY (metric_id, version)
) {clustered};

-- The metric that a project was planned with.
CREATE TABLE catalog_metric_uses (
    project_id {text} NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    metric_id {text} NOT NULL REFERENCES catalog_metrics (id),
    version {integer} NOT NULL,
    PRIMARY KEY (project_id)
) {clustered};

CREATE INDEX catalog_metric_uses_of ON catalog_metric_uses (metric_id, project_id);
