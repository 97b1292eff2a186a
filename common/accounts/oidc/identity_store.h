/* Which person of the account store an identity at the provider is. */
#ifndef ASSAY_ACCOUNTS_OIDC_IDENTITY_STORE_H
#define ASSAY_ACCOUNTS_OIDC_IDENTITY_STORE_H

#include "accounts/store.h"

/* The person of an identity; NULL when there is none. */
MUST_CHECK enum error identity_find(const struct accounts_call *call, const char *issuer,
                                    const char *subject, const char **person_id);

MUST_CHECK enum error identity_add(const struct accounts_call *call, const char *issuer,
                                   const char *subject, const char *person_id);

MUST_CHECK enum error identity_touch(const struct accounts_call *call, const char *issuer,
                                     const char *subject);

/* The account that an administrator has made for the owner of an e-mail address to sign in by a
 * provider: active, added without a password, never used by another identity, and the only one
 * with that address as its username or address. NULL when there is none. */
MUST_CHECK enum error identity_find_prepared(const struct accounts_call *call, const char *email,
                                             const char **person_id);

#endif
