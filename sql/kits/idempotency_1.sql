-- First answers to requests that carry an Idempotency-Key (common/db/idempotency). `status` is NULL
-- while the first one is still being made. Times are microseconds since 1970 by the clock of the database.
CREATE TABLE idempotency_keys (
    scope {text} NOT NULL,
    idempotency_key {text} NOT NULL,
    request_hash {text} NOT NULL,
    holder {text} NOT NULL,
    status {integer},
    body {text},
    content_type {text},
    started_at {integer} NOT NULL,
    PRIMARY KEY (scope, idempotency_key)
) {strict};
CREATE INDEX idempotency_keys_by_time ON idempotency_keys (started_at);
