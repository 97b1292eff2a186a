/*
 * Signed tokens: JSON Web Tokens (RFC 7519). Our own, which clients present, have HMAC-SHA256
 * (HS256); those of an identity provider are signed with its private key (RS256, PS256, ES256). The
 * two are different functions, so that no token chooses which kind of key checks it (RFC 8725
 * section 2.1). A token with another `alg`, `none` included, is refused before its claims are
 * read.
 */
#ifndef ASSAY_CRYPTO_JWT_H
#define ASSAY_CRYPTO_JWT_H

#include "base/json.h"

#include <stdint.h>

/* Bytes; longer tokens are refused. Providers put lists of groups into theirs. */
enum { JWT_TEXT_MAX = 8192, JWT_PUBLIC_TEXT_MAX = 65536 };

/* The token of `claims`, an object as JSON text. From the arena. */
const char *jwt_sign(struct arena *arena, const char *claims, const char *key);

/* The claims of a token whose signature is valid and whose `exp` (Unix seconds, required) is after
 * `now`. ERROR_FORBIDDEN otherwise, without the reason. */
MUST_CHECK enum error jwt_verify(struct arena *arena, const char *token, const char *key,
                                 int64_t now, json_t **claims, struct problem *problem);

/* The claims of a token that a key of `keys` (an array of JSON Web Keys) has signed. The key is the
 * one that the token names by `kid`; without a name, the only one that fits. Checks the signature,
 * no claim: not even `exp`. ERROR_FORBIDDEN `token_malformed`, `token_algorithm`, `token_key` (no
 * such key: the set may be out of date) or `token_signature`; ERROR_SYSTEM. */
MUST_CHECK enum error jwt_verify_public(struct arena *arena, const char *token, const json_t *keys,
                                        json_t **claims, struct problem *problem);

/* A claim that is text; NULL when it is absent or of another type. */
const char *jwt_text(const json_t *claims, const char *name);

#endif
