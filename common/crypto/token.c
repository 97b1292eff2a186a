/* Random identifiers and tokens, on libsodium. */
#include "crypto/token.h"

#include "base/clock.h"

#include <sodium.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(TOKEN_TEXT_MAX >=
                   sodium_base64_ENCODED_LEN(TOKEN_RANDOM_MAX,
                                             sodium_base64_VARIANT_URLSAFE_NO_PADDING),
               "TOKEN_TEXT_MAX holds the largest token");

void token_random_bytes(void *bytes, size_t count)
{
    randombytes_buf(bytes, count);
}

static void write_uuid(unsigned char bytes[16], char *cursor)
{
    static const size_t group_starts[] = {0, 4, 6, 8, 10, 16}; /* bytes; 8-4-4-4-12 digits */

    bytes[6] = (unsigned char)((bytes[6] & 0x0f) | 0x40);
    bytes[8] = (unsigned char)((bytes[8] & 0x3f) | 0x80);
    for (int group = 0; group < 5; group++) {
        size_t start = group_starts[group], count = group_starts[group + 1] - start;

        sodium_bin2hex(cursor, 2 * count + 1, bytes + start, count);
        cursor += 2 * count;
        *cursor++ = group < 4 ? '-' : '\0';
    }
}

void token_uuid(char text[TOKEN_UUID_TEXT])
{
    unsigned char bytes[16];

    randombytes_buf(bytes, sizeof bytes);
    write_uuid(bytes, text);
}

void token_uuid_ordered(char text[TOKEN_UUID_TEXT])
{
    uint64_t milliseconds = (uint64_t)clock_unix_microseconds() / 1000;
    unsigned char bytes[16];

    randombytes_buf(bytes, sizeof bytes);
    for (int i = 0; i < 6; i++)
        bytes[i] = (unsigned char)(milliseconds >> (8 * (5 - i)));
    write_uuid(bytes, text);
}

/* In the pattern, `x` is any digit, `v` the variant (8, 9, a or b); other characters match
 * themselves. */
bool token_is_uuid(const char *text)
{
    static const char form[] = "xxxxxxxx-xxxx-4xxx-vxxx-xxxxxxxxxxxx";

    for (size_t i = 0; i < sizeof form; i++) {
        const char *allowed = form[i] == 'x' ? "0123456789abcdef" : form[i] == 'v' ? "89ab" : NULL;

        if (allowed ? text[i] == '\0' || !strchr(allowed, text[i]) : text[i] != form[i])
            return false;
    }
    return true;
}

void token_random_text(size_t random_bytes, char *text, size_t capacity)
{
    const int variant = sodium_base64_VARIANT_URLSAFE_NO_PADDING;
    unsigned char bytes[TOKEN_RANDOM_MAX];

    if (random_bytes < 1 || random_bytes > TOKEN_RANDOM_MAX ||
        capacity < sodium_base64_encoded_len(random_bytes, variant)) {
        fprintf(stderr, "token_random_text: %zu random bytes do not fit %zu bytes of text\n",
                random_bytes, capacity);
        abort();
    }
    randombytes_buf(bytes, random_bytes);
    sodium_bin2base64(text, capacity, bytes, random_bytes, variant);
    sodium_memzero(bytes, sizeof bytes);
}

void token_wipe(void *secret, size_t length)
{
    sodium_memzero(secret, length);
}
