-- Answers of /v1/responses that later requests build on. They belong to whoever asked (`owner`: a key,
-- a person); `input` are the items of that request alone as JSON, `answer` is the whole answer.

CREATE TABLE orch_responses (
    response_id {text} PRIMARY KEY,
    owner {text} NOT NULL,
    previous_id {text},
    created_at {text} NOT NULL,
    input {text} NOT NULL,
    answer {text} NOT NULL
) {strict};

CREATE INDEX orch_responses_by_age ON orch_responses (created_at);
