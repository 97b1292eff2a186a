/*
 * Signing in with a password. Whether a person exists is not revealed: an unknown name costs as
 * much time, counts failures and is locked out like a known one.
 */
#ifndef ASSAY_ACCOUNTS_SIGN_IN_H
#define ASSAY_ACCOUNTS_SIGN_IN_H

#include "accounts/settings.h"

enum sign_in_outcome {
    SIGN_IN_ACCEPTED,
    SIGN_IN_REFUSED, /* wrong name or password, or switched off */
    SIGN_IN_LOCKED   /* too many failures: nothing was compared */
};

/* Wrong passwords for a name from one network; from all of them five times as many. They are
 * counted by all hosts together. */
struct sign_in_rules {
    const struct accounts_administrator *administrator;
    int64_t failures, failure_seconds;
};

struct sign_in_attempt {
    const char *username;
    const char *password;
    const char *network; /* the client's address, or its network */
    bool is_local;       /* exposure_is_local(): the development pair may count */
};

/* `person` is set when accepted, `retry_after` (seconds) when locked. The administrator of the
 * settings is added to the store at the first sign-in, with the role admin everywhere; once he has
 * a password of his own, the first password and the development pair no longer count. */
MUST_CHECK enum error sign_in_check(const struct accounts_call *call,
                                    const struct sign_in_rules *rules,
                                    const struct sign_in_attempt *attempt,
                                    enum sign_in_outcome *outcome, struct person *person,
                                    int64_t *retry_after);

/* Compares a person's own password, with the same lock-out: for changing it. */
MUST_CHECK enum error sign_in_confirm(const struct accounts_call *call,
                                      const struct sign_in_rules *rules,
                                      const struct person *person,
                                      const struct sign_in_attempt *attempt,
                                      enum sign_in_outcome *outcome, int64_t *retry_after);

/* Whether the password is the administrator's first one, or that of the development pair where it
 * counts; for sign-in while the store is unavailable. */
bool sign_in_is_first_password(const struct accounts_administrator *administrator,
                               const struct sign_in_attempt *attempt);

/* Whether the person's password is ADMIN_PASSWORD_HASH of the settings, which cannot be changed
 * here. */
bool sign_in_is_by_settings(const struct accounts_administrator *administrator,
                            const struct person *person, struct arena *arena);

/* Whether nobody but the administrator of the settings has an account, and admin has no password of
 * his own: then the development pair may be shown where it counts. */
MUST_CHECK enum error sign_in_is_first_run(const struct accounts_call *call,
                                           const struct accounts_administrator *administrator,
                                           bool *first_run);

#endif
