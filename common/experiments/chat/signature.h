/*
 * Signatures: the chat platform signs its calls, and the callback of an installation must carry the
 * state that this browser was given.
 */
#ifndef ASSAY_EXPERIMENTS_CHAT_SIGNATURE_H
#define ASSAY_EXPERIMENTS_CHAT_SIGNATURE_H

#include "base/arena.h"
#include "crypto/digest.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CHAT_SIGNATURE_TEXT = 3 + DIGEST_SHA256_TEXT, CHAT_SECRET_BYTES = 24 };

/* A call as received; absent headers are NULL. */
struct chat_call {
    const char *timestamp; /* seconds since 1970 */
    const char *signature; /* "v0=" and the hexadecimal HMAC-SHA256 of "v0:timestamp:body" */
    const char *body;
    size_t length;
};

void chat_sign(const char *secret, const char *timestamp, const char *body, size_t length,
               char signature[CHAT_SIGNATURE_TEXT]);

/* Whether the platform signed the call at most `window` seconds before or after `now`. */
bool chat_is_signed(const struct chat_call *call, const char *secret, int64_t now, int64_t window);

/* The signature of a text under the client's secret, in base64url. From the arena. */
const char *chat_state_signature(struct arena *arena, const char *secret, const char *text);

/* The state of an installation: "nonce.seconds.signature", bound to a cookie of the browser. */
const char *chat_state_make(struct arena *arena, const char *secret, const char *nonce,
                            int64_t issued, const char *binding);

/* The nonce of a state created for this binding at most `window` seconds before `now`; NULL for any
 * other. */
const char *chat_state_nonce(struct arena *arena, const char *secret, const char *state,
                             const char *binding, int64_t now, int64_t window);

#endif
