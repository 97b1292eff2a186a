-- The digest of an experiment's exposures, for certificates: it holds while as many exposures are stored and none was
-- taken out since. Exposures are only added otherwise.
ALTER TABLE live_experiments ADD COLUMN exposures_taken {integer} NOT NULL DEFAULT 0; -- times that some were taken out

CREATE TABLE certificate_populations (
    experiment_id {text} NOT NULL PRIMARY KEY REFERENCES projects (id) ON DELETE CASCADE,
    exposures_taken {integer} NOT NULL,
    exposures {integer} NOT NULL,
    sha256 {text} NOT NULL
) {strict};
