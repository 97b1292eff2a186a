-- How single metrics count, where the design says so: what the aggregates were made for. Per metric its number,
-- window (as conversion_window), lower and upper cap, with commas between them and a blank behind.
ALTER TABLE live_experiments ADD COLUMN metric_rules {text} NOT NULL DEFAULT '';
