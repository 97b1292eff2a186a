-- How models have voted on past questions, from which the correlation of their errors is learned.
-- Not tied to tasks: those are kept for a shorter time. `sizes` are the votes of the groups of equal
-- answers as JSON, in the order of the answer; `right_votes` is how many models were right, once
-- somebody has said which answer is.

CREATE TABLE orch_votes (
    id {identity},
    task_id {text} NOT NULL UNIQUE,
    task_type {text} NOT NULL,
    models {text} NOT NULL,
    voters {integer} NOT NULL,
    first_votes {integer} NOT NULL,
    second_votes {integer} NOT NULL,
    sizes {text} NOT NULL,
    right_votes {integer},
    asked_at {text} NOT NULL
) {strict};
