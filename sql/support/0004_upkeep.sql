-- What grows old is found by its time, whosever it is; and what is known of alerts between two looks.

CREATE INDEX traces_by_time ON traces (started_at);
CREATE INDEX sessions_by_time ON sessions (last_access);
CREATE INDEX feedback_unlinked_by_time ON feedback (ts) WHERE linked = 0;

-- One row per rule that was ever violated. Times are microseconds since 1970 by the clock of the database.
CREATE TABLE alert_state (
    rule {text} PRIMARY KEY,
    violations {integer} NOT NULL, -- looks in a row
    sent_at {integer} -- of the last notice that it fires; none since it was last resolved: NULL
) {strict};

-- include kits/webhooks_1.sql
