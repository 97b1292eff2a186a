/*
 * The cryptography module uses libsodium. Programs call crypto_start() once, before any other
 * function of digest.h and token.h; it is cheap and may be called again.
 */
#ifndef ASSAY_CRYPTO_CRYPTO_H
#define ASSAY_CRYPTO_CRYPTO_H

#include "base/error.h"

/* ERROR_SYSTEM when the kernel provides no random bytes; the program must then exit. */
enum error crypto_start(struct problem *problem) MUST_CHECK;

#endif
