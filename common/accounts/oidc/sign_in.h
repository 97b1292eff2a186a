/*
 * Signing in by an identity provider, from the page of sign-in to a person of the account store.
 * Does not know HTTP: the caller sends the browser where it says, keeps one cookie, and starts the
 * session.
 */
#ifndef ASSAY_ACCOUNTS_OIDC_SIGN_IN_H
#define ASSAY_ACCOUNTS_OIDC_SIGN_IN_H

#include "accounts/oidc/client.h"
#include "accounts/oidc/person.h"
#include "accounts/store.h"

/* Checks all settings of the provider. ERROR_INVALID. */
MUST_CHECK enum error oidc_check(const struct oidc_config *config, struct problem *problem);

/* `path` when it is an address of this site that a browser may be sent to after sign-in: an
 * absolute path that no browser takes for another host. Else "/". */
const char *oidc_next_path(const char *path);

/* The cookie that binds a sign-in to the browser. */
extern const char oidc_cookie[];

struct oidc_beginning {
    const char *address; /* of the provider, for the browser */
    const char *browser; /* value of the cookie that binds the sign-in to the browser */
};

/* Begins a sign-in. `browser` is the value of the cookie that the browser has already, or NULL: one
 * cookie serves several tabs. Errors of oidc_client_authorize() and of the store. */
MUST_CHECK enum error oidc_sign_in_begin(const struct accounts_call *call,
                                         struct oidc_client *client, const char *browser,
                                         const char *redirect_uri, const char *next,
                                         struct oidc_beginning *beginning);

struct oidc_sign_in {
    struct person person;
    const char *next;
    bool is_new; /* the account was made now */
};

/* Ends it: takes the state, asks the provider, and finds the person. ERROR_FORBIDDEN `oidc_expired`
 * (attempt_store.h), and the errors of oidc_client_redeem() and oidc_person_of(). */
MUST_CHECK enum error oidc_sign_in_end(const struct accounts_call *call, struct oidc_client *client,
                                       const char *browser, const struct oidc_response *response,
                                       struct oidc_sign_in *sign_in);

/* The word for a failure that the page of sign-in explains: oidc_denied, oidc_expired,
 * oidc_unavailable, oidc_no_access, oidc_account_exists, else oidc_refused. */
const char *oidc_failure_word(const struct problem *problem);

#endif
