-- Named groups of users that targeting rules ask for. A user belongs to a segment who is in its list, or for whom its
-- rules hold. Every change of the rules or of the list is a version.
CREATE TABLE segments (
    number {identity},
    id {text} NOT NULL UNIQUE,
    version {integer} NOT NULL,
    name {text} NOT NULL UNIQUE,
    name_folded {text} NOT NULL UNIQUE,
    user_count {integer} NOT NULL DEFAULT 0, -- of the list
    created_at {text} NOT NULL,
    updated_at {text} NOT NULL,
    definition {json} NOT NULL
) {strict};

CREATE TABLE segment_users (
    segment {integer} NOT NULL REFERENCES segments (number) ON DELETE CASCADE,
    user_key {text} NOT NULL,
    PRIMARY KEY (segment, user_key)
) {clustered};

-- The projects whose design names a segment.
CREATE TABLE segment_uses (
    project_id {text} NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    segment {integer} NOT NULL REFERENCES segments (number),
    PRIMARY KEY (project_id, segment)
) {clustered};

CREATE INDEX segment_uses_of ON segment_uses (segment, project_id);
