-- Measured error rates: the newest order of an experiment, how far it is, and what the newest finished measurement
-- found. `request` numbers the orders of an experiment; moments are microseconds since 1970.
CREATE TABLE error_rates (
    experiment_id {text} NOT NULL PRIMARY KEY REFERENCES projects (id) ON DELETE CASCADE,
    request {integer} NOT NULL,
    state {text} NOT NULL,  -- waiting, running, done or failed
    seed {integer} NOT NULL,
    runs {integer} NOT NULL,
    users {integer} NOT NULL, -- at most so many are divided anew
    requested_at {integer} NOT NULL,
    failure {text},
    running {text},           -- counts so far, as JSON
    result {text}             -- those of the newest finished measurement
) {strict};
