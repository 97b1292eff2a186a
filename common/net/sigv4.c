/* AWS Signature Version 4 for S3, whose paths are encoded once. */
#include "net/sigv4.h"

#include "base/text.h"
#include "crypto/digest.h"

#include <string.h>
#include <time.h>

#define ALGORITHM "AWS4-HMAC-SHA256"
enum { DAY_TEXT = 8, CANONICAL_MAX = 65536 };

static const char *name_headers(struct arena *arena, const struct sigv4_request *request)
{
    struct text names;

    text_start(&names, arena, CANONICAL_MAX);
    for (size_t i = 0; i < request->header_count; i++)
        text_append_format(&names, "%s%s", i ? ";" : "", request->headers[i].name);
    return names.bytes;
}

static void hash_request(struct arena *arena, const struct sigv4_request *request,
                         const char *names, char hash[DIGEST_SHA256_TEXT])
{
    struct text canonical;

    text_start(&canonical, arena, CANONICAL_MAX);
    text_append_format(&canonical, "%s\n%s\n%s\n", request->method, request->path, request->query);
    for (size_t i = 0; i < request->header_count; i++)
        text_append_format(&canonical, "%s:%s\n", request->headers[i].name,
                           request->headers[i].value);
    text_append_format(&canonical, "\n%s\n%s", names, request->payload_hash);
    digest_sha256_hex(canonical.bytes, canonical.length, hash);
}

/* The key of a day, a region and a service is derived step by step. */
static void derive_key(struct arena *arena, const struct sigv4_key *key, const char *day,
                       unsigned char derived[DIGEST_SHA256_BYTES])
{
    const char *steps[] = {day, key->region, "s3", "aws4_request"};
    char *first = arena_print(arena, "AWS4%s", key->secret);
    size_t length = strlen(first);

    digest_hmac_sha256(first, length, steps[0], strlen(steps[0]), derived);
    explicit_bzero(first, length);
    for (size_t i = 1; i < sizeof steps / sizeof steps[0]; i++) {
        unsigned char next[DIGEST_SHA256_BYTES];

        digest_hmac_sha256(derived, DIGEST_SHA256_BYTES, steps[i], strlen(steps[i]), next);
        memcpy(derived, next, sizeof next);
        explicit_bzero(next, sizeof next);
    }
}

const char *sigv4_authorization(struct arena *arena, const struct sigv4_key *key,
                                const struct sigv4_request *request)
{
    const char *names = name_headers(arena, request), *to_sign, *day, *scope;
    char hash[DIGEST_SHA256_TEXT], signature[DIGEST_SHA256_TEXT];
    unsigned char derived[DIGEST_SHA256_BYTES];

    hash_request(arena, request, names, hash);
    day = arena_copy(arena, request->date, DAY_TEXT);
    scope = arena_print(arena, "%s/%s/s3/aws4_request", day, key->region);
    to_sign = arena_print(arena, ALGORITHM "\n%s\n%s\n%s", request->date, scope, hash);
    derive_key(arena, key, day, derived);
    digest_hmac_sha256_hex(derived, sizeof derived, to_sign, strlen(to_sign), signature);
    explicit_bzero(derived, sizeof derived);
    return arena_print(arena, ALGORITHM " Credential=%s/%s,SignedHeaders=%s,Signature=%s",
                       key->access, scope, names, signature);
}

void sigv4_date(int64_t unix_seconds, char text[SIGV4_DATE_TEXT])
{
    time_t seconds = (time_t)unix_seconds;
    struct tm parts = {0};

    gmtime_r(&seconds, &parts);
    if (!strftime(text, SIGV4_DATE_TEXT, "%Y%m%dT%H%M%SZ", &parts))
        *text = '\0';
}

const char *sigv4_path(struct arena *arena, const char *key)
{
    struct text path;

    text_start(&path, arena, CANONICAL_MAX);
    while (true) {
        size_t length = strcspn(key, "/");

        text_append_url(&path, arena_copy(arena, key, length));
        if (!key[length])
            return path.bytes;
        text_append_byte(&path, '/');
        key += length + 1;
    }
}
