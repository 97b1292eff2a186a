/* Sign-ins that have begun, in the account store: they end once, in the browser in which they
 * began, and within their time. */
#ifndef ASSAY_ACCOUNTS_OIDC_ATTEMPT_STORE_H
#define ASSAY_ACCOUNTS_OIDC_ATTEMPT_STORE_H

#include "accounts/oidc/client.h"
#include "accounts/store.h"

/* A sign-in, and what it is bound to. */
struct oidc_pending {
    struct oidc_attempt attempt;
    const char *issuer;
    const char *browser; /* the value of a cookie */
    const char *next;    /* where the person wanted to go */
};

/* Stores it for `seconds`, and deletes those that took too long. */
MUST_CHECK enum error attempt_store(const struct accounts_call *call,
                                    const struct oidc_pending *pending, int64_t seconds);

/* Takes the sign-in of that state out of the store: a second call does not find it, whatever came
 * of the first. `pending->attempt.state` and `browser` are the caller's. ERROR_FORBIDDEN
 * `oidc_expired` when there is none, it is over, or it began in another browser or at another
 * provider. */
MUST_CHECK enum error attempt_take(const struct accounts_call *call, const char *state,
                                   const char *browser, const char *issuer,
                                   struct oidc_pending *pending);

#endif
