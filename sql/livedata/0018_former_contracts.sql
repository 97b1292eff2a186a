-- Contracts that another one has replaced, by their fingerprints: a host whose file is one of them starts with an older
-- file, and does not go back to it by itself.
CREATE TABLE own_former_contracts (
    entity_type {text} NOT NULL,
    fingerprint {text} NOT NULL,
    replaced_at {integer} NOT NULL,
    PRIMARY KEY (entity_type, fingerprint)
) {strict};
