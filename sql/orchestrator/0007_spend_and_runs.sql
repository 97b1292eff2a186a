-- Money in billionths of a dollar. What a call may cost at most is held before it goes out and becomes
-- what it did cost when it is over; a hold whose worker died is booked as if it had been used up.

CREATE TABLE orch_spend (
    day {text} NOT NULL,
    provider {text} NOT NULL,
    nano_usd {integer} NOT NULL DEFAULT 0,
    PRIMARY KEY (day, provider)
) {strict};

CREATE TABLE orch_spend_holds (
    hold_id {text} PRIMARY KEY,
    task_id {text} NOT NULL,
    day {text} NOT NULL,
    provider {text} NOT NULL,
    nano_usd {integer} NOT NULL,
    expires_at {text} NOT NULL
) {strict};

CREATE INDEX orch_spend_holds_by_day ON orch_spend_holds (day);
CREATE INDEX orch_spend_holds_by_task ON orch_spend_holds (task_id);

-- Tasks that are being worked on, and until when at the latest: whoever finds one later ends it.
CREATE TABLE orch_runs (
    task_id {text} PRIMARY KEY REFERENCES orch_tasks (task_id) ON DELETE CASCADE,
    deadline_at {text} NOT NULL
) {strict};

CREATE INDEX orch_runs_by_deadline ON orch_runs (deadline_at);
