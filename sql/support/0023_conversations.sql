-- What people see of a conversation: who wrote a reply, the answer as it was shown, replies that the customer has
-- not read, who works on a ticket, and a journal of changes for pages that are open.
ALTER TABLE messages ADD COLUMN author {text};
ALTER TABLE messages ADD COLUMN answer {json};

UPDATE messages SET author = '' WHERE role = 'assistant' AND EXISTS (SELECT 1 FROM escalated_tickets t
    WHERE t.tenant_id = messages.tenant_id AND t.session_id = messages.session_id
    AND t.operator_response = messages.content);

ALTER TABLE sessions ADD COLUMN unread {integer} NOT NULL DEFAULT 0;

ALTER TABLE escalated_tickets ADD COLUMN assignee {text};

CREATE TABLE conversation_events (
    seq {integer} PRIMARY KEY,
    tenant_id {text} NOT NULL,
    session_id {text} NOT NULL,
    ticket_id {text} NOT NULL,
    kind {text} NOT NULL,
    created_at {text} NOT NULL
) {strict};
CREATE INDEX conversation_events_by_time ON conversation_events (created_at);

-- The last number of the journal. A writer locks the row until its transaction ends, so numbers become visible in
-- their order.
CREATE TABLE conversation_event_counter (
    id {integer} PRIMARY KEY,
    seq {integer} NOT NULL
) {strict};
INSERT INTO conversation_event_counter (id, seq) VALUES (1, 0);
