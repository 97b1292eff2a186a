-- Sums of products of every metric with covariates are kept too (family 2 of live_products: the metric stands in
-- `first`): experiments with covariates compute them at their next reading.
UPDATE live_experiments SET stale = 1 WHERE covariates > 0;
