/* The table of settings of the accounts service. */
#include "accounts/settings.h"

#include "accounts/oidc/sign_in.h"
#include "crypto/password.h"
#include "db/common_settings.h"
#include "net/address.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { SECRET_FILE_MAX = 256 };

static const char *const environments[] = {"development", "staging", "production", NULL};
enum { SUPPORT_PRODUCTION = 2 };

#define AT(member) offsetof(struct accounts_service_settings, member)

const struct setting accounts_settings_table[] = {
    {"RAG_ENV", SETTING_CHOICE, AT(support_environment), "development", .choices = environments,
     .help = "`production`: cookies need TLS, and no development password counts."},
    {"AB_ENV", SETTING_TEXT, AT(environment), "local",
     .help = "The same for `production` or `prod`."},
    {"ASSAY_BIND", SETTING_TEXT, AT(host), "127.0.0.1", .required = true,
     .help = "Address of the portal and the services; `nginx/stack` listens there."},
    WORKER_SETTINGS("ASSAY_ACCOUNTS_", "ASSAY_ACCOUNTS_", "67108864"),
    REQUEST_SETTINGS("ASSAY_ACCOUNTS_"),
    ACCOUNTS_SETTINGS,
    {"ADMIN_USERNAME", SETTING_TEXT, AT(admin_username), "admin", .required = true,
     .help = "Name of the administrator whose password is ADMIN_PASSWORD_HASH."},
    {"ADMIN_PASSWORD_HASH", SETTING_TEXT, AT(admin_password_hash), NULL, .secret = true,
     .help = "Hash of that password (bcrypt or yescrypt). Without it admin signs in with the "
             "password that `nginx/stack` makes at the first start "
             "(`state/support-first-password`), and with admin at a loopback address outside "
             "production."},
    {"ADMIN_DEFAULT_TENANT", SETTING_TEXT, AT(admin_tenant), "default", .required = true,
     .help = "Tenant of that administrator."},
    {"ASSAY_SESSION_IDLE_SECONDS", SETTING_INTEGER, AT(session_idle_seconds), "604800", 60,
     31536000, .help = "A session ends after so long without a request."},
    {"ASSAY_SESSION_LIFETIME_SECONDS", SETTING_INTEGER, AT(session_lifetime_seconds), "2592000", 60,
     31536000, .help = "A session ends so long after sign-in, whatever its use."},
    SIGN_IN_SETTINGS,
    {"ASSAY_SIGN_IN_RATE_PER_MINUTE", SETTING_INTEGER, AT(sign_in_rate_per_minute), "30", 1,
     1000000,
     .help = "Sign-ins, right or wrong, and looks at invitations from one address a minute."},
    {"ASSAY_OIDC_RATE_PER_MINUTE", SETTING_INTEGER, AT(provider_rate_per_minute), "300", 1, 1000000,
     .help = "Steps of sign-ins by the identity provider from one address a minute."},
    {"ASSAY_ACCOUNTS_AUDIT_DAYS", SETTING_INTEGER, AT(audit_days), "365", 0, 36500,
     .help = "Entries of the audit log of accounts are deleted after so many days; 0 = never."},
    {"ASSAY_INVITATION_HOURS", SETTING_INTEGER, AT(invitation_hours), "168", 1, 8760,
     .help = "How long an invitation may be accepted."},
    {"ASSAY_ACCOUNTS_MAX_REQUEST_BODY_BYTES", SETTING_INTEGER, AT(max_request_body_bytes), "65536",
     1024, 16777216, .help = "Largest request body."},
    {"ASSAY_MCP_MAX_REQUEST_BODY_BYTES", SETTING_INTEGER, AT(max_message_bytes), "1048576", 1024,
     1073741824, .help = "Largest message to /mcp of the whole suite."},
    OIDC_SETTINGS,
    OAUTH_SETTINGS,
};
const size_t accounts_settings_count = COUNT_OF(accounts_settings_table);

/* The administrator's first password, which nginx/stack has made; NULL when there is none. */
static const char *read_first_password(const char *state_directory, struct arena *arena)
{
    char *text = arena_alloc(arena, SECRET_FILE_MAX);
    FILE *file = state_directory && *state_directory
                     ? fopen(arena_print(arena, "%s/support-first-password", state_directory), "re")
                     : NULL;
    size_t length = file ? fread(text, 1, SECRET_FILE_MAX - 1, file) : 0;

    if (file)
        fclose(file);
    text[length] = '\0';
    text[strcspn(text, "\r\n")] = '\0';
    return *text ? text : NULL;
}

static void fill_administrator(struct accounts_service_settings *settings, struct arena *arena)
{
    bool is_set = settings->admin_password_hash != NULL;

    settings->administrator = (struct accounts_administrator){
        .username = is_set ? settings->admin_username : "admin",
        .password_hash = settings->admin_password_hash,
        .first_password = is_set ? NULL : read_first_password(settings->state_directory, arena),
        .tenant = settings->admin_tenant,
        .may_develop = !is_set && !settings->production && address_is_loopback(settings->host)};
}

enum error accounts_settings_load(struct accounts_service_settings *settings, struct arena *arena,
                                  const char *(*lookup)(const char *name), struct problem *problem)
{
    enum error error = settings_load(accounts_settings_table, accounts_settings_count, settings,
                                     arena, lookup, problem);

    if (error)
        return error;
    settings->production = settings->support_environment == SUPPORT_PRODUCTION ||
                           strcasecmp(settings->environment, "production") == 0 ||
                           strcasecmp(settings->environment, "prod") == 0;
    if (settings->admin_password_hash && !password_is_hash(settings->admin_password_hash))
        return problem_set(problem, ERROR_INVALID, "setting_invalid",
                           "ADMIN_PASSWORD_HASH must be a bcrypt or yescrypt hash");
    settings->accounts.busy_timeout_ms = settings->sqlite_busy_timeout_ms;
    fill_administrator(settings, arena);
    return oidc_check(&settings->oidc, problem);
}
