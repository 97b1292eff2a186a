-- What is being worked on is a page or two: an index over it costs every task two pages of the log at
-- its beginning and two at its end, and saves nothing.

CREATE TABLE orch_spend_holds_anew (
    hold_id {text} PRIMARY KEY,
    task_id {text} NOT NULL,
    day {text} NOT NULL,
    provider {text} NOT NULL,
    nano_usd {integer} NOT NULL,
    expires_at {text} NOT NULL
) {clustered};

INSERT INTO orch_spend_holds_anew (hold_id, task_id, day, provider, nano_usd, expires_at)
SELECT hold_id, task_id, day, provider, nano_usd, expires_at FROM orch_spend_holds;

DROP TABLE orch_spend_holds;

ALTER TABLE orch_spend_holds_anew RENAME TO orch_spend_holds;

CREATE TABLE orch_runs_anew (
    task_id {text} PRIMARY KEY REFERENCES orch_tasks (task_id) ON DELETE CASCADE,
    deadline_at {text} NOT NULL
) {clustered};

INSERT INTO orch_runs_anew (task_id, deadline_at) SELECT task_id, deadline_at FROM orch_runs;

DROP TABLE orch_runs;

ALTER TABLE orch_runs_anew RENAME TO orch_runs;

-- New rows go to the end of an index, where a full page splits; at its beginning three pages are
-- balanced for almost every row. It is read from its end.
DROP INDEX orch_tasks_newest;

CREATE INDEX orch_tasks_newest ON orch_tasks (accepted_at, task_id);

DROP INDEX orch_tasks_by_session;

CREATE INDEX orch_tasks_by_session ON orch_tasks (session_id, accepted_at, task_id)
    WHERE session_id IS NOT NULL;
