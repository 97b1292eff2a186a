-- The same indexes the other way round. They are read from the end now, so that what is newest goes to
-- the end: SQLite splits a page there once in a while, but one at the beginning with almost every row.
-- sqlite
DROP INDEX projects_by_update;
DROP INDEX projects_by_creation;
DROP INDEX projects_by_name;
DROP INDEX projects_by_duration;
DROP INDEX projects_by_duration_falling;
CREATE INDEX projects_by_update ON projects (archived, updated_at, id);
CREATE INDEX projects_by_creation ON projects (archived, created_at, id);
CREATE INDEX projects_by_name ON projects (archived, name_folded DESC, updated_at, id);
CREATE INDEX projects_by_duration ON projects
    (archived, ((duration_days IS NULL)) DESC, duration_days DESC, updated_at, id);
CREATE INDEX projects_by_duration_falling ON projects
    (archived, ((duration_days IS NULL)) DESC, duration_days, updated_at, id);

DROP INDEX project_revisions_newest;
CREATE INDEX project_revisions_newest ON project_revisions (project_id, created_at, id);

DROP INDEX audit_log_newest;
DROP INDEX audit_log_project;
DROP INDEX audit_log_key;
DROP INDEX audit_log_action;
CREATE INDEX audit_log_newest ON audit_log (ts, id);
CREATE INDEX audit_log_project ON audit_log (project_id, ts, id);
CREATE INDEX audit_log_key ON audit_log (key_id, ts, id);
CREATE INDEX audit_log_action ON audit_log (action, ts, id);

-- A counting table is its primary key and a number: one tree instead of two.
ALTER TABLE audit_totals RENAME TO audit_totals_before;
CREATE TABLE audit_totals (
    dimension TEXT NOT NULL, -- action, key, project or key action
    value TEXT NOT NULL,     -- '' where a row has none
    shard INTEGER NOT NULL,
    entries INTEGER NOT NULL,
    PRIMARY KEY (dimension, value, shard)
) STRICT, WITHOUT ROWID;
INSERT INTO audit_totals (dimension, value, shard, entries)
    SELECT dimension, value, shard, entries FROM audit_totals_before;
DROP TABLE audit_totals_before;
