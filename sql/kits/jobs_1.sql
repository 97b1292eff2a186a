-- Durable jobs (common/jobs). A waiting job may be claimed from `due_at` on; a claim writes its holder and
-- moves `due_at` to the end of its lease, so that a job whose holder died is simply due again.
-- Times are microseconds since 1970 by the clock of the database.
CREATE TABLE jobs (
    id {identity},
    kind {text} NOT NULL,
    job_key {text} NOT NULL,
    lane {text} NOT NULL,
    payload {text} NOT NULL,
    state {text} NOT NULL CHECK (state IN ('waiting', 'done', 'dead')),
    failures {integer} NOT NULL,
    interruptions {integer} NOT NULL,
    due_at {integer} NOT NULL,
    holder {text},
    last_error {text},
    created_at {integer} NOT NULL,
    finished_at {integer}
) {strict};
CREATE UNIQUE INDEX jobs_by_key ON jobs (kind, job_key);
CREATE INDEX jobs_due ON jobs (kind, due_at, id) WHERE state = 'waiting';
CREATE INDEX jobs_held ON jobs (kind, lane) WHERE holder IS NOT NULL;
CREATE INDEX jobs_finished ON jobs (kind, state, finished_at, id) WHERE state <> 'waiting';
