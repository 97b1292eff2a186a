-- Growth of an experiment besides (0018_outcomes.sql): users who were seen in several arms, by the day of their exposure;
-- and what users did by days since their own exposure. What is stored is computed again.
DELETE FROM live_days;
DELETE FROM live_series;
ALTER TABLE live_days ADD COLUMN crossed {integer} NOT NULL DEFAULT 0;

-- Of the users of an arm whose day `second` is over: sums of their values on day `first` (not after `second`), and of the
-- products of both. `huge` counts values beyond what can be squared, which the sums omit.
CREATE TABLE live_ages (
    experiment_id {text} NOT NULL REFERENCES live_series (experiment_id) ON DELETE CASCADE,
    arm {integer} NOT NULL,
    first {integer} NOT NULL, -- days since the exposure
    second {integer} NOT NULL,
    people {integer} NOT NULL,
    huge {integer} NOT NULL,
    value_sum {real} NOT NULL,
    products {real} NOT NULL,
    PRIMARY KEY (experiment_id, arm, first, second)
) {clustered};
