-- The private key that signs certificates of verdicts, as its seed in base64url. One row, made at its first use, so
-- that all hosts of an installation sign with the same key.
CREATE TABLE certificate_keys (
    purpose {text} NOT NULL PRIMARY KEY,
    seed {text} NOT NULL,
    created_at {text} NOT NULL
) {strict};
