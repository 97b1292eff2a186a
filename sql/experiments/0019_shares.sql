-- Links that open the report of a result without signing in. The token of a link is nowhere stored, only its
-- SHA-256. A link that was revoked has no row.
CREATE TABLE experiment_shares (
    id {text} NOT NULL PRIMARY KEY,
    experiment_id {text} NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    token_hash {text} NOT NULL UNIQUE,
    created_by {text},
    created_at {text} NOT NULL,
    expires_at {text} NOT NULL
) {strict};

CREATE INDEX experiment_shares_of ON experiment_shares (experiment_id, created_at);
