/* Settings of support become providers. */
#include "support/accounts/sso_providers.h"

#include "accounts/oidc/sign_in.h"

#include <string.h>

const char *const sso_provider_names[SSO__MAX] = {"google", "azure", "oidc"};

enum sso_provider sso_provider_of(const char *name)
{
    enum sso_provider provider = 0;

    while (provider < SSO__MAX && strcmp(name, sso_provider_names[provider]) != 0)
        provider++;
    return provider;
}

/* Everybody of such a provider becomes a viewer of support, in the tenant of the address; people
 * without a tenant are refused (contract 2.4). Limits are those of the suite's provider. */
static void set_up(struct oidc_config *config, const struct support_settings *settings,
                   const char *label, const char *client_id, const char *client_secret)
{
    static const char *roles[] = {"*=support:viewer"};

    config->label = label;
    config->client_id = client_id;
    config->client_secret = client_secret;
    config->scopes = "openid profile email";
    config->groups_claim = "groups";
    config->roles = (struct string_list){1, roles};
    config->tenants = settings->tenant_email_domains;
    config->requires_tenant = true;
    config->creates_accounts = true;
}

void sso_config(struct arena *arena, const struct support_settings *settings,
                enum sso_provider provider, struct oidc_config *config)
{
    *config = settings->oidc;
    if (provider == SSO_SUITE)
        return;
    config->issuer = NULL;
    if (provider == SSO_GOOGLE && settings->google_client_id && settings->google_client_secret) {
        set_up(config, settings, "Google", settings->google_client_id,
               settings->google_client_secret);
        config->issuer = "https://accounts.google.com";
        config->trusts_email = false;
    }
    if (provider == SSO_AZURE && settings->azure_tenant && settings->azure_client_id &&
        settings->azure_client_secret) {
        set_up(config, settings, "Microsoft", settings->azure_client_id,
               settings->azure_client_secret);
        config->issuer =
            arena_print(arena, "https://login.microsoftonline.com/%s/v2.0", settings->azure_tenant);
        /* The directory is the organisation's own; it says no email_verified. */
        config->trusts_email = true;
    }
}

enum error sso_check(struct arena *arena, const struct support_settings *settings,
                     struct problem *problem)
{
    for (enum sso_provider provider = 0; provider < SSO__MAX; provider++) {
        struct oidc_config config;
        enum error error;

        sso_config(arena, settings, provider, &config);
        error = config.issuer || provider == SSO_SUITE ? oidc_check(&config, problem) : ERROR_NONE;
        if (error)
            return error;
    }
    return ERROR_NONE;
}
