-- The service level of answers reads how long they took, by tenant and time.
CREATE INDEX api_sessions_by_tenant ON api_sessions (tenant_id, at, duration_us);
