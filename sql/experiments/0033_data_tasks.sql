-- Files of users that are analyzed as tasks: how far each is, and what it found. The file itself is in a folder of the
-- host that took it; `host` is the name of that folder. Moments are microseconds since 1970.
CREATE TABLE data_tasks (
    id {text} NOT NULL PRIMARY KEY,
    host {text} NOT NULL,
    state {text} NOT NULL CHECK (state IN ('waiting', 'running', 'done', 'failed')),
    mapping {text} NOT NULL,  -- which column is what, as JSON
    language {text} NOT NULL, -- of texts in the answer
    bytes {integer} NOT NULL,
    bytes_read {integer} NOT NULL,
    created_at {integer} NOT NULL,
    ended_at {integer},
    reason {text},            -- of one that failed
    failure {text},
    result {text}             -- as JSON
) {strict};
CREATE INDEX data_tasks_by_end ON data_tasks (ended_at, id);
