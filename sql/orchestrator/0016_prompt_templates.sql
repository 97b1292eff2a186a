-- Prompt templates: numbered versions of a list of messages with variables. A version never changes. Calls that
-- name no version get the one in production.

CREATE TABLE orch_templates (
    name {text} NOT NULL,
    version {integer} NOT NULL,
    messages {text} NOT NULL,
    production {boolean} NOT NULL DEFAULT 0,
    created_at {integer} NOT NULL,
    created_by {text},
    PRIMARY KEY (name, version)
) {strict};
