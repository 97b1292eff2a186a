/*
 * The claims of an ID token, after its signature was verified: whether the token is for this
 * client, this sign-in and this moment (OpenID Connect Core 1.0 section 3.1.3.7), and who the
 * person is.
 */
#ifndef ASSAY_ACCOUNTS_OIDC_CLAIMS_H
#define ASSAY_ACCOUNTS_OIDC_CLAIMS_H

#include "base/json.h"

enum { OIDC_SUBJECT_MAX = 255 };

struct oidc_expectation {
    const char *issuer;
    const char *client_id;
    const char *nonce;
    const char *access_token; /* that came with the ID token; NULL = none */
    int64_t now, tolerance;   /* seconds */
};

/* ERROR_FORBIDDEN; the reason names the claim: claim_iss, claim_sub, claim_aud, claim_azp,
 * claim_exp, claim_iat, claim_nbf, claim_nonce, claim_at_hash. */
MUST_CHECK enum error oidc_claims_check(struct arena *arena, const json_t *claims,
                                        const struct oidc_expectation *expected,
                                        struct problem *problem);

/* Whom the provider says the person is. Texts are the provider's, up to some hundred bytes. */
struct oidc_identity {
    const char *issuer;
    const char *subject;
    const char *email; /* NULL = none, or the provider does not vouch for it */
    const char *name;  /* NULL = none */
    const char *preferred_username;
    struct string_list groups;
};

struct oidc_config;

/* Reads the identity from the claims of the ID token and those of the userinfo endpoint (or NULL),
 * of which the first to have a claim counts. */
void oidc_identity_read(struct arena *arena, const struct oidc_config *config, const json_t *claims,
                        const json_t *userinfo, struct oidc_identity *identity);

/* The claim of that name; dots lead into objects unless a claim has the whole name. NULL = none. */
const json_t *oidc_claim(const json_t *claims, const char *name);

#endif
