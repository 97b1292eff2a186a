-- Refresh tokens are used once. Those of one sign-in are a family, which knows the one that is good;
-- without its family no token of it is. Times are Unix seconds: a row is of no use once all its tokens
-- have expired by themselves.

CREATE TABLE token_families (
    family_id {text} PRIMARY KEY,
    refresh_id {text} NOT NULL,
    expires_at {integer} NOT NULL
) {strict};

CREATE INDEX token_families_by_time ON token_families (expires_at);
