-- What a split of live traffic between an experiment and none has come to, for the experiments service.

-- One round of an assignment: another share begins another one.
CREATE TABLE traffic_splits (
    split_id {text} PRIMARY KEY,
    tenant_id {text} NOT NULL,
    experiment_id {text} NOT NULL,
    percentage {integer} NOT NULL,
    started_at {text} NOT NULL, -- experiment_assignments.rolled_out_at
    project_id {text}, -- at the experiments service, once it is known there
    verdict {text}, -- what it last said, as the next two
    confidence {text},
    reasons {json},
    read_at {text},
    withdrawn_at {text} -- its tenant's assignment was ended because it harms
) {strict};
CREATE INDEX traffic_splits_of ON traffic_splits (experiment_id, started_at);

CREATE TABLE split_answers (
    trace_id {text} PRIMARY KEY,
    tenant_id {text} NOT NULL,
    split_id {text} NOT NULL,
    unit {text} NOT NULL, -- the conversation, by a name that says nothing
    arm {integer} NOT NULL -- 0 as it was, 1 as the experiment has it
) {strict};

-- Written with the answer or the vote, sent later. The key is the receiver's, too: twice sent counts once.
CREATE TABLE split_events (
    id {identity},
    event_key {text} NOT NULL UNIQUE,
    split_id {text} NOT NULL,
    trace_id {text} NOT NULL,
    unit {text} NOT NULL,
    arm {integer} NOT NULL,
    metric {text}, -- null: the unit was exposed
    value {real} NOT NULL,
    occurred_at {text} NOT NULL,
    sent {boolean} NOT NULL
) {strict};
CREATE INDEX split_events_waiting ON split_events (split_id, id) WHERE sent = 0;
CREATE INDEX split_events_of_trace ON split_events (trace_id);
