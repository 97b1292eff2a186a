/* The person of the account store whom an identity of the provider belongs to. */
#ifndef ASSAY_ACCOUNTS_OIDC_PERSON_H
#define ASSAY_ACCOUNTS_OIDC_PERSON_H

#include "accounts/oidc/claims.h"
#include "accounts/oidc/config.h"
#include "accounts/store.h"

/*
 * Found by issuer and subject. An identity that is not known yet is joined with the account that an
 * administrator has prepared for its e-mail address (identity_store.h); else an account is made,
 * if the settings say so (`is_new`). An account with a password is never joined: whoever controls
 * an address at the provider would own it. Roles follow the groups. ERROR_FORBIDDEN
 * `oidc_no_access`: switched off, no role, no tenant, no account; or `oidc_account_exists`:
 * somebody else has the username. Errors of the store.
 */
MUST_CHECK enum error oidc_person_of(const struct accounts_call *call,
                                     const struct oidc_config *config,
                                     const struct oidc_identity *identity, struct person *person,
                                     bool *is_new);

#endif
