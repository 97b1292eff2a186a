/*
 * SHA-256, and with a key HMAC-SHA256, of a message that arrives in parts.
 */
#ifndef ASSAY_CRYPTO_DIGEST_STREAM_H
#define ASSAY_CRYPTO_DIGEST_STREAM_H

#include "base/arena.h"
#include "crypto/digest.h"

struct digest_stream;

/* From the arena. `key` NULL = no HMAC. */
struct digest_stream *digest_stream_start(struct arena *arena, const char *key);
void digest_stream_add(struct digest_stream *stream, const void *bytes, size_t length);

/* Call it once. Without a key `hmac` is the empty text. */
void digest_stream_end(struct digest_stream *stream, char sha256[DIGEST_SHA256_TEXT],
                       char hmac[DIGEST_SHA256_TEXT]);

#endif
