/* Settings of the accounts service: a struct that is read from the environment once. The place of
 * its database is a setting of every service (accounts.h). */
#ifndef ASSAY_ACCOUNTS_SETTINGS_H
#define ASSAY_ACCOUNTS_SETTINGS_H

#include "accounts/oauth_config.h"
#include "accounts/oidc/config.h"
#include "accounts/store.h"

/* The administrator of the settings, who needs no entry in the store to sign in. Support has the
 * same settings. */
struct accounts_administrator {
    const char *username;
    const char *password_hash;  /* NULL = none is set */
    const char *first_password; /* made at the first start; NULL = there is none */
    const char *tenant;
    bool may_develop; /* the pair admin/admin counts, for requests to this host (decision 46) */
};

/* The lock-out, which counts for sign-in to the suite and to support together. AT() of the
 * including file gives the place in its struct; members: sign_in_failures, sign_in_failure_seconds.
 */
#define SIGN_IN_SETTINGS                                                                           \
    {"ASSAY_SIGN_IN_FAILURES",                                                                     \
     SETTING_INTEGER,                                                                              \
     AT(sign_in_failures),                                                                         \
     "10",                                                                                         \
     1,                                                                                            \
     1000,                                                                                         \
     .help = "Wrong passwords for one name from one address before further ones are refused "      \
             "(429); five times as many from all addresses together."},                            \
    {                                                                                              \
        "ASSAY_SIGN_IN_FAILURE_SECONDS", SETTING_INTEGER, AT(sign_in_failure_seconds), "900", 1,   \
            86400, .help = "How long they count."                                                  \
    }

struct accounts_service_settings {
    bool production;
    const char *host;
    const char *sql_directory;
    const char *state_directory; /* of the record of the database's identity; NULL = no record */
    struct accounts_settings accounts;
    struct oidc_config oidc;
    struct oauth_config oauth;
    int64_t sqlite_busy_timeout_ms;
    int confine;
    int log_level;
    int log_format;
    int support_environment; /* RAG_ENV */
    const char *environment; /* AB_ENV */
    const char *admin_username, *admin_password_hash, *admin_tenant;
    struct accounts_administrator administrator;

    int64_t session_idle_seconds, session_lifetime_seconds;
    int64_t sign_in_failures, sign_in_failure_seconds, sign_in_rate_per_minute,
        provider_rate_per_minute, audit_days;
    int64_t invitation_hours;

    int64_t max_request_body_bytes;
    int64_t max_message_bytes; /* of MCP */
    int64_t max_request_memory_bytes;
    int64_t max_json_depth;
    int64_t trusted_proxy_hops;
    struct string_list trusted_proxies;
};

extern const struct setting accounts_settings_table[];
extern const size_t accounts_settings_count;

/* Reads and checks; `lookup` NULL = the environment. ERROR_INVALID. */
MUST_CHECK enum error accounts_settings_load(struct accounts_service_settings *settings,
                                             struct arena *arena,
                                             const char *(*lookup)(const char *name),
                                             struct problem *problem);

#endif
