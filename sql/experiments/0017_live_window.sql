-- Events that count where only those after the exposure do: kept beside all events of a user id, and only
-- for experiments with such a window (0 = all events count, -1 = all after the exposure, else microseconds
-- after it).
ALTER TABLE live_experiments ADD COLUMN conversion_window {integer} NOT NULL DEFAULT 0;
ALTER TABLE live_unit_metrics ADD COLUMN counted {integer} NOT NULL DEFAULT 0;
ALTER TABLE live_unit_metrics ADD COLUMN counted_huge {integer} NOT NULL DEFAULT 0;
ALTER TABLE live_unit_metrics ADD COLUMN counted_high {real} NOT NULL DEFAULT 0;
ALTER TABLE live_unit_metrics ADD COLUMN counted_low {real} NOT NULL DEFAULT 0;

-- User ids that were sent in more than one arm, and the people that they belong to.
ALTER TABLE live_units ADD COLUMN crossed {boolean} NOT NULL DEFAULT 0;
ALTER TABLE live_arms ADD COLUMN crossed {integer} NOT NULL DEFAULT 0;

-- How many people of the arms have a covariate, and which covariates the sums of products are made of: the
-- numbers of those that cover enough people, in the order of the factors.
ALTER TABLE live_covariates ADD COLUMN people {integer} NOT NULL DEFAULT 0;
ALTER TABLE live_experiments ADD COLUMN covariates_used {text} NOT NULL DEFAULT '';
UPDATE live_experiments SET stale = 1 WHERE covariates > 0;
