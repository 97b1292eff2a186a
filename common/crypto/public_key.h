/*
 * Signatures that others made with a private key, checked with the public key that they publish
 * as a JSON Web Key (RFC 7517). Three algorithms of JSON Web Tokens (RFC 7518 section 3):
 * RS256, PS256 and ES256. A key is used with an algorithm of its own type only.
 */
#ifndef ASSAY_CRYPTO_PUBLIC_KEY_H
#define ASSAY_CRYPTO_PUBLIC_KEY_H

#include "base/json.h"

enum signature_algorithm { SIGNATURE_RS256, SIGNATURE_PS256, SIGNATURE_ES256, SIGNATURE__MAX };

extern const char *const signature_algorithm_names[SIGNATURE__MAX];

/* The algorithm of that name; SIGNATURE__MAX for any other, and for NULL. */
enum signature_algorithm signature_algorithm_of(const char *name);

enum { PUBLIC_KEY_RSA_BITS_MIN = 2048, PUBLIC_KEY_RSA_BITS_MAX = 8192 };

/* Whether a key of a key set may check signatures of that algorithm: its `kty`, its `crv`, and
 * `use` and `alg` where it has them. Does not look at its numbers. */
bool public_key_fits(const json_t *key, enum signature_algorithm algorithm);

struct signature {
    enum signature_algorithm algorithm;
    const void *bytes; /* as JSON Web Tokens have it: of ES256 the two numbers, 32 bytes each */
    size_t size;
};

/* ERROR_FORBIDDEN `signature_refused` unless the key made the signature of `message`; also when the
 * key is unusable: too small, too large, not on its curve. ERROR_SYSTEM without libcrypto. */
MUST_CHECK enum error public_key_verify(struct arena *arena, const json_t *key,
                                        const struct signature *signature, const void *message,
                                        size_t length, struct problem *problem);

#endif
