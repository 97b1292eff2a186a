/* The people of the account store: adding, finding, changing. People are switched off, never
 * deleted, because logs and owners of things name them. */
#ifndef ASSAY_ACCOUNTS_PEOPLE_H
#define ASSAY_ACCOUNTS_PEOPLE_H

#include "accounts/store.h"

enum {
    USERNAME_MAX = 100, /* code points, as the next */
    PERSON_NAME_MAX = 200,
    EMAIL_MAX = 254,
    TENANT_MAX = 50,
    PASSWORD_MIN = 8,
    PASSWORD_MAX = 200
};

/* Letters, digits and `._@+-` of any script, 1 to USERNAME_MAX; unique without regard to case. None
 * that logs use for callers who are no people (anonymous, api-key-user, visitor). */
bool person_is_username(const char *text);
/* `^[A-Za-z0-9_-]{1,50}$` */
bool person_is_tenant(const char *text);
/* One `@` between two parts without blanks, the second with a dot or `localhost`. */
bool person_is_email(const char *text);

/* Whether these may be a person's. ERROR_INVALID person_invalid says what is wrong. NULL names and
 * addresses are right. */
MUST_CHECK enum error person_check(const struct accounts_call *call, const char *name,
                                   const char *email, const char *tenant);

/* A person to be added. */
struct new_person {
    const char *id; /* NULL = a new one */
    const char *username;
    const char *email; /* NULL = none, as the next two */
    const char *name;
    const char *password_hash; /* as password_hash() makes it */
    const char *tenant;        /* NULL = "default" */
    struct person_roles roles;
    struct string_list groups; /* as groups_read() gives them */
    bool must_change_password;
    const char *source; /* "local", "invitation", "settings", "support", "oidc" */
};

/* ERROR_CONFLICT username_taken; ERROR_INVALID person_invalid with what is wrong. */
MUST_CHECK enum error person_add(const struct accounts_call *call, const struct new_person *person,
                                 struct person *added);

/* ERROR_NOT_FOUND person_unknown, also for people who are switched off. */
MUST_CHECK enum error person_read(const struct accounts_call *call, const char *id,
                                  struct person *person);
MUST_CHECK enum error person_find(const struct accounts_call *call, const char *username,
                                  struct person *person);

/* Whom a signed token names. */
struct named_person {
    const struct person *person; /* NULL = nobody here */
    int64_t valid_from;          /* Unix microseconds: tokens from before do not count */
};
/* By username or id. */
MUST_CHECK enum error person_named(const struct accounts_call *call, const char *subject,
                                   struct named_person *named);

/* All, by username: a list of struct person. */
MUST_CHECK enum error people_list(const struct accounts_call *call, struct object_list *people);
/* How many are active. */
MUST_CHECK enum error people_count(const struct accounts_call *call, int64_t *active);

/* Changes name, email, tenant, roles, groups, is_active and must_change_password of a person.
 * `edit` gets the person as it is stored, and nobody else changes it meanwhile: two changes at the
 * same time are both kept. `person` receives the result. ERROR_CONFLICT last_administrator when
 * nobody would be left who is an administrator of the suite; ERROR_INVALID person_invalid,
 * group_invalid; ERROR_NOT_FOUND. Whoever is switched off loses his sessions. */
typedef void person_editor(void *context, struct person *person);
MUST_CHECK enum error person_edit(const struct accounts_call *call, const char *id,
                                  person_editor *edit, void *context, struct person *person);

/* The hash of the password and where the account comes from; NULL = no password of its own. */
MUST_CHECK enum error person_password(const struct accounts_call *call, const char *id,
                                      const char **hash, const char **source);
struct password_setting {
    const char *person_id;
    const char *password;
    bool must_change;         /* by the person, before anything else */
    const char *kept_session; /* its id; all others of the person end. NULL = none */
    bool ends_tokens;         /* the personal tokens of the person as well */
};
/* Stores a new password; `tokens_ended` receives how many tokens ended. ERROR_INVALID
 * password_too_short; ERROR_NOT_FOUND. */
MUST_CHECK enum error person_set_password(const struct accounts_call *call,
                                          const struct password_setting *setting,
                                          int64_t *tokens_ended);

/* The hash to store of a new password. ERROR_INVALID password_too_short. */
MUST_CHECK enum error person_hash_password(const struct accounts_call *call, const char *password,
                                           const char **hash);

#endif
