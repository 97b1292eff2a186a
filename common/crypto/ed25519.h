/*
 * Signatures by Ed25519 (RFC 8032), on OpenSSL's libcrypto. The same key and message always give
 * the same signature. A private key is its seed of 32 random bytes.
 */
#ifndef ASSAY_CRYPTO_ED25519_H
#define ASSAY_CRYPTO_ED25519_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

enum { ED25519_KEY_BYTES = 32, ED25519_SIGNATURE_BYTES = 64 };

/* The public key of a seed. ERROR_SYSTEM `libcrypto_missing` or `signing_failed`. */
MUST_CHECK enum error ed25519_public_key(const unsigned char seed[ED25519_KEY_BYTES],
                                         unsigned char public_key[ED25519_KEY_BYTES],
                                         struct problem *problem);

/* Signs `length` bytes. Errors as above. */
MUST_CHECK enum error ed25519_sign(const unsigned char seed[ED25519_KEY_BYTES], const void *message,
                                   size_t length, unsigned char signature[ED25519_SIGNATURE_BYTES],
                                   struct problem *problem);

/* False when the signature is not valid, and without libcrypto. */
bool ed25519_verify(const unsigned char public_key[ED25519_KEY_BYTES],
                    const unsigned char signature[ED25519_SIGNATURE_BYTES], const void *message,
                    size_t length);

#endif
