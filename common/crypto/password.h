/*
 * Password hashes by the system's crypt(3): hashes made elsewhere (bcrypt `$2a$`, `$2b$`, `$2y$`;
 * yescrypt) are accepted, new ones are yescrypt. Slow on purpose: some 100 ms.
 */
#ifndef ASSAY_CRYPTO_PASSWORD_H
#define ASSAY_CRYPTO_PASSWORD_H

#include "base/arena.h"
#include "base/error.h"

#include <stdbool.h>

enum { PASSWORD_BYTES_MAX = 511 }; /* longer ones match nothing */

/* Whether the hash is of a supported kind. Other hashes match no password. */
bool password_is_hash(const char *hash);

/* Whether the password has that hash. With a hash that is NULL or of no supported kind the result
 * is false after as much work as for a bcrypt hash of cost 10, so that the time does not reveal
 * which users exist. ERROR_SYSTEM when memory has run out. */
MUST_CHECK enum error password_matches(const char *password, const char *hash, bool *matches,
                                       struct problem *problem);

/* A new hash, from the arena. */
MUST_CHECK enum error password_hash(struct arena *arena, const char *password, const char **hash,
                                    struct problem *problem);

#endif
