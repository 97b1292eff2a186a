/* SHA-256 and HMAC-SHA256 of a message in parts, on libsodium. */
#include "crypto/digest_stream.h"

#include <sodium.h>
#include <string.h>

struct digest_stream {
    crypto_hash_sha256_state hash;
    crypto_auth_hmacsha256_state hmac;
    bool keyed;
};

struct digest_stream *digest_stream_start(struct arena *arena, const char *key)
{
    struct digest_stream *stream = ARENA_NEW(arena, struct digest_stream);

    crypto_hash_sha256_init(&stream->hash);
    stream->keyed = key != NULL;
    if (key)
        crypto_auth_hmacsha256_init(&stream->hmac, (const unsigned char *)key, strlen(key));
    return stream;
}

void digest_stream_add(struct digest_stream *stream, const void *bytes, size_t length)
{
    crypto_hash_sha256_update(&stream->hash, bytes, length);
    if (stream->keyed)
        crypto_auth_hmacsha256_update(&stream->hmac, bytes, length);
}

void digest_stream_end(struct digest_stream *stream, char sha256[DIGEST_SHA256_TEXT],
                       char hmac[DIGEST_SHA256_TEXT])
{
    unsigned char digest[DIGEST_SHA256_BYTES];

    crypto_hash_sha256_final(&stream->hash, digest);
    sodium_bin2hex(sha256, DIGEST_SHA256_TEXT, digest, sizeof digest);
    hmac[0] = '\0';
    if (stream->keyed) {
        crypto_auth_hmacsha256_final(&stream->hmac, digest);
        sodium_bin2hex(hmac, DIGEST_SHA256_TEXT, digest, sizeof digest);
    }
    sodium_memzero(stream, sizeof *stream);
}
