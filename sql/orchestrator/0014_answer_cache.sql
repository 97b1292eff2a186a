-- Answers that are given again to the same request of the same caller. The key is a digest of both, so the
-- request itself is not stored. Times are microseconds since 1970 by the clock of the database.

CREATE TABLE orch_answer_cache (
    cache_key {text} PRIMARY KEY,
    created_at {integer} NOT NULL,
    expires_at {integer} NOT NULL,
    bytes {integer} NOT NULL,
    answer {text} NOT NULL
) {strict};

CREATE INDEX orch_answer_cache_by_age ON orch_answer_cache (created_at, cache_key, bytes);
CREATE INDEX orch_answer_cache_by_end ON orch_answer_cache (expires_at);

-- Calls that were not made because the answer was there, and what they would have used.
ALTER TABLE orch_usage ADD COLUMN saved_calls {integer} NOT NULL DEFAULT 0;
ALTER TABLE orch_usage ADD COLUMN saved_tokens {integer} NOT NULL DEFAULT 0;
ALTER TABLE orch_usage ADD COLUMN saved_nano_usd {integer} NOT NULL DEFAULT 0;
