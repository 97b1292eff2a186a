-- When the first and the last exposure of an experiment happened, as far as they were received: how fast
-- people come in.
ALTER TABLE live_experiments ADD COLUMN first_exposed_at {integer};
ALTER TABLE live_experiments ADD COLUMN last_exposed_at {integer};
UPDATE live_experiments SET
    first_exposed_at = (SELECT min(u.occurred_at) FROM live_units u
        WHERE u.experiment = live_experiments.experiment AND u.variation >= 0),
    last_exposed_at = (SELECT max(u.occurred_at) FROM live_units u
        WHERE u.experiment = live_experiments.experiment AND u.variation >= 0);
