/*
 * The cryptography kit stands on libsodium. Programs call crypto_start() once, before any other
 * function of digest.h and token.h; it is cheap and may be called again.
 */
#ifndef ASSAY_CRYPTO_CRYPTO_H
#define ASSAY_CRYPTO_CRYPTO_H

#include "base/error.h"

/* ERROR_SYSTEM when the kernel gives no random bytes; then the program must not go on. */
enum error crypto_start(struct problem *problem) MUST_CHECK;

#endif
