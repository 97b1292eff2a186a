-- What running experiments observe. Raw rows first, then what is kept beside them so that a read costs
-- the same however many events there were; everything of the second kind can be made again from the
-- first (cron-bin/live-rebuild). Every key begins with the experiment's number, so that the tables can be
-- partitioned by it. Moments are microseconds since 1970; sums are pairs of doubles, high and low part.

-- One row per experiment that has seen an event. `version` counts changes; `next_…` hand out numbers.
CREATE TABLE live_experiments (
    experiment {identity},
    experiment_id {text} NOT NULL UNIQUE REFERENCES projects (id) ON DELETE CASCADE,
    version {integer} NOT NULL DEFAULT 0,
    next_unit {integer} NOT NULL DEFAULT 1,
    next_sequence {integer} NOT NULL DEFAULT 1,
    metrics {integer} NOT NULL DEFAULT 0,    -- names of each kind
    covariates {integer} NOT NULL DEFAULT 0,
    slices {integer} NOT NULL DEFAULT 0,
    strata {integer} NOT NULL DEFAULT 0,     -- those slices that are strata
    links {integer} NOT NULL DEFAULT 0,
    alias_exposures {integer} NOT NULL DEFAULT 0,
    alias_conversions {integer} NOT NULL DEFAULT 0,
    merged_people {integer} NOT NULL DEFAULT 0,
    -- what the aggregates below were made for; a difference to the design or the settings makes them stale
    spike_events {integer} NOT NULL,
    primary_metric {integer} NOT NULL DEFAULT 0, -- with covariates, 0 where the design has no use for them
    numerator {integer} NOT NULL DEFAULT 0,
    denominator {integer} NOT NULL DEFAULT 0,
    stale {boolean} NOT NULL DEFAULT 0
) {strict};

-- Names and what was seen under them. Events too large to be squared are counted and not summed.
CREATE TABLE live_metrics (
    experiment {integer} NOT NULL,
    metric {integer} NOT NULL,
    name {text} NOT NULL,
    events {integer} NOT NULL DEFAULT 0,
    huge {integer} NOT NULL DEFAULT 0,
    sum_high {real} NOT NULL DEFAULT 0,
    sum_low {real} NOT NULL DEFAULT 0,
    PRIMARY KEY (experiment, metric),
    UNIQUE (experiment, name)
) {strict};

CREATE TABLE live_covariates (
    experiment {integer} NOT NULL,
    covariate {integer} NOT NULL,
    name {text} NOT NULL,
    PRIMARY KEY (experiment, covariate),
    UNIQUE (experiment, name)
) {strict};

-- A slice is a value of a dimension; strata are those of the dimension ''.
CREATE TABLE live_slices (
    experiment {integer} NOT NULL,
    slice {integer} NOT NULL,
    dimension {text} NOT NULL,
    name {text} NOT NULL,
    PRIMARY KEY (experiment, slice),
    UNIQUE (experiment, dimension, name)
) {strict};

-- Raw: what is known of a user id as it was sent. A row with a canonical id is an alias of that user.
-- Groups of columns are NULL until their event came, and never change afterwards.
CREATE TABLE live_units (
    experiment {integer} NOT NULL,
    user_id {text} NOT NULL,
    unit {integer} NOT NULL, -- its number within the experiment
    variation {integer},     -- of the exposure; -1 is the holdout
    occurred_at {integer},
    exposed_at {integer},    -- when it was received, and its place among everything that was
    exposure_sequence {integer},
    canonical_id {text},
    linked_at {integer},
    exclusion_reason {text},
    excluded_at {integer},
    stratum {integer},
    stratified_at {integer},
    stratum_sequence {integer},
    dimensions {text},       -- the slices sent with the exposure, as numbers with blanks between them
    PRIMARY KEY (experiment, user_id)
) {clustered};

CREATE INDEX live_units_aliases ON live_units (experiment, canonical_id)
    WHERE canonical_id IS NOT NULL;

