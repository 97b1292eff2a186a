-- Who did what, and the keys that were issued. Audit rows outlive what they tell of, so they refer
-- to nothing.

CREATE TABLE audit_log (
    id {identity},
    ts {text} NOT NULL,
    action {text} NOT NULL,
    project_id {text},
    project_name {text},
    key_id {text},
    actor {text},
    request_id {text},
    payload_diff {json},
    ip_address {text}
) {strict};

CREATE INDEX audit_log_newest ON audit_log (ts DESC, id DESC);
CREATE INDEX audit_log_project ON audit_log (project_id, ts DESC, id DESC);
CREATE INDEX audit_log_key ON audit_log (key_id, ts DESC, id DESC);
CREATE INDEX audit_log_action ON audit_log (action, ts DESC, id DESC);

CREATE TABLE api_keys (
    id {text} PRIMARY KEY,
    name {text} NOT NULL,
    key_hash {text} NOT NULL UNIQUE,
    scope {text} NOT NULL,
    created_at {text} NOT NULL,
    last_used_at {text},
    revoked_at {text},
    rate_limit_requests {integer},
    rate_limit_window_seconds {integer}
) {strict};

CREATE INDEX api_keys_newest ON api_keys (created_at DESC, id DESC);
