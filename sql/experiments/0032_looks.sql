-- The looks that were taken at running experiments with planned looks. A look is evidence: it keeps what was seen then,
-- whatever comes in later. `plan` is what the looks of one test share; `actor` is null for looks of the upkeep.
CREATE TABLE experiment_looks (
    experiment_id {text} NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    look {integer} NOT NULL,
    information_fraction {real} NOT NULL,
    users {integer} NOT NULL,
    plan {text} NOT NULL,
    actor {text},
    taken_at {text} NOT NULL,
    PRIMARY KEY (experiment_id, look)
) {clustered};

-- The effect of a treatment at a look and its standard error, in natural units.
CREATE TABLE experiment_look_effects (
    experiment_id {text} NOT NULL,
    look {integer} NOT NULL,
    treatment_index {integer} NOT NULL,
    estimate {real} NOT NULL,
    standard_error {real} NOT NULL,
    PRIMARY KEY (experiment_id, look, treatment_index),
    FOREIGN KEY (experiment_id, look) REFERENCES experiment_looks (experiment_id, look) ON DELETE CASCADE
) {clustered};
