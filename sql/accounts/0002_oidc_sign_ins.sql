-- Sign-ins that have begun at an identity provider (OpenID Connect): from the moment that the browser is sent there
-- until it comes back, once. Of what the browser holds only digests are stored. expires_at: Unix seconds.
CREATE TABLE oidc_sign_ins (
    state_digest {text} NOT NULL PRIMARY KEY,
    browser_digest {text} NOT NULL,
    issuer {text} NOT NULL,
    nonce {text} NOT NULL,
    verifier {text} NOT NULL,
    redirect_uri {text} NOT NULL,
    next_path {text} NOT NULL,
    expires_at {integer} NOT NULL
) {strict};

CREATE INDEX oidc_sign_ins_by_end ON oidc_sign_ins (expires_at);
