-- Entities of domains. Their tables are made from files (own_<domain>_<entity>), not by migrations. Times are
-- microseconds since 1970, UTC. A stamp is the place of an event in the order of own times: time, version, event id.
ALTER TABLE pipeline_events ADD COLUMN payload {text};

-- What each table was made from: hosts whose file differs do not serve the entity.
CREATE TABLE own_contracts (
    entity_type {text} NOT NULL PRIMARY KEY,
    table_name {text} NOT NULL,
    fingerprint {text} NOT NULL,
    contract {text} NOT NULL,
    changed_at {integer} NOT NULL
) {strict};

-- Columns that came later: filled from the events that the journal had, the oldest of which is of that time.
CREATE TABLE own_columns (
    entity_type {text} NOT NULL,
    column_name {text} NOT NULL,
    added_at {integer} NOT NULL,
    filled_from {integer},
    PRIMARY KEY (entity_type, column_name)
) {strict};

CREATE TABLE own_deleted (
    tenant_id {text} NOT NULL,
    entity_type {text} NOT NULL,
    entity_id {text} NOT NULL,
    stamp {text} NOT NULL,
    deleted_at {integer} NOT NULL,
    PRIMARY KEY (tenant_id, entity_type, entity_id)
) {strict};
CREATE INDEX own_deleted_by_time ON own_deleted (deleted_at);

-- What each event has added to columns: a correction replaces it, a late deletion takes it back.
CREATE TABLE own_counted (
    tenant_id {text} NOT NULL,
    entity_type {text} NOT NULL,
    item {text} NOT NULL,
    entity_id {text} NOT NULL,
    stamp {text} NOT NULL,
    version {integer} NOT NULL,
    amounts {text} NOT NULL,
    counted_at {integer} NOT NULL,
    PRIMARY KEY (tenant_id, entity_type, item)
) {strict};
CREATE INDEX own_counted_by_entity ON own_counted (tenant_id, entity_type, entity_id);
CREATE INDEX own_counted_by_time ON own_counted (counted_at);
