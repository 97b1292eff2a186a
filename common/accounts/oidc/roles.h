/*
 * Which roles and which tenant a person of the provider gets, by ASSAY_OIDC_ROLES and
 * ASSAY_OIDC_TENANTS (config.h).
 */
#ifndef ASSAY_ACCOUNTS_OIDC_ROLES_H
#define ASSAY_ACCOUNTS_OIDC_ROLES_H

#include "accounts/oidc/claims.h"
#include "accounts/oidc/config.h"
#include "accounts/store.h"

/* ERROR_INVALID names the entry of the settings that is not of its form, or names an area, a role
 * or a tenant that does not exist. */
MUST_CHECK enum error oidc_roles_check(const struct oidc_config *config, struct problem *problem);

/* The roles of a new person: the highest of the groups and of `*` in each area. */
struct person_roles oidc_roles_of_new(const struct oidc_config *config,
                                      const struct string_list *groups);

/* Brings the roles of an existing person up to date: in each area that a group is listed for, the
 * highest of his groups and of `*`, or none. Other areas stay. True when something changed. */
bool oidc_roles_renew(const struct oidc_config *config, const struct string_list *groups,
                      struct person_roles *roles);

/* The tenant for an e-mail address (NULL = none): "default" when no domain is listed, unless one is
 * required. NULL when the domain is not among those that are. */
const char *oidc_tenant_of(struct arena *arena, const struct oidc_config *config,
                           const char *email);

#endif
