/* Base64 for URLs, on libsodium. */
#include "crypto/base64url.h"

#include <sodium.h>

enum { VARIANT = sodium_base64_VARIANT_URLSAFE_NO_PADDING };

const char *base64url_write(struct arena *arena, const void *bytes, size_t size)
{
    size_t room = sodium_base64_encoded_len(size, VARIANT);
    char *text = arena_alloc(arena, room);

    sodium_bin2base64(text, room, bytes, size, VARIANT);
    return text;
}

unsigned char *base64url_read(struct arena *arena, const char *text, size_t length, size_t *size)
{
    unsigned char *bytes = arena_alloc(arena, length + 1);

    if (sodium_base642bin(bytes, length + 1, text, length, NULL, size, NULL, VARIANT) != 0)
        return NULL;
    bytes[*size] = '\0';
    return bytes;
}
