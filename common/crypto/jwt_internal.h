/* Private to common/crypto: the three parts of a token. */
#ifndef ASSAY_CRYPTO_JWT_INTERNAL_H
#define ASSAY_CRYPTO_JWT_INTERNAL_H

#include "crypto/jwt.h"

struct jwt_parts {
    size_t head;        /* length of the header, before the first dot */
    size_t signed_part; /* length of what is signed, before the second dot */
};

/* False unless the token has three parts and at most `most` bytes. */
bool jwt_split(const char *token, size_t most, struct jwt_parts *parts);

/* A part: base64url of a JSON object. NULL for anything else. */
json_t *jwt_read_part(struct arena *arena, const char *text, size_t length);

#endif
