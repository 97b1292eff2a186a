-- Giant experiments: their users are divided over buckets, of which each is written by itself. A project says how many
-- before its first event; with 1, which is the rule, nothing below has a row.
ALTER TABLE projects ADD COLUMN live_bucket_count {integer} NOT NULL DEFAULT 1;
ALTER TABLE live_experiments ADD COLUMN buckets {integer} NOT NULL DEFAULT 1;

-- One row per bucket, with what live_experiments has for an experiment that is not divided. The number of a bucket is
-- -(1024 * number of the experiment + bucket): all other tables know buckets by it, as experiments of their own.
CREATE TABLE live_buckets (
    experiment {integer} NOT NULL,
    version {integer} NOT NULL DEFAULT 0,
    next_unit {integer} NOT NULL DEFAULT 1,
    next_sequence {integer} NOT NULL DEFAULT 1,
    links {integer} NOT NULL DEFAULT 0,
    alias_exposures {integer} NOT NULL DEFAULT 0,
    alias_conversions {integer} NOT NULL DEFAULT 0,
    merged_people {integer} NOT NULL DEFAULT 0,
    stale {boolean} NOT NULL DEFAULT 0,
    first_exposed_at {integer},
    last_exposed_at {integer},
    PRIMARY KEY (experiment)
) {clustered};

-- User ids that are not in the bucket of their own hash: aliases, which lie with their canonical user. By the number of
-- the experiment.
CREATE TABLE live_places (
    experiment {integer} NOT NULL,
    user_id {text} NOT NULL,
    bucket {integer} NOT NULL,
    PRIMARY KEY (experiment, user_id)
) {clustered};

-- Idempotency keys that were used, by the bucket of the key's own hash.
CREATE TABLE live_keys (
    experiment {integer} NOT NULL,
    idempotency_key {text} NOT NULL,
    created_at {integer} NOT NULL,
    PRIMARY KEY (experiment, idempotency_key)
) {clustered};
