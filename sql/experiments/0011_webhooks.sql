-- Who wants to be told of what, and what became of it. What is still to be delivered is a job.
-- include kits/jobs_1.sql
-- include kits/webhooks_1.sql

CREATE TABLE webhook_subscriptions (
    id {text} PRIMARY KEY,
    name {text} NOT NULL,
    target_url {text} NOT NULL,
    secret {text} NOT NULL,
    format {text} NOT NULL,
    event_filter {json} NOT NULL,
    scope {text} NOT NULL,
    api_key_id {text} REFERENCES api_keys (id) ON DELETE SET NULL,
    created_at {text} NOT NULL,
    updated_at {text} NOT NULL,
    last_delivered_at {text},
    last_error_at {text},
    enabled {boolean} NOT NULL DEFAULT 1
) {strict};

CREATE INDEX webhook_subscriptions_newest ON webhook_subscriptions (created_at DESC, id DESC);
CREATE INDEX webhook_subscriptions_key ON webhook_subscriptions (api_key_id);

CREATE TABLE webhook_deliveries (
    id {text} PRIMARY KEY,
    subscription_id {text} NOT NULL REFERENCES webhook_subscriptions (id) ON DELETE CASCADE,
    event_id {integer} NOT NULL REFERENCES audit_log (id) ON DELETE CASCADE,
    status {text} NOT NULL,
    attempt_count {integer} NOT NULL DEFAULT 0,
    last_attempt_at {text},
    delivered_at {text},
    response_code {integer},
    response_body {text},
    error_message {text}
) {strict};

CREATE UNIQUE INDEX webhook_deliveries_event ON webhook_deliveries (subscription_id, event_id);
CREATE INDEX webhook_deliveries_newest ON webhook_deliveries
    (subscription_id, ((last_attempt_at IS NULL)), last_attempt_at DESC, id DESC);
CREATE INDEX webhook_deliveries_status ON webhook_deliveries (status, last_attempt_at);
CREATE INDEX webhook_deliveries_audit ON webhook_deliveries (event_id);
