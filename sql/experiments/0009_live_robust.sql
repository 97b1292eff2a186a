-- The capped means and the counts in bins that the aggregates of an experiment hold besides (live_cells
-- with metrics and slices below zero): what the design asked for when they were made.
ALTER TABLE live_experiments ADD COLUMN robust {text} NOT NULL DEFAULT '';
