-- What a stream looks at: the applied events of a tenant in the order of the journal, all of them or of one type.
CREATE INDEX pipeline_events_applied ON pipeline_events (tenant_id, seq) WHERE topic = 'events.validated';
CREATE INDEX pipeline_events_applied_by_type ON pipeline_events (tenant_id, event_type, seq)
    WHERE topic = 'events.validated';
