-- How many conversations of a split were answered by which side, for the page that shows it.

CREATE INDEX split_events_exposed ON split_events (split_id, arm) WHERE metric IS NULL;
