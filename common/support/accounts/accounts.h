/*
 * Who may sign in to the support service: the administrator of the settings, and the people of the
 * account store who have a role in support; and revoked tokens.
 */
#ifndef ASSAY_SUPPORT_ACCOUNTS_ACCOUNTS_H
#define ASSAY_SUPPORT_ACCOUNTS_ACCOUNTS_H

#include "accounts/people.h"
#include "accounts/sign_in.h"
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
extern const char *const support_role_names[SUPPORT_ROLE__MAX]; /* NULL = anonymous */

/* Returns SUPPORT_VIEWER for unknown names: a token must not gain rights by an unknown role. */
enum support_role support_role_of(const char *name);

/* Of a person of the account store; SUPPORT_NOBODY without a role in the area. */
enum support_role support_role_of_person(const struct person *person);

/* `^[A-Za-z0-9_-]{1,50}$` */
bool support_is_tenant(const char *text);

struct account {
    const char *subject;
    enum support_role role;
    const char *tenant;
    struct string_list groups; /* none of people that the store does not know */
};

/* The name of the administrator of the settings, who needs no account store. */
bool account_is_administrator(const struct support_settings *settings, const char *username);

struct signed_in {
    enum sign_in_outcome outcome;
    struct account account; /* when accepted */
    const char *reason;     /* when refused: bad_credentials_dev, unknown_user or bad_password; for
                               counters and the audit log, not for the client */
    int64_t retry_after;    /* when locked, seconds */
};

/* Checks a password; the lock-out is that of the suite. `people` NULL = the store is unavailable:
 * then only the administrator of the settings signs in. */
MUST_CHECK enum error account_sign_in(const struct accounts_call *people,
                                      const struct support_settings *settings,
                                      const struct sign_in_attempt *attempt,
                                      struct signed_in *signed_in, struct problem *problem);

/* Whether a token of the account still counts that was issued then (Unix seconds): not of somebody
 * switched off, nor from before his sessions were ended. Gives the account the role, the tenant and
 * the groups that its person has now; those of the administrator of the settings, and of people
 * that the store does not know, remain as the token says. */
bool account_update(const struct support_settings *settings, const struct named_person *named,
                    double issued_at, struct account *account);

/* The id of a person by username or id; NULL = there is none. */
MUST_CHECK enum error account_id(const struct accounts_call *people, const char *subject,
                                 const char **id);

/* Revokes a token without a family by its `jti`. It is refused until it would have expired.
 * `first`: it was not revoked before. */
MUST_CHECK enum error token_revoke(struct db *db, const char *token_id, int64_t expires_at,
                                   int64_t now, bool *first, struct problem *problem);
MUST_CHECK enum error token_is_revoked(struct db *db, const char *token_id, bool *revoked,
                                       struct problem *problem);

/* The tokens of one sign-in. One refresh token of them is valid at a time (RFC 9700 section
 * 4.14.2). Times are Unix seconds. */
struct token_family {
    const char *id;
    const char *refresh_id; /* `jti` of the valid refresh token */
    int64_t expires_at;     /* when the last of its tokens expires */
};
MUST_CHECK enum error family_start(struct db *db, const struct token_family *family, int64_t now,
                                   struct problem *problem);

/* Replaces the used refresh token by a new one. If the used token was not the valid one, it or its
 * successor was stolen: `renewed` is false, and the family is revoked. */
MUST_CHECK enum error family_renew(struct db *db, const struct token_family *family,
                                   const char *used_id, bool *renewed, struct problem *problem);

/* Revokes the family: none of its tokens is accepted from then on. */
MUST_CHECK enum error family_end(struct db *db, const char *id, struct problem *problem);
MUST_CHECK enum error family_is_alive(struct db *db, const char *id, bool *alive,
                                      struct problem *problem);

#endif
