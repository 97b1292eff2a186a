/*
 * What an identity provider publishes about itself: the discovery document (OpenID Connect
 * Discovery 1.0 section 3) and its keys (RFC 7517). Pure functions of bytes; client.h fetches them.
 */
#ifndef ASSAY_ACCOUNTS_OIDC_METADATA_H
#define ASSAY_ACCOUNTS_OIDC_METADATA_H

#include "base/json.h"

struct oidc_metadata {
    const char *issuer;
    const char *authorization_endpoint;
    const char *token_endpoint;
    const char *jwks_uri;
    const char *userinfo_endpoint;                            /* NULL = none */
    const char *end_session_endpoint;                         /* NULL = none */
    struct string_list token_endpoint_auth_methods_supported; /* empty: client_secret_basic */
    struct string_list code_challenge_methods_supported;      /* empty: the provider does not say */
    bool authorization_response_iss_parameter_supported;      /* RFC 9207 */
};

/* ERROR_FORBIDDEN `oidc_metadata` says what is wrong: no JSON, another issuer, an endpoint that is
 * missing or may not be called, no PKCE with S256. */
MUST_CHECK enum error oidc_metadata_read(struct arena *arena, const char *issuer, const char *bytes,
                                         size_t length, struct oidc_metadata *metadata,
                                         struct problem *problem);

/* The array of keys of a key set. ERROR_FORBIDDEN `oidc_keys`. */
MUST_CHECK enum error oidc_keys_read(struct arena *arena, const char *bytes, size_t length,
                                     const json_t **keys, struct problem *problem);

/* A document of the provider: a JSON object. ERROR_FORBIDDEN `oidc_answer` names it as `what`. */
MUST_CHECK enum error oidc_json_read(struct arena *arena, const char *what, const char *bytes,
                                     size_t length, json_t **document, struct problem *problem);

#endif
