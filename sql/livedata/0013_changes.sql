-- Change data. Users that the source keeps itself are not recomputed from orders. A deletion is remembered, so that
-- what is older and comes later does not bring the entity back. Times are microseconds since 1970, UTC.
ALTER TABLE users_enriched ADD COLUMN source_owned {integer} NOT NULL DEFAULT 0;
CREATE TABLE deleted_entities (
    tenant_id {text} NOT NULL,
    entity_type {text} NOT NULL,
    entity_id {text} NOT NULL,
    deleted_ts {integer} NOT NULL,
    event_id {text} NOT NULL,
    PRIMARY KEY (tenant_id, entity_type, entity_id)
) {strict};
CREATE INDEX deleted_entities_by_time ON deleted_entities (deleted_ts);
