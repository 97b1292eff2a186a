/*
 * Encrypts stored secrets that must be readable again: XChaCha20-Poly1305 under a key that is
 * derived from a secret of the settings. An attacker with only the database can neither read them
 * nor move one to another row: `place` (a table and a key, say) is authenticated with it.
 */
#ifndef ASSAY_CRYPTO_SEAL_H
#define ASSAY_CRYPTO_SEAL_H

#include "base/arena.h"

enum { SEAL_KEY_BYTES = 32 };

/* Derives the key for one purpose from a secret. */
void seal_key(const char *secret, const char *purpose, unsigned char key[SEAL_KEY_BYTES]);

/* The encrypted text as base64url, different each time. From the arena. */
const char *seal_close(struct arena *arena, const unsigned char key[SEAL_KEY_BYTES],
                       const char *place, const char *text);

/* The decrypted text; NULL when it was changed, belongs to another `place` or was encrypted under
 * another key. */
const char *seal_open(struct arena *arena, const unsigned char key[SEAL_KEY_BYTES],
                      const char *place, const char *sealed);

#endif
