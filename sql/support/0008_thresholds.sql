-- Cutoffs that a tenant has chosen in place of the settings, and whether what they promise still holds.

CREATE TABLE threshold_choices (
    tenant_id {text} NOT NULL,
    metric {text} NOT NULL,
    cutoff {real} NOT NULL,
    source {text} NOT NULL CHECK (source IN ('risk', 'f1', 'manual')),
    risk {real}, -- promised share of wrong answers among those that go out; of source `risk`
    confidence {real},
    coverage {real},
    chosen_at {text} NOT NULL,
    chosen_by {text} NOT NULL,
    state {text} CHECK (state IN ('holds', 'undecided', 'broken')), -- when it was last looked at
    checked_at {text},
    given {integer}, -- answers judged since it was chosen that go out under it
    wrong {integer},
    PRIMARY KEY (tenant_id, metric)
) {strict};

-- Evaluations of all tenants, by day.
CREATE INDEX trace_evaluations_of_all ON trace_evaluations (evaluator_name, evaluated_at);
