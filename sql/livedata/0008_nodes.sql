-- Branches: what an edge has still to hand on, and what the centre has had of each branch.
-- Times are microseconds since 1970, UTC; `day` counts days since then.
CREATE TABLE node_outbox (
    seq {identity},
    payload {text} NOT NULL,
    added_at {integer} NOT NULL
) {strict};

-- `day_events` are those of `day`, which is the last on which any were applied.
CREATE TABLE node_branches (
    tenant_id {text} NOT NULL,
    branch {text} NOT NULL,
    entity_type {text} NOT NULL,
    events {integer} NOT NULL,
    day {integer} NOT NULL,
    day_events {integer} NOT NULL,
    last_seen {integer} NOT NULL,
    PRIMARY KEY (tenant_id, branch, entity_type)
) {strict};
