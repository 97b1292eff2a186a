-- What goes out: webhooks, delivered by the jobs and webhooks of the kits.
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
