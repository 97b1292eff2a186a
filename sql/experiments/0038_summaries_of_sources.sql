-- Figures of the list whose metric is read from live data: which reading they have, and until when that is fresh.
-- Those that are stored know neither, and are made again.
ALTER TABLE live_summaries ADD COLUMN source_at {integer};
ALTER TABLE live_summaries ADD COLUMN fresh_until {integer};
DELETE FROM live_summaries WHERE experiment_id IN (SELECT project_id FROM experiment_sources);
