-- Runs and exports are numbered as revisions are, each project's from 1 without a gap, and the project knows how many
-- there are: a page of a history is a range of numbers then, wherever it begins, and nothing is counted. They go
-- with their project alone.
ALTER TABLE projects ADD COLUMN analysis_run_count {integer} NOT NULL DEFAULT 0;
ALTER TABLE projects ADD COLUMN export_event_count {integer} NOT NULL DEFAULT 0;
ALTER TABLE analysis_runs ADD COLUMN number {integer} NOT NULL DEFAULT 0;
ALTER TABLE export_events ADD COLUMN number {integer} NOT NULL DEFAULT 0;

UPDATE analysis_runs SET number = counted.number FROM (
    SELECT id, row_number() OVER (PARTITION BY project_id ORDER BY created_at, id) AS number FROM analysis_runs) AS counted
WHERE analysis_runs.id = counted.id;
UPDATE export_events SET number = counted.number FROM (
    SELECT id, row_number() OVER (PARTITION BY project_id ORDER BY created_at, id) AS number FROM export_events) AS counted
WHERE export_events.id = counted.id;

CREATE UNIQUE INDEX analysis_runs_numbered ON analysis_runs (project_id, number);
CREATE UNIQUE INDEX export_events_numbered ON export_events (project_id, number);

UPDATE projects SET
    analysis_run_count = (SELECT coalesce(max(number), 0) FROM analysis_runs WHERE project_id = projects.id),
    export_event_count = (SELECT coalesce(max(number), 0) FROM export_events WHERE project_id = projects.id)
WHERE id IN (SELECT project_id FROM analysis_runs) OR id IN (SELECT project_id FROM export_events);

-- Nothing asks for the exports or the revisions of a project by their time any more.
DROP INDEX export_events_newest;
DROP INDEX project_revisions_newest;
