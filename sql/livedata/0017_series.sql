-- Points of series that are kept, and what they are checked against. `changed` counts the changes of a tenant's tables,
-- over all of them: a point is true as long as nothing that it was computed from has changed after its number.
ALTER TABLE cache_generation ADD COLUMN changed {integer} NOT NULL DEFAULT 0;
-- The last change for which series_changes does not say which hours it has changed.
ALTER TABLE cache_generation ADD COLUMN changed_whole {integer} NOT NULL DEFAULT 0;
-- `gen` after the last change that was counted. Hosts of former versions raise `gen` alone: where the two differ, nobody
-- knows what has changed.
ALTER TABLE cache_generation ADD COLUMN noted_gen {integer} NOT NULL DEFAULT 0;
UPDATE cache_generation SET noted_gen = gen;

-- The last change of a row whose time is in this hour (its beginning), before the change or after it.
CREATE TABLE series_changes (
    tenant_id {text} NOT NULL,
    table_name {text} NOT NULL,
    column_name {text} NOT NULL,
    hour_at {integer} NOT NULL,
    changed {integer} NOT NULL,
    changed_at {integer} NOT NULL,
    PRIMARY KEY (tenant_id, table_name, column_name, hour_at)
) {strict};
CREATE INDEX series_changes_by_hour ON series_changes (hour_at);

CREATE TABLE series_points (
    tenant_id {text} NOT NULL,
    series {text} NOT NULL,
    starts_at {integer} NOT NULL,
    ends_at {integer} NOT NULL,
    value {real},
    currencies {text},
    changed {integer} NOT NULL,
    PRIMARY KEY (tenant_id, series, starts_at)
) {strict};
CREATE INDEX series_points_by_time ON series_points (starts_at);
