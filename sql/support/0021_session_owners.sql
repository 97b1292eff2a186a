-- Who began a conversation. Of those that are there it is who asked the first question that is kept.
ALTER TABLE sessions ADD COLUMN owner {text};

UPDATE sessions SET owner = (SELECT user_id FROM traces WHERE traces.tenant_id = sessions.tenant_id
    AND traces.session_id = sessions.id ORDER BY started_at, trace_id LIMIT 1);

CREATE INDEX sessions_of_owner ON sessions (tenant_id, owner, last_access);
