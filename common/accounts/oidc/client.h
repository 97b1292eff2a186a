/*
 * The calls to an identity provider: its discovery document, its keys, and the exchange of an
 * authorization code for an identity (OpenID Connect Core 1.0 section 3.1, with PKCE, RFC 7636).
 * Keeps document and keys for a while. Knows no accounts and stores nothing.
 */
#ifndef ASSAY_ACCOUNTS_OIDC_CLIENT_H
#define ASSAY_ACCOUNTS_OIDC_CLIENT_H

#include "accounts/oidc/claims.h"
#include "accounts/oidc/config.h"
#include "accounts/oidc/metadata.h"
#include "base/schema.h"

struct shm_region;
struct oidc_client;

/* One per worker and provider; connects to nothing. `config` must stay valid; `region` holds the
 * circuit breaker, NULL = none. Memory from `arena`. NULL when there is no memory. */
struct oidc_client *oidc_client_open(struct arena *arena, const struct oidc_config *config,
                                     struct shm_region *region);
void oidc_client_close(struct oidc_client *client);

const struct oidc_config *oidc_client_config(const struct oidc_client *client);

/* What one sign-in is known by, from its beginning to its end. */
struct oidc_attempt {
    const char *state;
    const char *nonce;
    const char *verifier;     /* of PKCE */
    const char *redirect_uri; /* where the provider sends the browser back to */
};

/* Where to send the browser. ERROR_UNAVAILABLE `oidc_unavailable`: the provider does not answer;
 * ERROR_FORBIDDEN: its answer is not what it should be (metadata.h). */
MUST_CHECK enum error oidc_client_authorize(struct oidc_client *client, struct arena *arena,
                                            const struct oidc_attempt *attempt,
                                            const char **address, struct problem *problem);

/* What the provider sends with the browser, as the query of the address that it sends it back to;
 * NULL = no such parameter. */
struct oidc_response {
    const char *code;
    const char *state; /* of the attempt */
    const char *iss;   /* the issuer (RFC 9207) */
    const char *error;
};
SCHEMA_OF(oidc_response_schema, struct oidc_response);

/* Redeems the code: exchanges it, verifies the ID token with the provider's keys, and asks its
 * userinfo endpoint for what the token leaves out. ERROR_FORBIDDEN `oidc_denied` when the provider
 * or the person said no; further errors as above and as of claims.h and crypto/jwt.h. */
MUST_CHECK enum error oidc_client_redeem(struct oidc_client *client, struct arena *arena,
                                         const struct oidc_attempt *attempt,
                                         const struct oidc_response *response,
                                         struct oidc_identity *identity, struct problem *problem);

/* Where a browser signs out at the provider and is then sent to `return_to`; NULL when the
 * provider has no such address or cannot be asked. */
const char *oidc_client_sign_out(struct oidc_client *client, struct arena *arena,
                                 const char *return_to);

#endif
