/*
 * The key that signs certificates, made at its first use and kept in the database: one per
 * installation, the same for all of its hosts. Contains all SQL about it.
 */
#ifndef ASSAY_EXPERIMENTS_CERTIFICATES_SIGNING_KEY_H
#define ASSAY_EXPERIMENTS_CERTIFICATES_SIGNING_KEY_H

#include "crypto/digest.h"
#include "crypto/ed25519.h"
#include "experiments/live/records.h"

struct signing_key {
    unsigned char seed[ED25519_KEY_BYTES];
    unsigned char public_key[ED25519_KEY_BYTES];
    char fingerprint[DIGEST_SHA256_TEXT]; /* SHA-256 of the public key */
    const char *created_at;
};

/* Reads the key, and makes it when there is none. Errors of the database and of ed25519.h;
 * ERROR_SYSTEM `signing_key_malformed`. */
MUST_CHECK enum error signing_key_load(const struct live_call *call, struct signing_key *key);

#endif
