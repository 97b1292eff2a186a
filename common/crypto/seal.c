/* Authenticated encryption of texts, on libsodium. */
#include "crypto/seal.h"

#include "crypto/base64url.h"
#include "crypto/digest.h"

#include <sodium.h>
#include <string.h>

enum {
    NONCE_BYTES = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES,
    TAG_BYTES = crypto_aead_xchacha20poly1305_ietf_ABYTES
};
_Static_assert((int)SEAL_KEY_BYTES == (int)crypto_aead_xchacha20poly1305_ietf_KEYBYTES &&
                   (int)SEAL_KEY_BYTES == (int)DIGEST_SHA256_BYTES,
               "a key is one digest");

void seal_key(const char *secret, const char *purpose, unsigned char key[SEAL_KEY_BYTES])
{
    digest_hmac_sha256(secret, strlen(secret), purpose, strlen(purpose), key);
}

const char *seal_close(struct arena *arena, const unsigned char key[SEAL_KEY_BYTES],
                       const char *place, const char *text)
{
    size_t length = strlen(text), size = NONCE_BYTES + length + TAG_BYTES;
    unsigned char *bytes = arena_alloc(arena, size);

    randombytes_buf(bytes, NONCE_BYTES);
    crypto_aead_xchacha20poly1305_ietf_encrypt(
        bytes + NONCE_BYTES, NULL, (const unsigned char *)text, length,
        (const unsigned char *)place, strlen(place), NULL, bytes, key);
    return base64url_write(arena, bytes, size);
}

const char *seal_open(struct arena *arena, const unsigned char key[SEAL_KEY_BYTES],
                      const char *place, const char *sealed)
{
    size_t size;
    const unsigned char *bytes = base64url_read(arena, sealed, strlen(sealed), &size);
    char *text;

    if (!bytes || size < NONCE_BYTES + TAG_BYTES)
        return NULL;
    text = arena_alloc(arena, size); /* zeroed, so that it is NUL-terminated */
    if (crypto_aead_xchacha20poly1305_ietf_decrypt(
            (unsigned char *)text, NULL, NULL, bytes + NONCE_BYTES, size - NONCE_BYTES,
            (const unsigned char *)place, strlen(place), bytes, key))
        return NULL;
    return text;
}
