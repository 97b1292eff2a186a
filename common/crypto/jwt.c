/* JSON Web Tokens: header.claims.signature, each base64url without padding. */
#include "crypto/jwt_internal.h"

#include "base/text.h"
#include "crypto/base64url.h"
#include "crypto/digest.h"

#include <string.h>

enum { CLAIMS_DEPTH = 8 };

static const char header[] = "{\"alg\":\"HS256\",\"typ\":\"JWT\"}";

const char *jwt_sign(struct arena *arena, const char *claims, const char *key)
{
    unsigned char digest[DIGEST_SHA256_BYTES];
    const char *signed_part =
        arena_print(arena, "%s.%s", base64url_write(arena, header, sizeof header - 1),
                    base64url_write(arena, claims, strlen(claims)));

    digest_hmac_sha256(key, strlen(key), signed_part, strlen(signed_part), digest);
    return arena_print(arena, "%s.%s", signed_part, base64url_write(arena, digest, sizeof digest));
}

bool jwt_split(const char *token, size_t most, struct jwt_parts *parts)
{
    const char *dot = strchr(token, '.');
    const char *second = dot ? strchr(dot + 1, '.') : NULL;

    if (!second || strchr(second + 1, '.') || strlen(token) > most)
        return false;
    *parts = (struct jwt_parts){(size_t)(dot - token), (size_t)(second - token)};
    return true;
}

json_t *jwt_read_part(struct arena *arena, const char *text, size_t length)
{
    struct json_fault fault;
    json_t *object;
    size_t size;
    const char *bytes = (const char *)base64url_read(arena, text, length, &size);

    if (!bytes || json_read(arena, bytes, size, CLAIMS_DEPTH, &object, &fault) ||
        !json_is_object(object))
        return NULL;
    return object;
}

static bool is_signed(struct arena *arena, const char *token, size_t signed_part, const char *key)
{
    unsigned char digest[DIGEST_SHA256_BYTES];
    const char *text = token + signed_part + 1;
    size_t size;
    const unsigned char *signature = base64url_read(arena, text, strlen(text), &size);

    digest_hmac_sha256(key, strlen(key), token, signed_part, digest);
    return signature && size == sizeof digest &&
           digest_equal_bytes(signature, digest, sizeof digest);
}

static json_t *verified(struct arena *arena, const char *token, const char *key)
{
    struct jwt_parts parts;
    const char *algorithm;

    if (!*key || !jwt_split(token, JWT_TEXT_MAX, &parts))
        return NULL;
    algorithm = jwt_text(jwt_read_part(arena, token, parts.head), "alg");
    if (!algorithm || strcmp(algorithm, "HS256") != 0 ||
        !is_signed(arena, token, parts.signed_part, key))
        return NULL;
    return jwt_read_part(arena, token + parts.head + 1, parts.signed_part - parts.head - 1);
}

enum error jwt_verify(struct arena *arena, const char *token, const char *key, int64_t now,
                      json_t **claims, struct problem *problem)
{
    const json_t *expires;

    *claims = verified(arena, token, key);
    expires = *claims ? json_object_get(*claims, "exp") : NULL;
    if (json_is_number(expires) && json_number_value(expires) > (double)now)
        return ERROR_NONE;
    return problem_set(problem, ERROR_FORBIDDEN, "token_refused", "Invalid or expired token");
}

const char *jwt_text(const json_t *claims, const char *name)
{
    return json_string_value(json_object_get(claims, name));
}