-- Raw: events, those of a user beside each other.
CREATE TABLE live_conversions (
    experiment {integer} NOT NULL,
    unit {integer} NOT NULL,
    sequence {integer} NOT NULL,
    metric {integer} NOT NULL,
    value {real} NOT NULL,
    occurred_at {integer} NOT NULL,
    created_at {integer} NOT NULL,
    idempotency_key {text},
    PRIMARY KEY (experiment, unit, sequence)
) {clustered};

CREATE UNIQUE INDEX live_conversions_key ON live_conversions (experiment, idempotency_key)
    WHERE idempotency_key IS NOT NULL;

-- Raw: values from before the experiment.
CREATE TABLE live_unit_covariates (
    experiment {integer} NOT NULL,
    unit {integer} NOT NULL,
    covariate {integer} NOT NULL,
    value {real} NOT NULL,
    created_at {integer} NOT NULL,
    PRIMARY KEY (experiment, unit, covariate)
) {clustered};

-- Kept: the events of a user id under a metric. Early and late are seen from the exposure of the person
-- whose id it is.
CREATE TABLE live_unit_metrics (
    experiment {integer} NOT NULL,
    unit {integer} NOT NULL,
    metric {integer} NOT NULL,
    events {integer} NOT NULL,
    huge {integer} NOT NULL,
    early {integer} NOT NULL,
    late {integer} NOT NULL,
    sum_high {real} NOT NULL,
    sum_low {real} NOT NULL,
    PRIMARY KEY (experiment, unit, metric)
) {clustered};

-- Kept: exposures as sent, and people by what became of them.
CREATE TABLE live_arms (
    experiment {integer} NOT NULL,
    arm {integer} NOT NULL, -- -1 is the holdout
    exposures {integer} NOT NULL,
    people {integer} NOT NULL,
    excluded {integer} NOT NULL,
    spiked {integer} NOT NULL,
    PRIMARY KEY (experiment, arm)
) {clustered};

-- Kept: people of an arm and slice with events under a metric, with the sums of their values; metric 0 is
-- being in the slice, slice 0 is everybody. `peak` is the largest sum of squares that ever stood here.
CREATE TABLE live_cells (
    experiment {integer} NOT NULL,
    metric {integer} NOT NULL,
    slice {integer} NOT NULL,
    arm {integer} NOT NULL,
    people {integer} NOT NULL,
    huge {integer} NOT NULL,
    sum_high {real} NOT NULL,
    sum_low {real} NOT NULL,
    squares_high {real} NOT NULL,
    squares_low {real} NOT NULL,
    peak {real} NOT NULL,
    events {integer} NOT NULL,
    early {integer} NOT NULL,
    late {integer} NOT NULL,
    PRIMARY KEY (experiment, metric, slice, arm)
) {clustered};

-- Kept: sums of the products z_i z_j over people, z_0 = 1. Family 1 holds denominator and numerator of a
-- ratio, family 2 the primary metric and the covariates of those who have all of them; row -1 counts people
-- with a value too large for products.
CREATE TABLE live_products (
    experiment {integer} NOT NULL,
    family {integer} NOT NULL,
    arm {integer} NOT NULL,
    first {integer} NOT NULL,
    second {integer} NOT NULL,
    sum_high {real} NOT NULL,
    sum_low {real} NOT NULL,
    peak {real} NOT NULL,
    PRIMARY KEY (experiment, family, arm, first, second)
) {clustered};

-- postgres
-- Rows that every batch changes leave room for their next version beside them.
ALTER TABLE live_unit_metrics SET (fillfactor = 80);
ALTER TABLE live_cells SET (fillfactor = 50);
ALTER TABLE live_arms SET (fillfactor = 50);
ALTER TABLE live_products SET (fillfactor = 50);
ALTER TABLE live_experiments SET (fillfactor = 50);
