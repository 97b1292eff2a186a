-- People who sign in, tokens that were given back before their time, and who did what.

CREATE TABLE users (
    id {text} PRIMARY KEY,
    username {text} NOT NULL UNIQUE,
    password_hash {text} NOT NULL,
    role {text} NOT NULL,
    is_active {boolean} NOT NULL,
    tenant_id {text} NOT NULL,
    sso_provider {text},
    sso_subject_id {text},
    created_at {text} NOT NULL
) {strict};

CREATE UNIQUE INDEX users_by_subject ON users (sso_provider, sso_subject_id);

-- Times are Unix seconds: a row is of no use once its token would have expired by itself.
CREATE TABLE revoked_tokens (
    token_id {text} PRIMARY KEY,
    expires_at {integer} NOT NULL
) {strict};

CREATE INDEX revoked_tokens_by_time ON revoked_tokens (expires_at);

CREATE TABLE audit_log (
    id {identity},
    tenant_id {text} NOT NULL,
    ts {text} NOT NULL,
    actor {text} NOT NULL,
    action {text} NOT NULL,
    resource {text} NOT NULL,
    detail {json},
    ip_address {text}
) {strict};

CREATE INDEX audit_log_newest ON audit_log (tenant_id, id DESC);
CREATE INDEX audit_log_by_time ON audit_log (ts);
