-- The feature flag of each project: its key, which programs ask for, and what its variations stand for. A project
-- without a row gets one at the start of the service (common/experiments/projects/project_slug.c).
CREATE TABLE flags (
    experiment_id {text} NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    slug {text} NOT NULL UNIQUE,
    enabled {integer} NOT NULL DEFAULT 0,
    settings {json}, -- values, forced variations...; NULL until somebody sets them
    updated_at {text},
    PRIMARY KEY (experiment_id)
) {strict};

CREATE INDEX flags_set ON flags (slug) WHERE settings IS NOT NULL;

-- Keys that are published in web pages and apps: they evaluate and track the flag of one project.
CREATE TABLE client_keys (
    id {text} NOT NULL PRIMARY KEY,
    experiment_id {text} NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    name {text} NOT NULL,
    client_key {text} NOT NULL UNIQUE,
    rate_limit_requests {integer},
    rate_limit_window_seconds {integer},
    created_by {text},
    created_at {text} NOT NULL
) {strict};

CREATE INDEX client_keys_of ON client_keys (experiment_id, created_at);

-- The origins of the pages that may show a key.
CREATE TABLE client_key_origins (
    key_id {text} NOT NULL REFERENCES client_keys (id) ON DELETE CASCADE,
    origin {text} NOT NULL,
    PRIMARY KEY (key_id, origin)
) {clustered};

CREATE INDEX client_key_origins_by_origin ON client_key_origins (origin);
