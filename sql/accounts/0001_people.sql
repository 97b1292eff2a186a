-- People who sign in to the suite, their sessions, personal tokens and invitations, and who changed what.
-- Times are microseconds since 1970, UTC. Of sessions, tokens and invitations only digests are stored.

-- Of sessions, `source` tells how the person signed in. username_key is the folded username. Without a password_hash the person signs in otherwise: by the
-- settings (source 'settings') or by a provider (person_identities). roles: area -> role.
CREATE TABLE people (
    id {text} NOT NULL PRIMARY KEY,
    username {text} NOT NULL,
    username_key {text} NOT NULL UNIQUE,
    email {text},
    name {text},
    tenant {text} NOT NULL,
    roles {json} NOT NULL,
    is_active {boolean} NOT NULL,
    password_hash {text},
    must_change_password {boolean} NOT NULL,
    source {text} NOT NULL,
    created_at {integer} NOT NULL,
    last_seen_at {integer}
) {strict};

-- Who a person is at a provider of sign-in.
CREATE TABLE person_identities (
    issuer {text} NOT NULL,
    subject {text} NOT NULL,
    person_id {text} NOT NULL REFERENCES people (id),
    created_at {integer} NOT NULL,
    last_used_at {integer},
    PRIMARY KEY (issuer, subject)
) {strict};

CREATE INDEX person_identities_by_person ON person_identities (person_id);

CREATE TABLE sessions (
    id {text} NOT NULL PRIMARY KEY,
    digest {text} NOT NULL UNIQUE,
    person_id {text} NOT NULL REFERENCES people (id),
    source {text} NOT NULL,
    created_at {integer} NOT NULL,
    last_seen_at {integer} NOT NULL,
    idle_seconds {integer} NOT NULL,
    ends_at {integer} NOT NULL,
    user_agent {text},
    ip_address {text}
) {strict};

CREATE INDEX sessions_by_person ON sessions (person_id, created_at);
CREATE INDEX sessions_by_end ON sessions (ends_at);

CREATE TABLE personal_tokens (
    id {text} NOT NULL PRIMARY KEY,
    digest {text} NOT NULL UNIQUE,
    person_id {text} NOT NULL REFERENCES people (id),
    name {text} NOT NULL,
    prefix {text} NOT NULL,
    read_only {boolean} NOT NULL,
    created_at {integer} NOT NULL,
    last_used_at {integer},
    expires_at {integer}
) {strict};

CREATE INDEX personal_tokens_by_person ON personal_tokens (person_id, created_at);

CREATE TABLE invitations (
    id {text} NOT NULL PRIMARY KEY,
    digest {text} NOT NULL UNIQUE,
    email {text} NOT NULL,
    name {text},
    tenant {text} NOT NULL,
    roles {json} NOT NULL,
    invited_by {text} NOT NULL,
    created_at {integer} NOT NULL,
    expires_at {integer} NOT NULL
) {strict};

CREATE INDEX invitations_by_time ON invitations (created_at);

-- Failed sign-ins by name and by name and address, for names that do not exist as well.
CREATE TABLE sign_in_failures (
    failure_key {text} NOT NULL PRIMARY KEY,
    failures {integer} NOT NULL,
    ends_at {integer} NOT NULL
) {strict};

CREATE INDEX sign_in_failures_by_end ON sign_in_failures (ends_at);

CREATE TABLE audit_log (
    id {identity},
    ts {integer} NOT NULL,
    actor {text} NOT NULL,
    action {text} NOT NULL,
    resource {text} NOT NULL,
    detail {text},
    ip_address {text}
) {strict};

CREATE INDEX audit_log_by_time ON audit_log (ts);
