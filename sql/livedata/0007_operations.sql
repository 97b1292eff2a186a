-- What operators have said about exceptions: valid for what was seen then, a newer occurrence opens it again.
-- Times are microseconds since 1970, UTC.
CREATE TABLE ops_exception_triage (
    tenant_id {text} NOT NULL,
    item_id {text} NOT NULL,
    source {text} NOT NULL,
    status {text} NOT NULL,
    first_seen_at {integer} NOT NULL,
    last_seen_at {integer} NOT NULL,
    resolved_at {integer},
    note {text},
    PRIMARY KEY (tenant_id, item_id)
) {strict};
