-- What goes out: webhooks and alerts, delivered by the jobs and webhooks of the kits.
-- include kits/jobs_1.sql
-- include kits/webhooks_1.sql
CREATE TABLE webhook_registrations (
    id {text} NOT NULL PRIMARY KEY,
    tenant_id {text} NOT NULL,
    url {text} NOT NULL,
    secret {text} NOT NULL,
    filters {text} NOT NULL,
    active {boolean} NOT NULL,
    created_at {integer} NOT NULL
) {strict};
CREATE INDEX webhooks_by_tenant ON webhook_registrations (tenant_id, active, created_at);

CREATE TABLE alert_rules (
    id {text} NOT NULL PRIMARY KEY,
    tenant_id {text} NOT NULL,
    active {boolean} NOT NULL,
    secret {text} NOT NULL,
    record {text} NOT NULL,
    created_at {integer} NOT NULL,
    tick_due_at {integer} NOT NULL,
    tick_generation {integer} NOT NULL
) {strict};
CREATE INDEX alerts_by_tenant ON alert_rules (tenant_id, created_at);
CREATE INDEX alerts_by_tick ON alert_rules (tick_due_at);

CREATE TABLE alert_history (
    delivery_id {text} NOT NULL PRIMARY KEY,
    alert_id {text} NOT NULL,
    tenant_id {text} NOT NULL,
    record {text} NOT NULL,
    triggered_at {integer} NOT NULL
) {strict};
CREATE INDEX alert_history_by_alert ON alert_history (alert_id, triggered_at);
