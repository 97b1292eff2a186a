-- Tables of domains that are copied to ClickHouse. Times are microseconds since 1970, UTC. A row says how far the copy
-- is: filling (rows up to the key have been queued), closing (all have been, up to fill_seq of the queue), live, or
-- stale (it has to be filled anew). `block` is the last one
-- that is known to be there; while pending_rows is not 0, block + 1 is being sent.
CREATE TABLE columnar_tables (
    table_name {text} NOT NULL PRIMARY KEY,
    state {text} NOT NULL,
    incarnation {integer} NOT NULL,
    fingerprint {text} NOT NULL,
    fill_tenant {text} NOT NULL,
    fill_key {text} NOT NULL,
    fill_seq {integer} NOT NULL,
    block {integer} NOT NULL,
    sent_seq {integer} NOT NULL,
    position {integer} NOT NULL,
    complete_at {integer} NOT NULL,
    pending_rows {integer} NOT NULL,
    pending_seq {integer} NOT NULL,
    pending_position {integer} NOT NULL,
    pending_complete_at {integer} NOT NULL,
    pending_session {text} NOT NULL,
    lease {text} NOT NULL,
    lease_until {integer} NOT NULL
) {strict};

-- What has changed in their rows, in the order of the changes: lines as ClickHouse takes them, the row before with the
-- sign -1 and the row after with 1. `journal_seq` is the journal's last row before the change.
CREATE TABLE columnar_outbox (
    seq {identity},
    table_name {text} NOT NULL,
    lines {text} NOT NULL,
    line_count {integer} NOT NULL,
    journal_seq {integer} NOT NULL,
    changed_at {integer} NOT NULL
) {strict};
CREATE INDEX columnar_outbox_by_table ON columnar_outbox (table_name, seq);
