/* Digests and comparison of secrets, on libsodium. Must not log or keep its input. */
#include "crypto/digest.h"

#include <errno.h>
#include <sodium.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { FILE_PIECE_BYTES = 65536 };

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

bool digest_file_sha256_hex(int file, char text[DIGEST_SHA256_TEXT])
{
    unsigned char digest[DIGEST_SHA256_BYTES], bytes[FILE_PIECE_BYTES];
    crypto_hash_sha256_state state;
    off_t at = 0;
    ssize_t got;

    *text = '\0';
    crypto_hash_sha256_init(&state);
    while ((got = pread(file, bytes, sizeof bytes, at)) > 0 || (got < 0 && errno == EINTR)) {
        if (got < 0)
            continue;
        crypto_hash_sha256_update(&state, bytes, (unsigned long long)got);
        at += got;
    }
    if (got < 0)
        return false;
    crypto_hash_sha256_final(&state, digest);
    sodium_bin2hex(text, DIGEST_SHA256_TEXT, digest, sizeof digest);
    return true;
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

/* Both texts are hashed under a random key, drawn once per process, so that a client can influence
 * neither the comparison nor the digests. BLAKE2b processes blocks of 128 bytes: all shorter
 * secrets take the same time. */
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

static uint32_t rotate(uint32_t word, int bits)
{
    return (word << bits) | (word >> (32 - bits));
}

static void sha1_block(uint32_t state[5], const unsigned char block[64])
{
    uint32_t words[80], a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];

    for (int i = 0; i < 16; i++)
        words[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
                   (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    for (int i = 16; i < 80; i++)
        words[i] = rotate(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
    for (int i = 0; i < 80; i++) {
        static const uint32_t constants[] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};
        uint32_t mixed = i < 20              ? (b & c) | (~b & d)
                         : i >= 40 && i < 60 ? (b & c) | (b & d) | (c & d)
                                             : b ^ c ^ d;
        uint32_t next = rotate(a, 5) + mixed + e + constants[i / 20] + words[i];

        e = d;
        d = c;
        c = rotate(b, 30);
        b = a;
        a = next;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
}

void digest_sha1_hex(const void *data, size_t length, char text[DIGEST_SHA1_TEXT])
{
    uint32_t state[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
    const unsigned char *bytes = data;
    unsigned char last[128] = {0};
    size_t whole = length / 64 * 64, rest = length - whole, end = rest < 56 ? 64 : 128;

    for (size_t at = 0; at < whole; at += 64)
        sha1_block(state, bytes + at);
    if (rest)
        memcpy(last, bytes + whole, rest);
    last[rest] = 0x80;
    for (int i = 0; i < 8; i++)
        last[end - 1 - (size_t)i] = (unsigned char)((uint64_t)length * 8 >> (8 * i));
    for (size_t at = 0; at < end; at += 64)
        sha1_block(state, last + at);
    for (int i = 0; i < 5; i++)
        snprintf(text + (size_t)i * 8, 9, "%08x", state[i]);
}
