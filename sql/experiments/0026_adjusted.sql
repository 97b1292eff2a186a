-- Products with covariates have one more factor: whether a user has events, or the denominator of a ratio. The next
-- read of an experiment with covariates makes its aggregates again.
UPDATE live_experiments SET stale = 1 WHERE covariates > 0;
