-- Projects and what is kept with them. Timestamps are UTC text of one width, so that they compare
-- bytewise; documents are kept whole, and what lists sort or filter by is kept beside them.

CREATE TABLE projects (
    id {text} PRIMARY KEY,
    project_name {text} NOT NULL,
    payload_json {json} NOT NULL,
    payload_schema_version {integer} NOT NULL DEFAULT 1,
    archived_at {text},
    last_analysis_at {text},
    last_analysis_run_id {text},
    last_exported_at {text},
    created_at {text} NOT NULL,
    updated_at {text} NOT NULL
) {strict};

CREATE TABLE analysis_runs (
    id {text} PRIMARY KEY,
    project_id {text} NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    analysis_json {json} NOT NULL,
    created_at {text} NOT NULL
) {strict};

CREATE INDEX analysis_runs_newest ON analysis_runs (project_id, created_at DESC, id DESC);

CREATE TABLE export_events (
    id {text} PRIMARY KEY,
    project_id {text} NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    analysis_run_id {text} REFERENCES analysis_runs (id) ON DELETE SET NULL,
    format {text} NOT NULL,
    created_at {text} NOT NULL
) {strict};

CREATE INDEX export_events_newest ON export_events (project_id, created_at DESC, id DESC);
CREATE INDEX export_events_run ON export_events (analysis_run_id);

-- `number` counts the revisions of a project without a gap.
CREATE TABLE project_revisions (
    id {text} PRIMARY KEY,
    project_id {text} NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    number {integer} NOT NULL,
    payload_json {json} NOT NULL,
    source {text} NOT NULL,
    created_at {text} NOT NULL,
    UNIQUE (project_id, number)
) {strict};

CREATE INDEX project_revisions_newest ON project_revisions (project_id, created_at DESC, id DESC);
