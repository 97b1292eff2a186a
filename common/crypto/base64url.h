/* Bytes as characters that URLs and cookies allow (RFC 4648, section 5), without padding. */
#ifndef ASSAY_CRYPTO_BASE64URL_H
#define ASSAY_CRYPTO_BASE64URL_H

#include "base/arena.h"

#include <stddef.h>

/* The text, from the arena. */
const char *base64url_write(struct arena *arena, const void *bytes, size_t size);

/* `size` bytes and a NUL, from the arena; NULL when `text` is not valid. */
unsigned char *base64url_read(struct arena *arena, const char *text, size_t length, size_t *size);

#endif
