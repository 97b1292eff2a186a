/* Invitations: a link with which somebody makes an account of his own. */
#ifndef ASSAY_ACCOUNTS_INVITATIONS_H
#define ASSAY_ACCOUNTS_INVITATIONS_H

#include "accounts/store.h"

struct invitation {
    const char *id;
    const char *email;
    const char *name; /* NULL = none */
    const char *tenant;
    const struct person_roles *roles;
    const char *invited_by; /* a username */
    int64_t created_at;     /* Unix microseconds */
    int64_t expires_at;
};
SCHEMA_OF(invitation_schema, struct invitation);

/* Sets id and created_at; `secret` goes into the link. ERROR_INVALID person_invalid. */
MUST_CHECK enum error invitation_add(const struct accounts_call *call,
                                     struct invitation *invitation, const char **secret);
/* Those that may still be accepted, the newest first: a list of struct invitation. */
MUST_CHECK enum error invitation_list(const struct accounts_call *call,
                                      struct object_list *invitations);
/* ERROR_NOT_FOUND invitation_unknown, as in the next two. */
MUST_CHECK enum error invitation_delete(const struct accounts_call *call, const char *id);
MUST_CHECK enum error invitation_find(const struct accounts_call *call, const char *secret,
                                      struct invitation *invitation);

struct acceptance {
    const char *secret;
    const char *username;
    const char *password;
    const char *name; /* NULL = that of the invitation */
};
/* Adds the person and uses the invitation up. ERROR_CONFLICT username_taken and ERROR_INVALID
 * leave it as it is. */
MUST_CHECK enum error invitation_accept(const struct accounts_call *call,
                                        const struct acceptance *acceptance, struct person *person);

#endif
