-- E-mail as a channel of conversations: what came in, whose conversation it is, and what goes out.

-- `message_key` is the Message-ID, or a digest of a message without one: each is taken once.
CREATE TABLE email_received (
    id {text} PRIMARY KEY,
    message_key {text} NOT NULL,
    tenant_id {text} NOT NULL,
    sender {text} NOT NULL,
    subject {text} NOT NULL,
    body {text} NOT NULL,
    is_html {boolean} NOT NULL,
    message_id {text} NOT NULL,
    reference_ids {text} NOT NULL,
    state {text} NOT NULL CHECK (state IN ('waiting', 'handled', 'ignored')),
    ignored_because {text},
    session_id {text},
    received_at {text} NOT NULL,
    FOREIGN KEY (tenant_id, session_id) REFERENCES sessions (tenant_id, id) ON DELETE CASCADE
) {strict};
CREATE UNIQUE INDEX email_received_once ON email_received (message_key);
CREATE INDEX email_received_of_session ON email_received (tenant_id, session_id);
CREATE INDEX email_received_by_time ON email_received (received_at);

CREATE TABLE email_threads (
    tenant_id {text} NOT NULL,
    session_id {text} NOT NULL,
    address {text} NOT NULL,
    subject {text} NOT NULL,
    last_message_id {text} NOT NULL,
    reference_ids {text} NOT NULL,
    id_domain {text} NOT NULL,
    PRIMARY KEY (tenant_id, session_id),
    FOREIGN KEY (tenant_id, session_id) REFERENCES sessions (tenant_id, id) ON DELETE CASCADE
) {strict};

-- Messages of both directions, to which a customer's next one may refer.
CREATE TABLE email_message_ids (
    tenant_id {text} NOT NULL,
    message_id {text} NOT NULL,
    session_id {text} NOT NULL,
    PRIMARY KEY (tenant_id, message_id),
    FOREIGN KEY (tenant_id, session_id) REFERENCES sessions (tenant_id, id) ON DELETE CASCADE
) {strict};
CREATE INDEX email_message_ids_of_session ON email_message_ids (tenant_id, session_id);

CREATE TABLE email_sent (
    id {text} PRIMARY KEY,
    tenant_id {text} NOT NULL,
    session_id {text} NOT NULL,
    message_id {text} NOT NULL,
    address {text} NOT NULL,
    subject {text} NOT NULL,
    body {text} NOT NULL,
    in_reply_to {text} NOT NULL,
    reference_ids {text} NOT NULL,
    automatic {boolean} NOT NULL,
    state {text} NOT NULL CHECK (state IN ('waiting', 'sent', 'failed')),
    created_at {text} NOT NULL,
    FOREIGN KEY (tenant_id, session_id) REFERENCES sessions (tenant_id, id) ON DELETE CASCADE
) {strict};
CREATE INDEX email_sent_of_session ON email_sent (tenant_id, session_id);
CREATE INDEX email_sent_by_address ON email_sent (address, created_at);
