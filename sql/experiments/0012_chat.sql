-- Workspaces of the chat platform that the app is installed in. Tokens are sealed (common/crypto/seal.h).
CREATE TABLE chatapp_installations (
    team_id {text} PRIMARY KEY,
    team_name {text} NOT NULL,
    bot_token {text} NOT NULL,
    user_token {text},
    installed_at {text} NOT NULL,
    updated_at {text} NOT NULL
) {strict};

CREATE INDEX chatapp_installations_newest ON chatapp_installations (updated_at DESC);

-- What was taken and may come again: states of installs, presses of buttons, events. Microseconds since 1970.
CREATE TABLE chatapp_receipts (
    id {text} PRIMARY KEY,
    received_at {integer} NOT NULL
) {strict};

CREATE INDEX chatapp_receipts_age ON chatapp_receipts (received_at);
