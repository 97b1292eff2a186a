-- How far files have been loaded into experiments: committed with the records themselves, so that a load
-- that was interrupted goes on where it was, and no record counts twice.
CREATE TABLE live_loads (
    experiment_id {text} NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    kind {text} NOT NULL,
    file {text} NOT NULL,  -- its digest: see cron-bin/events-load
    bytes {integer} NOT NULL,
    lines {integer} NOT NULL,
    PRIMARY KEY (experiment_id, kind, file)
) {clustered};
