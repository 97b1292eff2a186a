-- Alerts: rules over metrics, what their conditions did, and what was sent. Times are microseconds since 1970, UTC.
-- `evaluated_gen` is the generation of the metric's table that was looked at last; the lease is of whoever looks.
-- `pending_…` is a notice that is on its way: what the rule becomes once all its receivers have taken it.
CREATE TABLE alert_rules (
    id {text} NOT NULL PRIMARY KEY,
    tenant_id {text} NOT NULL,
    name {text} NOT NULL,
    metric {text} NOT NULL,
    source_table {text} NOT NULL,
    metric_window {text} NOT NULL,
    alert_condition {text} NOT NULL,
    threshold {real} NOT NULL,
    webhook_url {text} NOT NULL,
    secret {text} NOT NULL,
    cooldown_minutes {integer} NOT NULL,
    escalation {text} NOT NULL,
    flap_enabled {boolean} NOT NULL,
    flap_window_minutes {integer} NOT NULL,
    flap_max_changes {integer} NOT NULL,
    active {boolean} NOT NULL,
    created_at {integer} NOT NULL,
    updated_at {integer} NOT NULL,
    state {text} NOT NULL DEFAULT 'ok',
    fired_at {integer},
    resolved_at {integer},
    last_triggered_at {integer},
    last_escalation_level {integer} NOT NULL DEFAULT 0,
    last_condition_triggered {boolean},
    state_changes {text} NOT NULL DEFAULT '[]',
    evaluated_at {integer} NOT NULL DEFAULT 0,
    evaluated_gen {integer} NOT NULL DEFAULT -1,
    tick_lease_expires_at {integer} NOT NULL DEFAULT 0,
    pending_event {text},
    pending_state {text},
    pending_level {integer},
    pending_at {integer},
    pending_left {integer},
    pending_failed {boolean}
) {strict};
CREATE INDEX alert_rules_by_tenant ON alert_rules (tenant_id, created_at);
CREATE INDEX alert_rules_by_evaluation ON alert_rules (active, evaluated_at);

CREATE TABLE alert_history (
    id {identity},
    delivery_id {text} NOT NULL,
    alert_id {text} NOT NULL,
    event_type {text} NOT NULL,
    status_code {integer},
    success {boolean} NOT NULL,
    error {text},
    payload {text} NOT NULL,
    triggered_at {integer} NOT NULL
) {strict};
CREATE UNIQUE INDEX alert_history_once ON alert_history (delivery_id);
CREATE INDEX alert_history_by_alert ON alert_history (alert_id, id);
CREATE INDEX alert_history_by_time ON alert_history (triggered_at);

-- Types of entities a webhook hears of, ",order,user,"; NULL = all of them.
ALTER TABLE webhook_registrations ADD COLUMN entity_types {text};
