-- The own time of the newest applied event: of each row, of each table and of each type of event. 0 and NULL = unknown.
-- `last_event_at` of cache_generation and `applied_at` say when that event was applied.
ALTER TABLE orders_v2 ADD COLUMN event_at {integer};
ALTER TABLE products_current ADD COLUMN event_at {integer};
ALTER TABLE sessions_aggregated ADD COLUMN event_at {integer};
ALTER TABLE users_enriched ADD COLUMN event_at {integer};
ALTER TABLE cache_generation ADD COLUMN event_at {integer} NOT NULL DEFAULT 0;
ALTER TABLE event_freshness ADD COLUMN event_at {integer} NOT NULL DEFAULT 0;
