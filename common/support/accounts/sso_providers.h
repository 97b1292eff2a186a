/*
 * The identity providers of support's contract (2.4): Google and Microsoft by settings of their
 * own, and the provider of the suite. All are used by accounts/oidc/.
 */
#ifndef ASSAY_SUPPORT_ACCOUNTS_SSO_PROVIDERS_H
#define ASSAY_SUPPORT_ACCOUNTS_SSO_PROVIDERS_H

#include "support/settings.h"

enum sso_provider { SSO_GOOGLE, SSO_AZURE, SSO_SUITE, SSO__MAX };

/* In addresses: "google", "azure", "oidc". */
extern const char *const sso_provider_names[SSO__MAX];

/* The provider of that name; SSO__MAX for any other. */
enum sso_provider sso_provider_of(const char *name);

/* What a client of the provider needs; an issuer of NULL = it is not set up. Memory from `arena`.
 */
void sso_config(struct arena *arena, const struct support_settings *settings,
                enum sso_provider provider, struct oidc_config *config);

/* ERROR_INVALID names the setting. */
MUST_CHECK enum error sso_check(struct arena *arena, const struct support_settings *settings,
                                struct problem *problem);

#endif
