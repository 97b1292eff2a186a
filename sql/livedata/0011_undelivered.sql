-- A notice of an alert that its receivers have not taken: its type, since when it is due, why it failed last, and the
-- receivers that have taken it, as bits by the place of their step. Times are microseconds since 1970, UTC.
ALTER TABLE alert_rules ADD COLUMN undelivered_event {text};
ALTER TABLE alert_rules ADD COLUMN undelivered_since {integer};
ALTER TABLE alert_rules ADD COLUMN undelivered_error {text};
ALTER TABLE alert_rules ADD COLUMN undelivered_taken {integer} NOT NULL DEFAULT 0;
