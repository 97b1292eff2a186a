/* JSON Web Tokens: header.claims.signature, each base64url without padding. */
#include "crypto/jwt.h"
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

static json_t *read_part(struct arena *arena, const char *text, size_t length)
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

static bool is_signed(struct arena *arena, const char *token, const char *second_dot,
                      const char *key)
{
    unsigned char digest[DIGEST_SHA256_BYTES];
    size_t size;
    const unsigned char *signature =
        base64url_read(arena, second_dot + 1, strlen(second_dot + 1), &size);

    digest_hmac_sha256(key, strlen(key), token, (size_t)(second_dot - token), digest);
    return signature && size == sizeof digest &&
           digest_equal_bytes(signature, digest, sizeof digest);
}

static json_t *verified(struct arena *arena, const char *token, const char *key)
{
    const char *dot = strchr(token, '.');
    const char *second = dot ? strchr(dot + 1, '.') : NULL;
    json_t *head;
    const char *algorithm;

    if (!second || strchr(second + 1, '.') || strlen(token) > JWT_TEXT_MAX || !*key)
        return NULL;
    head = read_part(arena, token, (size_t)(dot - token));
    algorithm = jwt_text(head, "alg");
    if (!algorithm || strcmp(algorithm, "HS256") != 0 || !is_signed(arena, token, second, key))
        return NULL;
    return read_part(arena, dot + 1, (size_t)(second - dot - 1));
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
