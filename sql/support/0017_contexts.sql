-- What models did for an ingestion: the headers of chunks that they wrote, and what these cost.
ALTER TABLE kb_ingest_log ADD COLUMN contexts {integer} NOT NULL DEFAULT 0;
ALTER TABLE kb_ingest_log ADD COLUMN cost_usd {real} NOT NULL DEFAULT 0;
CREATE INDEX kb_ingest_log_paid ON kb_ingest_log (ts) WHERE cost_usd > 0;
