/*
 * Signed tokens that their holder brings back: JSON Web Tokens (RFC 7519) with HMAC-SHA256 (HS256)
 * and nothing else. A token with another `alg`, `none` included, is refused before anything of it
 * is believed.
 */
#ifndef ASSAY_CRYPTO_JWT_H
#define ASSAY_CRYPTO_JWT_H

#include "base/json.h"

#include <stdint.h>

enum { JWT_TEXT_MAX = 8192 }; /* bytes of a token that is looked at */

/* The token of `claims`, an object as JSON text. From the arena. */
const char *jwt_sign(struct arena *arena, const char *claims, const char *key);

/* The claims of a token whose signature is right and whose `exp` (Unix seconds, required) lies
 * after `now`. ERROR_FORBIDDEN otherwise, without saying which. */
MUST_CHECK enum error jwt_verify(struct arena *arena, const char *token, const char *key,
                                 int64_t now, json_t **claims, struct problem *problem);

/* A claim that is text; NULL when it is absent or something else. */
const char *jwt_text(const json_t *claims, const char *name);

#endif
