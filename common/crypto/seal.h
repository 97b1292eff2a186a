/*
 * Secrets that have to be read again are stored sealed: XChaCha20-Poly1305 under a key that is made
 * from a secret of the settings. Whoever has the database alone cannot read them, nor move one to
 * another place: `place` (a table and a key, say) is authenticated with it.
 */
#ifndef ASSAY_CRYPTO_SEAL_H
#define ASSAY_CRYPTO_SEAL_H

#include "base/arena.h"

enum { SEAL_KEY_BYTES = 32 };

/* The key for one purpose out of a secret. */
void seal_key(const char *secret, const char *purpose, unsigned char key[SEAL_KEY_BYTES]);

/* Base64url, different each time. From the arena. */
const char *seal_close(struct arena *arena, const unsigned char key[SEAL_KEY_BYTES],
                       const char *place, const char *text);

/* What was sealed; NULL when it was changed, belongs elsewhere or was sealed under another key. */
const char *seal_open(struct arena *arena, const unsigned char key[SEAL_KEY_BYTES],
                      const char *place, const char *sealed);

#endif
