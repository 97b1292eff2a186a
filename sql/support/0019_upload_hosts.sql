-- Which host has the file of an upload, and what was in it. A task of an older version has no host: the first host
-- that has the file takes it.
ALTER TABLE tasks ADD COLUMN host {text} NOT NULL DEFAULT '';
ALTER TABLE tasks ADD COLUMN file_hash {text} NOT NULL DEFAULT '';
-- SHA-256 of the file of the version that is searched; NULL for drafts, and for what an older version ingested.
ALTER TABLE kb_documents ADD COLUMN file_hash {text};
-- Tenants take turns: the next lane with a job that is due.
CREATE INDEX jobs_by_lane ON jobs (kind, lane, due_at, id) WHERE state = 'waiting';
