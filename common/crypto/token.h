/*
 * Random values: bytes, identifiers and tokens, all from the kernel's generator, safe after
 * fork(). Every buffer belongs to the caller.
 */
#ifndef ASSAY_CRYPTO_TOKEN_H
#define ASSAY_CRYPTO_TOKEN_H

#include <stdbool.h>
#include <stddef.h>

enum {
    TOKEN_UUID_TEXT = 37,   /* 36 characters and the NUL */
    TOKEN_RANDOM_MAX = 256, /* random bytes in one token */
    TOKEN_TEXT_MAX = 344    /* room for the text of the largest token, with its NUL */
};

void token_random_bytes(void *bytes, size_t count);

/* A UUID of version 4 (RFC 9562) in lower case. */
void token_uuid(char text[TOKEN_UUID_TEXT]);

/* The same, but its first 48 bits are the milliseconds since 1970 and 74 are random, so that
 * identifiers made one after the other are adjacent in an index. Not for values that must not be
 * guessed. */
void token_uuid_ordered(char text[TOKEN_UUID_TEXT]);

/* True for text of the form token_uuid() makes: 36 characters, lower case, version 4. */
bool token_is_uuid(const char *text);

/* `random_bytes` (1 to TOKEN_RANDOM_MAX; 32 gives 256 bits in 43 characters) as base64url without
 * padding (RFC 4648 section 5). `capacity` must be at least 4/3 of that, rounded up, plus one for
 * the NUL; a smaller buffer is a programming error and aborts. */
void token_random_text(size_t random_bytes, char *text, size_t capacity);

/* Overwrites a secret; the compiler does not optimize the write away. */
void token_wipe(void *secret, size_t length);

#endif
