/* JSON Web Tokens: header.claims.signature, each base64url without padding. */
#include "crypto/jwt.h"
#include "base/text.h"
#include "crypto/digest.h"

#include <sodium.h>
#include <string.h>

enum { VARIANT = sodium_base64_VARIANT_URLSAFE_NO_PADDING, CLAIMS_DEPTH = 8 };

static const char header[] = "{\"alg\":\"HS256\",\"typ\":\"JWT\"}";

static const char *encode(struct arena *arena, const void *bytes, size_t length)
{
    size_t room = sodium_base64_encoded_len(length, VARIANT);
    char *text = arena_alloc(arena, room);

    sodium_bin2base64(text, room, bytes, length, VARIANT);
    return text;
}

/* NULL when the text is no base64url. */
static const char *decode(struct arena *arena, const char *text, size_t length, size_t *size)
{
    char *bytes = arena_alloc(arena, length + 1);

    if (sodium_base642bin((unsigned char *)bytes, length + 1, text, length, NULL, size, NULL,
                          VARIANT) != 0)
        return NULL;
    bytes[*size] = '\0';
    return bytes;
}

const char *jwt_sign(struct arena *arena, const char *claims, const char *key)
{
    unsigned char digest[DIGEST_SHA256_BYTES];
    const char *signed_part = arena_print(arena, "%s.%s", encode(arena, header, sizeof header - 1),
                                          encode(arena, claims, strlen(claims)));

    digest_hmac_sha256(key, strlen(key), signed_part, strlen(signed_part), digest);
    return arena_print(arena, "%s.%s", signed_part, encode(arena, digest, sizeof digest));
}

static json_t *read_part(struct arena *arena, const char *text, size_t length)
{
    struct json_fault fault;
    json_t *object;
    size_t size;
    const char *bytes = decode(arena, text, length, &size);

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
    const char *signature = decode(arena, second_dot + 1, strlen(second_dot + 1), &size);

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
