-- What lists of projects sort, filter and search by, kept beside the documents so that no list has to
-- open them. The folded columns of rows that are there already are filled in by the program, which
-- knows how to fold every script; `search_folded` is empty until then.

ALTER TABLE projects ADD COLUMN archived {boolean} NOT NULL DEFAULT 0;
ALTER TABLE projects ADD COLUMN name_folded {text} NOT NULL DEFAULT '';
ALTER TABLE projects ADD COLUMN search_folded {text} NOT NULL DEFAULT '';
ALTER TABLE projects ADD COLUMN hypothesis {text};
ALTER TABLE projects ADD COLUMN metric_type {text} NOT NULL DEFAULT '';
ALTER TABLE projects ADD COLUMN duration_days {integer};
ALTER TABLE projects ADD COLUMN revision_count {integer} NOT NULL DEFAULT 0;
ALTER TABLE projects ADD COLUMN last_revision_at {text};

UPDATE projects SET
    archived = CASE WHEN archived_at IS NULL THEN 0 ELSE 1 END,
    hypothesis = payload_json -> 'hypothesis' ->> 'hypothesis_statement',
    metric_type = coalesce(payload_json -> 'metrics' ->> 'metric_type', ''),
    duration_days = (SELECT CAST(analysis_json -> 'report' -> 'calculations'
                                 ->> 'estimated_duration_days' AS {integer})
                     FROM analysis_runs WHERE analysis_runs.id = projects.last_analysis_run_id),
    revision_count = (SELECT count(*) FROM project_revisions
                      WHERE project_revisions.project_id = projects.id),
    last_revision_at = (SELECT max(created_at) FROM project_revisions
                        WHERE project_revisions.project_id = projects.id);

-- One index for each order a list can have; the archived stand apart.
CREATE INDEX projects_by_update ON projects (archived, updated_at DESC, id DESC);
CREATE INDEX projects_by_creation ON projects (archived, created_at DESC, id DESC);
CREATE INDEX projects_by_name ON projects (archived, name_folded, updated_at DESC, id DESC);
CREATE INDEX projects_by_duration ON projects
    (archived, ((duration_days IS NULL)), duration_days, updated_at DESC, id DESC);
CREATE INDEX projects_by_duration_falling ON projects
    (archived, ((duration_days IS NULL)), duration_days DESC, updated_at DESC, id DESC);

-- How many rows there are of each kind, so that a page of a list need not count them. Writers that
-- would wait for each other use different shards; a count is the sum over them.
CREATE TABLE project_totals (
    archived {boolean} NOT NULL,
    metric_type {text} NOT NULL,
    shard {integer} NOT NULL,
    projects {integer} NOT NULL,
    PRIMARY KEY (archived, metric_type, shard)
) {strict};

INSERT INTO project_totals (archived, metric_type, shard, projects)
    SELECT archived, metric_type, 0, count(*) FROM projects GROUP BY archived, metric_type;

CREATE TABLE audit_totals (
    dimension {text} NOT NULL, -- action, key, project or key action
    value {text} NOT NULL,     -- '' where a row has none
    shard {integer} NOT NULL,
    entries {integer} NOT NULL,
    PRIMARY KEY (dimension, value, shard)
) {strict};

INSERT INTO audit_totals (dimension, value, shard, entries)
    SELECT 'action', action, 0, count(*) FROM audit_log GROUP BY action;
INSERT INTO audit_totals (dimension, value, shard, entries)
    SELECT 'key', coalesce(key_id, ''), 0, count(*) FROM audit_log GROUP BY coalesce(key_id, '');
INSERT INTO audit_totals (dimension, value, shard, entries)
    SELECT 'project', coalesce(project_id, ''), 0, count(*) FROM audit_log
    GROUP BY coalesce(project_id, '');
INSERT INTO audit_totals (dimension, value, shard, entries)
    SELECT 'key action', key_id || ' ' || action, 0, count(*) FROM audit_log
    WHERE key_id IS NOT NULL GROUP BY key_id || ' ' || action;
