-- Who may ask, what was asked, and answers that are kept for those who ask again.
-- Times are microseconds since 1970, UTC.
CREATE TABLE api_keys (
    key_id {text} NOT NULL PRIMARY KEY,
    name {text} NOT NULL,
    tenant_id {text} NOT NULL,
    key_lookup {text} NOT NULL,
    previous_lookup {text},
    previous_until {integer},
    rate_limit_rpm {integer} NOT NULL,
    allowed_entity_types {text},
    can_ingest {boolean} NOT NULL,
    created_at {integer} NOT NULL
) {strict};
CREATE UNIQUE INDEX api_keys_by_lookup ON api_keys (key_lookup);
CREATE INDEX api_keys_by_previous ON api_keys (previous_lookup) WHERE previous_lookup IS NOT NULL;

CREATE TABLE api_usage (
    id {identity},
    tenant_id {text} NOT NULL,
    key_id {text} NOT NULL,
    key_slot {text} NOT NULL,
    at {integer} NOT NULL
) {strict};
CREATE INDEX api_usage_by_time ON api_usage (at);

CREATE TABLE api_sessions (
    id {identity},
    tenant_id {text} NOT NULL,
    request_id {text} NOT NULL,
    key_name {text},
    endpoint {text} NOT NULL,
    method {text} NOT NULL,
    status_code {integer} NOT NULL,
    duration_us {integer} NOT NULL,
    cache_hit {boolean},
    entity_type {text},
    entity_id {text},
    metric_name {text},
    query_engine {text},
    query_text {text},
    at {integer} NOT NULL
) {strict};
CREATE INDEX api_sessions_by_time ON api_sessions (at);

-- include kits/idempotency_1.sql
