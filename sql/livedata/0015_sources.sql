-- Sources that send heartbeats: up to which own time each has sent all of its events. `feeds` names the serving tables
-- that its events change, ",orders_v2,users_enriched,"; NULL = all. Times are microseconds since 1970, UTC.
CREATE TABLE source_watermarks (
    tenant_id {text} NOT NULL,
    source {text} NOT NULL,
    watermark {integer} NOT NULL,
    feeds {text},
    beat_at {integer} NOT NULL,
    PRIMARY KEY (tenant_id, source)
) {strict};
