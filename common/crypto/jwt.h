/*
 * Signed tokens that clients present: JSON Web Tokens (RFC 7519), only with HMAC-SHA256 (HS256). A
 * token with another `alg`, `none` included, is refused before its claims are read.
 */
#ifndef ASSAY_CRYPTO_JWT_H
#define ASSAY_CRYPTO_JWT_H

#include "base/json.h"

#include <stdint.h>

enum { JWT_TEXT_MAX = 8192 }; /* bytes; longer tokens are refused */

/* The token of `claims`, an object as JSON text. From the arena. */
const char *jwt_sign(struct arena *arena, const char *claims, const char *key);

/* The claims of a token whose signature is valid and whose `exp` (Unix seconds, required) is after
 * `now`. ERROR_FORBIDDEN otherwise, without the reason. */
MUST_CHECK enum error jwt_verify(struct arena *arena, const char *token, const char *key,
                                 int64_t now, json_t **claims, struct problem *problem);

/* A claim that is text; NULL when it is absent or of another type. */
const char *jwt_text(const json_t *claims, const char *name);

#endif
