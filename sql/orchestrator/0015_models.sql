-- Models that administrators have added on a page; `spec` is an object as in ORCH_MODELS_FILE.

CREATE TABLE orch_models (
    model_id {text} PRIMARY KEY,
    spec {text} NOT NULL,
    added_by {text},
    added_at {integer} NOT NULL
) {strict};

-- One row: it changes with each change of the models, so that workers read them again.
CREATE TABLE orch_models_version (
    id {integer} PRIMARY KEY,
    version {integer} NOT NULL
) {strict};

INSERT INTO orch_models_version (id, version) VALUES (1, 0);
