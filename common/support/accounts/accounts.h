/* Who signs in to the support service: the administrator of the settings, people of the table
 * `users`; and the tokens that were given back. */
#ifndef ASSAY_SUPPORT_ACCOUNTS_ACCOUNTS_H
#define ASSAY_SUPPORT_ACCOUNTS_ACCOUNTS_H

#include "db/db.h"
#include "support/settings.h"

enum support_role {
    SUPPORT_NOBODY,
    SUPPORT_VIEWER,
    SUPPORT_AGENT,
    SUPPORT_REVIEWER,
    SUPPORT_ADMIN,
    SUPPORT_ROLE__MAX
};
extern const char *const support_role_names[SUPPORT_ROLE__MAX]; /* NULL for nobody */

/* SUPPORT_VIEWER for names that mean nothing: a token must not gain by a role that is unknown. */
enum support_role support_role_of(const char *name);

/* `^[A-Za-z0-9_-]{1,50}$` */
bool support_is_tenant(const char *text);

struct account {
    const char *subject;
    enum support_role role;
    const char *tenant;
};

/* Whether the password is that of the user. Takes as long whoever is asked for. `reason` is set on
 * refusal: bad_credentials_dev, unknown_user or bad_password; it is for counters and the audit log,
 * not for the client. */
MUST_CHECK enum error account_sign_in(struct db *db, struct arena *arena,
                                      const struct support_settings *settings, const char *username,
                                      const char *password, struct account *account, bool *accepted,
                                      const char **reason, struct problem *problem);

/* Whether somebody who signed in earlier still could: an active person of `users` (by name or id),
 * or the administrator of the settings. */
MUST_CHECK enum error account_may_stay(struct db *db, const struct support_settings *settings,
                                       const char *subject, bool *may, struct problem *problem);

/* Tokens are known by their `jti`. A revoked one is refused until it would have expired. */
MUST_CHECK enum error token_revoke(struct db *db, const char *token_id, int64_t expires_at,
                                   int64_t now, struct problem *problem);
MUST_CHECK enum error token_is_revoked(struct db *db, const char *token_id, bool *revoked,
                                       struct problem *problem);

#endif
