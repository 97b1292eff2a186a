-- What models cost that no trace tells of: a row for each day (UTC) and purpose.
CREATE TABLE model_spend (
    day {text} NOT NULL,
    purpose {text} NOT NULL,
    cost_usd {real} NOT NULL,
    PRIMARY KEY (day, purpose)
);
INSERT INTO model_spend (day, purpose, cost_usd)
    SELECT substr(ts, 1, 10), 'ingestion', sum(cost_usd) FROM kb_ingest_log WHERE cost_usd > 0 GROUP BY substr(ts, 1, 10);
DROP INDEX kb_ingest_log_paid;
