/* Signatures of the chat platform, and states of installs. Stores nothing. */
#include "experiments/chat/signature.h"

#include "base/number.h"
#include "base/text.h"
#include "crypto/base64url.h"

#include <stdio.h>
#include <string.h>

void chat_sign(const char *secret, const char *timestamp, const char *body, size_t length,
               char signature[CHAT_SIGNATURE_TEXT])
{
    const struct digest_part parts[] = {
        {"v0:", 3}, {timestamp, strlen(timestamp)}, {":", 1}, {body, length}};
    char digest[DIGEST_SHA256_TEXT];

    digest_hmac_sha256_parts_hex(secret, strlen(secret), parts, sizeof parts / sizeof parts[0],
                                 digest);
    (void)!snprintf(signature, CHAT_SIGNATURE_TEXT, "v0=%s", digest);
}

static bool is_near(int64_t moment, int64_t now, int64_t window)
{
    return moment >= 0 && (moment > now ? moment - now : now - moment) <= window;
}

bool chat_is_signed(const struct chat_call *call, const char *secret, int64_t now, int64_t window)
{
    char expected[CHAT_SIGNATURE_TEXT];
    int64_t moment;

    if (!call->timestamp || !call->signature || !integer_parse(call->timestamp, &moment) ||
        !is_near(moment, now, window))
        return false;
    chat_sign(secret, call->timestamp, call->body ? call->body : "", call->length, expected);
    return digest_equal_secret(call->signature, expected);
}

const char *chat_state_signature(struct arena *arena, const char *secret, const char *text)
{
    unsigned char digest[DIGEST_SHA256_BYTES];

    digest_hmac_sha256(secret, strlen(secret), text, strlen(text), digest);
    return base64url_write(arena, digest, sizeof digest);
}

static const char *signature_of(struct arena *arena, const char *secret, const char *nonce,
                                const char *issued, const char *binding)
{
    return chat_state_signature(arena, secret,
                                arena_print(arena, "%s.%s.%s", nonce, issued, binding));
}

const char *chat_state_make(struct arena *arena, const char *secret, const char *nonce,
                            int64_t issued, const char *binding)
{
    const char *seconds = arena_print(arena, "%lld", (long long)issued);

    return arena_print(arena, "%s.%s.%s", nonce, seconds,
                       signature_of(arena, secret, nonce, seconds, binding));
}

const char *chat_state_nonce(struct arena *arena, const char *secret, const char *state,
                             const char *binding, int64_t now, int64_t window)
{
    const char *first = strchr(state, '.');
    const char *second = first ? strchr(first + 1, '.') : NULL;
    const char *nonce, *seconds;
    int64_t issued;

    if (!second || !*binding)
        return NULL;
    nonce = arena_copy(arena, state, (size_t)(first - state));
    seconds = arena_copy(arena, first + 1, (size_t)(second - first - 1));
    if (!digest_equal_secret(second + 1, signature_of(arena, secret, nonce, seconds, binding)))
        return NULL;
    return integer_parse(seconds, &issued) && is_near(issued, now, window) ? nonce : NULL;
}
