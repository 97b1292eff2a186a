-- The menu of models as the browser saw it last.

CREATE TABLE orch_model_catalog_snapshots (
    catalog_key {text} PRIMARY KEY,
    checked_at {text} NOT NULL,
    source {text} NOT NULL,
    payload {text} NOT NULL,
    updated_at {text} NOT NULL
) {strict};
