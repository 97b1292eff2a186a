/*
 * The identity provider that people may sign in with (OpenID Connect), as the settings have it.
 * There is one for the suite; support's contract names two more (Google, Azure), which are the same
 * struct with other values.
 */
#ifndef ASSAY_ACCOUNTS_OIDC_CONFIG_H
#define ASSAY_ACCOUNTS_OIDC_CONFIG_H

#include "base/settings.h"

enum { OIDC_GROUPS_MAX = 1000 /* of a person; further ones are not looked at */ };

struct oidc_config {
    const char *issuer; /* NULL = no provider */
    const char *client_id;
    const char *client_secret; /* NULL = a public client, which PKCE alone protects */
    const char *scopes;
    const char *label;
    const char *groups_claim;
    struct string_list roles;   /* "GROUP=AREA:ROLE" */
    struct string_list tenants; /* "DOMAIN:TENANT" */
    bool requires_tenant;       /* also when no domain is listed */
    bool creates_accounts;
    bool trusts_email; /* also without the claim email_verified */
    double timeout_seconds;
    int64_t answer_max_bytes;
    int64_t metadata_seconds;
    int64_t clock_tolerance_seconds;
    int64_t sign_in_seconds;
};

/* Rows of a table of settings. AT() of the including file gives the place in its struct, whose
 * member `oidc` is a struct oidc_config. */
#define OIDC_SETTINGS                                                                              \
    {"ASSAY_OIDC_ISSUER",                                                                          \
     SETTING_TEXT,                                                                                 \
     AT(oidc.issuer),                                                                              \
     NULL,                                                                                         \
     0,                                                                                            \
     500,                                                                                          \
     .help = "Issuer of the identity provider that people sign in with, exactly as its discovery " \
             "document names it; unset: passwords only."},                                         \
        {"ASSAY_OIDC_CLIENT_ID",                                                                   \
         SETTING_TEXT,                                                                             \
         AT(oidc.client_id),                                                                       \
         NULL,                                                                                     \
         0,                                                                                        \
         500,                                                                                      \
         .help = "Client id that the provider has given to this installation."},                   \
        {"ASSAY_OIDC_CLIENT_SECRET",                                                               \
         SETTING_TEXT,                                                                             \
         AT(oidc.client_secret),                                                                   \
         NULL,                                                                                     \
         .secret = true,                                                                           \
         .help = "Its secret; unset: a public client."},                                           \
        {"ASSAY_OIDC_SCOPES",                                                                      \
         SETTING_TEXT,                                                                             \
         AT(oidc.scopes),                                                                          \
         "openid profile email",                                                                   \
         1,                                                                                        \
         500,                                                                                      \
         .help = "Scopes that are asked for, with blanks between them; `openid` is one of them."}, \
        {"ASSAY_OIDC_LABEL",                                                                       \
         SETTING_TEXT,                                                                             \
         AT(oidc.label),                                                                           \
         "SSO",                                                                                    \
         1,                                                                                        \
         60,                                                                                       \
         .help = "Name of the provider on the button of the sign-in page."},                       \
        {"ASSAY_OIDC_GROUPS_CLAIM",                                                                \
         SETTING_TEXT,                                                                             \
         AT(oidc.groups_claim),                                                                    \
         "groups",                                                                                 \
         1,                                                                                        \
         200,                                                                                      \
         .help = "Claim that lists the groups of a person; dots lead into objects "                \
                 "(`realm_access.roles`)."},                                                       \
        {"ASSAY_OIDC_ROLES", SETTING_LIST, AT(oidc.roles), "*=support:viewer",                     \
         .help = "`GROUP=AREA:ROLE` for each group that gives a role. An area that a group is "    \
                 "listed for follows the provider at each sign-in; `*=AREA:ROLE` is for every "    \
                 "new account and changes no existing one."},                                      \
        {"ASSAY_OIDC_TENANTS", SETTING_LIST, AT(oidc.tenants), NULL,                               \
         .help = "`DOMAIN:TENANT` for each e-mail domain that has a tenant of its own; with it, "  \
                 "people of other domains are refused. Unset: the tenant of new accounts is "      \
                 "`default`."},                                                                    \
        {"ASSAY_OIDC_CREATE_ACCOUNTS", SETTING_BOOLEAN, AT(oidc.creates_accounts), "true",         \
         .help = "Make an account for a person at the first sign-in."},                            \
        {"ASSAY_OIDC_TRUST_EMAIL", SETTING_BOOLEAN, AT(oidc.trusts_email), "false",                \
         .help = "Believe e-mail addresses for which the provider does not say "                   \
                 "`email_verified`: only where its directory is your own."},                       \
        {"ASSAY_OIDC_TIMEOUT_SECONDS",                                                             \
         SETTING_NUMBER,                                                                           \
         AT(oidc.timeout_seconds),                                                                 \
         "10",                                                                                     \
         0.1,                                                                                      \
         60,                                                                                       \
         .help =                                                                                   \
             "Longest wait for all answers of the provider that one step of a sign-in needs."},    \
        {"ASSAY_OIDC_ANSWER_MAX_BYTES",                                                            \
         SETTING_INTEGER,                                                                          \
         AT(oidc.answer_max_bytes),                                                                \
         "262144",                                                                                 \
         1024,                                                                                     \
         16777216,                                                                                 \
         .help = "Longest answer of the provider; a longer one is refused."},                      \
        {"ASSAY_OIDC_METADATA_SECONDS",                                                            \
         SETTING_INTEGER,                                                                          \
         AT(oidc.metadata_seconds),                                                                \
         "600",                                                                                    \
         0,                                                                                        \
         86400,                                                                                    \
         .help = "How long a worker keeps the provider's discovery document and keys. A new key "  \
                 "is fetched at once, a withdrawn one is accepted as long."},                      \
        {"ASSAY_OIDC_CLOCK_TOLERANCE_SECONDS",                                                     \
         SETTING_INTEGER,                                                                          \
         AT(oidc.clock_tolerance_seconds),                                                         \
         "60",                                                                                     \
         0,                                                                                        \
         600,                                                                                      \
         .help = "By so much the provider's clock may differ."},                                   \
    {                                                                                              \
        "ASSAY_OIDC_SIGN_IN_SECONDS", SETTING_INTEGER, AT(oidc.sign_in_seconds), "600", 30, 3600,  \
            .help = "How long a person may take at the provider."                                  \
    }

/* ERROR_INVALID names the setting that is missing or wrong. Does not look at roles and tenants
 * (roles.h). */
MUST_CHECK enum error oidc_config_check(const struct oidc_config *config, struct problem *problem);

/* Whether a URL may be called, or a browser sent there, for this issuer: https; or http at a
 * loopback address for an issuer that is such a URL itself (development). */
bool oidc_may_call(const char *issuer, const char *url);

#endif
