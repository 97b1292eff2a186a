/* Digests and comparison of secrets, on libsodium. Must not log or keep what passes through. */
#include "crypto/digest.h"

#include <sodium.h>
#include <string.h>

_Static_assert(DIGEST_SHA256_BYTES == crypto_hash_sha256_BYTES, "size of SHA-256");
_Static_assert(DIGEST_SHORT_BYTES == crypto_shorthash_siphashx24_BYTES, "size of SipHash-128");
_Static_assert(DIGEST_SHORT_KEY_BYTES == crypto_shorthash_siphashx24_KEYBYTES, "key of SipHash");

void digest_sha256(const void *data, size_t length, unsigned char digest[DIGEST_SHA256_BYTES])
{
    crypto_hash_sha256(digest, data, length);
}

void digest_sha256_hex(const void *data, size_t length, char text[DIGEST_SHA256_TEXT])
{
    unsigned char digest[DIGEST_SHA256_BYTES];

    digest_sha256(data, length, digest);
    sodium_bin2hex(text, DIGEST_SHA256_TEXT, digest, sizeof digest);
}

static void hmac_sha256_parts(const void *key, size_t key_length, const struct digest_part *parts,
                              size_t count, unsigned char digest[DIGEST_SHA256_BYTES])
{
    crypto_auth_hmacsha256_state state;

    crypto_auth_hmacsha256_init(&state, key, key_length);
    for (size_t i = 0; i < count; i++)
        crypto_auth_hmacsha256_update(&state, parts[i].bytes, parts[i].length);
    crypto_auth_hmacsha256_final(&state, digest);
    sodium_memzero(&state, sizeof state);
}

void digest_hmac_sha256(const void *key, size_t key_length, const void *data, size_t length,
                        unsigned char digest[DIGEST_SHA256_BYTES])
{
    struct digest_part whole = {data, length};

    hmac_sha256_parts(key, key_length, &whole, 1, digest);
}

void digest_hmac_sha256_hex(const void *key, size_t key_length, const void *data, size_t length,
                            char text[DIGEST_SHA256_TEXT])
{
    struct digest_part whole = {data, length};

    digest_hmac_sha256_parts_hex(key, key_length, &whole, 1, text);
}

void digest_hmac_sha256_parts_hex(const void *key, size_t key_length,
                                  const struct digest_part *parts, size_t count,
                                  char text[DIGEST_SHA256_TEXT])
{
    unsigned char digest[DIGEST_SHA256_BYTES];

    hmac_sha256_parts(key, key_length, parts, count, digest);
    sodium_bin2hex(text, DIGEST_SHA256_TEXT, digest, sizeof digest);
}

void digest_short(const unsigned char key[DIGEST_SHORT_KEY_BYTES], const void *data, size_t length,
                  unsigned char digest[DIGEST_SHORT_BYTES])
{
    crypto_shorthash_siphashx24(digest, data, length, key);
}

/* Both texts are hashed under a key that nobody knows, drawn once in the life of a process, so that
 * neither the comparison nor the digests can be steered. BLAKE2b works in blocks of 128 bytes:
 * shorter secrets all take the same time. */
bool digest_equal_secret(const char *presented, const char *secret)
{
    static unsigned char key[crypto_generichash_KEYBYTES];
    static bool drawn;
    unsigned char a[crypto_generichash_BYTES], b[crypto_generichash_BYTES];
    bool equal;

    if (!presented || !secret)
        return false;
    if (!drawn)
        randombytes_buf(key, sizeof key);
    drawn = true;
    crypto_generichash(a, sizeof a, (const unsigned char *)presented, strlen(presented), key,
                       sizeof key);
    crypto_generichash(b, sizeof b, (const unsigned char *)secret, strlen(secret), key, sizeof key);
    equal = sodium_memcmp(a, b, sizeof a) == 0;
    sodium_memzero(b, sizeof b);
    return equal;
}

bool digest_equal_bytes(const void *a, const void *b, size_t length)
{
    return sodium_memcmp(a, b, length) == 0;
}
