/*
 * Digests and comparison of secrets. Hexadecimal text is lower-case and NUL-terminated; every
 * buffer belongs to the caller. No function here can fail.
 */
#ifndef ASSAY_CRYPTO_DIGEST_H
#define ASSAY_CRYPTO_DIGEST_H

#include <stdbool.h>
#include <stddef.h>

enum {
    DIGEST_SHA256_BYTES = 32,
    DIGEST_SHA256_TEXT = 65, /* 64 digits and the NUL */
    DIGEST_SHA1_TEXT = 41,   /* 40 digits and the NUL */
    DIGEST_SHORT_KEY_BYTES = 16,
    DIGEST_SHORT_BYTES = 16
};

/* SHA-256 (FIPS 180-4) of `length` bytes; `data` may be NULL when the length is 0. */
void digest_sha256(const void *data, size_t length, unsigned char digest[DIGEST_SHA256_BYTES]);
void digest_sha256_hex(const void *data, size_t length, char text[DIGEST_SHA256_TEXT]);

/* SHA-256 of an open file from its beginning, without loading it into memory. False when it cannot
 * be read; the text is then empty. */
bool digest_file_sha256_hex(int file, char text[DIGEST_SHA256_TEXT]);

/* SHA-1 (FIPS 180-4), for identifiers that other systems define by it. It is broken and must not be
 * used for security. */
void digest_sha1_hex(const void *data, size_t length, char text[DIGEST_SHA1_TEXT]);

/* One part of a message that is signed without being copied together. */
struct digest_part {
    const void *bytes;
    size_t length;
};

/* HMAC-SHA256 (RFC 2104) with a key of any length. */
void digest_hmac_sha256(const void *key, size_t key_length, const void *data, size_t length,
                        unsigned char digest[DIGEST_SHA256_BYTES]);
void digest_hmac_sha256_hex(const void *key, size_t key_length, const void *data, size_t length,
                            char text[DIGEST_SHA256_TEXT]);
void digest_hmac_sha256_parts_hex(const void *key, size_t key_length,
                                  const struct digest_part *parts, size_t count,
                                  char text[DIGEST_SHA256_TEXT]);

/* SipHash-2-4 with 128 bits (Aumasson and Bernstein 2012): a keyed hash for tables whose keys
 * untrusted clients choose. Not a signature. */
void digest_short(const unsigned char key[DIGEST_SHORT_KEY_BYTES], const void *data, size_t length,
                  unsigned char digest[DIGEST_SHORT_BYTES]);

/* True when both texts are the same. The time taken does not reveal where they differ, nor, for
 * secrets up to 128 bytes, the length of the secret. NULL equals nothing, not even NULL. */
bool digest_equal_secret(const char *presented, const char *secret);

/* The same for bytes of a length that is not secret. */
bool digest_equal_bytes(const void *a, const void *b, size_t length);

#endif
