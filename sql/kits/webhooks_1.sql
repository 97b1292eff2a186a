-- What became of deliveries (common/webhook), one row per round of attempts. What is still to be delivered
-- is a job. Times are microseconds since 1970 by the clock of the database.
CREATE TABLE webhook_history (
    id {identity},
    delivery_id {text} NOT NULL UNIQUE,
    kind {text} NOT NULL,
    webhook_id {text} NOT NULL,
    event_id {text} NOT NULL,
    event_type {text} NOT NULL,
    attempt {integer} NOT NULL,
    status_code {integer},
    success {boolean} NOT NULL,
    error {text},
    answer {text},
    delivered_at {integer} NOT NULL
) {strict};
CREATE INDEX webhook_history_by_webhook ON webhook_history (kind, webhook_id, id);
CREATE INDEX webhook_history_by_time ON webhook_history (delivered_at);
