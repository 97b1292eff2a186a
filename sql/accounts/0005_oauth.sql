-- Programs that people let act for them (OAuth 2.1). Times are microseconds since 1970, UTC. Of codes and tokens only
-- digests are stored.

-- A program that has registered itself (RFC 7591); network: where it did. used_at: when a person last let it in.
CREATE TABLE oauth_clients (
    id {text} NOT NULL PRIMARY KEY,
    name {text} NOT NULL,
    redirect_uris {json} NOT NULL,
    network {text} NOT NULL,
    created_at {integer} NOT NULL,
    used_at {integer}
) {strict};

CREATE INDEX oauth_clients_by_network ON oauth_clients (network);
CREATE INDEX oauth_clients_by_time ON oauth_clients (created_at);

-- What a person allowed a program: one code, then one access token and one refresh token at a time. The first half of
-- a refresh token stays (family_digest), so that one that was used before is known again. bound_to: `suite`, or the
-- service whose address `resource` is (RFC 8707).
CREATE TABLE oauth_grants (
    id {text} NOT NULL PRIMARY KEY,
    client_id {text} NOT NULL REFERENCES oauth_clients (id),
    person_id {text} NOT NULL REFERENCES people (id),
    resource {text} NOT NULL,
    bound_to {text} NOT NULL,
    read_only {boolean} NOT NULL,
    redirect_uri {text} NOT NULL,
    code_challenge {text} NOT NULL,
    code_digest {text} NOT NULL UNIQUE,
    code_ends_at {integer} NOT NULL,
    created_at {integer} NOT NULL,
    ends_at {integer} NOT NULL,
    exchanged_at {integer},
    access_digest {text} UNIQUE,
    access_read_only {boolean} NOT NULL,
    access_ends_at {integer},
    family_digest {text} UNIQUE,
    refresh_digest {text},
    refresh_ends_at {integer},
    last_used_at {integer}
) {strict};

CREATE INDEX oauth_grants_by_person ON oauth_grants (person_id, created_at);
CREATE INDEX oauth_grants_by_client ON oauth_grants (client_id);
