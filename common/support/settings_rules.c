/* Rules that span several settings of the support service, and values that depend on others. */
#include "support/settings.h"

#include "accounts/people.h"
#include "accounts/settings.h"
#include "base/confine.h"
#include "base/string_list.h"
#include "crypto/password.h"
#include "crypto/token.h"
#include "net/s3.h"

#include <stdio.h>
#include <string.h>

/* Published in the source, so never accepted. */
#define PUBLISHED_SECRET "assay-development-secret-not-for-production" /* of earlier versions */

enum { SECRET_MIN = 32 };

const char *support_open_by(const struct support_settings *settings)
{
    return !settings->api_key && settings->allow_anonymous_admin
               ? "ALLOW_ANONYMOUS_ADMIN is set and API_KEY is not"
               : NULL;
}

/* Pages of any origin may read, unless every client is an administrator, or in production. */
static void default_origins(struct support_settings *settings)
{
    static const char *anybody = "*";

    if (!settings->cors_origins.count && !support_open_by(settings) &&
        settings->environment != SUPPORT_PRODUCTION)
        settings->cors_origins = (struct string_list){1, &anybody};
}

/* Settings that are acceptable on a local machine and a vulnerability in production. */
static enum error check_production(const struct support_settings *settings, struct problem *problem)
{
    const struct {
        bool holds;
        const char *text;
    } rules[] = {
        {settings->cors_origins.count && !string_list_has(&settings->cors_origins, "*"),
         "CORS_ORIGINS must list origins, and not *, in production"},
        {settings->jwt_secret && strlen(settings->jwt_secret) >= SECRET_MIN,
         "JWT_SECRET must be a secret of your own of at least 32 characters in production"},
        {settings->admin_password_hash || settings->allow_dev_admin_login,
         "ADMIN_PASSWORD_HASH must be set in production (or ALLOW_DEV_ADMIN_LOGIN)"},
        {!settings->allow_anonymous_admin, "ALLOW_ANONYMOUS_ADMIN must not be set in production"},
    };

    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (!rules[i].holds)
            return problem_set(problem, ERROR_INVALID, "setting_invalid", "%s", rules[i].text);
    return ERROR_NONE;
}

static bool is_base_url(const char *url)
{
    bool is_http = strncmp(url, "http://", 7) == 0 || strncmp(url, "https://", 8) == 0;

    return is_http && !strpbrk(url, "@?# \t");
}

/* The URL must not contain user and password. */
static enum error check_urls(const struct support_settings *settings, struct problem *problem)
{
    const struct {
        const char *name, *url;
    } urls[] = {{"LLM_CHAT_URL", settings->chat_url},
                {"RAG_EMBEDDING_REMOTE_URL", settings->embedding_url},
                {"RAG_RERANKER_URL", settings->reranker_url},
                {"OLLAMA_BASE_URL", settings->ollama_base_url},
                {"SEARCH_URL", settings->search_url},
                {"ORCH_BASE_URL", settings->orch_base_url}};

    for (size_t i = 0; i < sizeof urls / sizeof urls[0]; i++)
        if (urls[i].url && !is_base_url(urls[i].url))
            return problem_set(problem, ERROR_INVALID, "setting_invalid",
                               "%s must be http:// or https:// with a host and perhaps a path, "
                               "without user, password or query",
                               urls[i].name);
    if (settings->embedding_backend == EMBEDDING_REMOTE && !settings->embedding_url)
        return problem_set(
            problem, ERROR_INVALID, "setting_invalid",
            "RAG_EMBEDDING_REMOTE_URL must be set with RAG_EMBEDDING_BACKEND=remote");
    if (settings->chat_url && !settings->chat_model)
        return problem_set(problem, ERROR_INVALID, "setting_invalid",
                           "LLM_CHAT_MODEL must be set with LLM_CHAT_URL");
    return ERROR_NONE;
}

/* Paths are appended to SEARCH_URL, and SEARCH_INDEX is a part of them. */
static enum error check_search(struct support_settings *settings, struct arena *arena,
                               struct problem *problem)
{
    const char *index = settings->search_index, *url = settings->search_url;
    size_t length = url ? strlen(url) : 0;

    if (index[0] == '-' || index[strspn(index, "abcdefghijklmnopqrstuvwxyz0123456789-")])
        return problem_set(problem, ERROR_INVALID, "setting_invalid",
                           "SEARCH_INDEX must be lower case letters, digits and hyphens, and not "
                           "begin with a hyphen");
    while (length && url[length - 1] == '/')
        length--;
    if (url && url[length])
        settings->search_url = arena_print(arena, "%.*s", (int)length, url);
    return ERROR_NONE;
}

/* The first name wins where both are set. */
static void fill_second_names(struct support_settings *settings)
{
    if (!settings->smtp_password)
        settings->smtp_password = settings->other_smtp_password;
    if (!settings->imap_password)
        settings->imap_password = settings->other_imap_password;
    if (!settings->email_webhook_secret)
        settings->email_webhook_secret = settings->other_email_webhook_secret;
}

static enum error check_email(const struct support_settings *settings, struct problem *problem)
{
    if (settings->email_mode == EMAIL_DISABLED)
        return ERROR_NONE;
    if (!settings->smtp_host)
        return problem_set(problem, ERROR_INVALID, "setting_invalid",
                           "SMTP_HOST must be set with EMAIL_CHANNEL_MODE");
    if (settings->email_mode == EMAIL_IMAP && !settings->imap_host)
        return problem_set(problem, ERROR_INVALID, "setting_invalid",
                           "IMAP_HOST must be set with EMAIL_CHANNEL_MODE=imap");
    if (settings->email_mode == EMAIL_WEBHOOK && !settings->email_webhook_secret)
        return problem_set(
            problem, ERROR_INVALID, "setting_invalid",
            "EMAIL_WEBHOOK_SIGNING_SECRET must be set with EMAIL_CHANNEL_MODE=webhook");
    return ERROR_NONE;
}

/* Where originals are: a word, or a bucket and the key for it. */
static enum error check_blobs(const struct support_settings *settings, struct arena *arena,
                              struct problem *problem)
{
    const char *url = settings->blob_url;
    struct s3_store store;
    struct problem why;

    if (settings->blob_url_before && s3_parse_url(arena, settings->blob_url_before, &store, &why))
        return problem_set(problem, ERROR_INVALID, "setting_invalid", "SUPPORT_BLOB_URL_BEFORE: %s",
                           why.text);
    if (!url || strcmp(url, "files") == 0 || strcmp(url, "database") == 0)
        return ERROR_NONE;
    if (!strstr(url, "://"))
        return problem_set(problem, ERROR_INVALID, "setting_invalid",
                           "SUPPORT_BLOB_URL must be files, database or the URL of a bucket: "
                           "https://host/bucket");
    if (s3_parse_url(arena, url, &store, &why))
        return problem_set(problem, ERROR_INVALID, "setting_invalid", "SUPPORT_BLOB_URL: %s",
                           why.text);
    if (!settings->blob_access_key || !settings->blob_secret_key)
        return problem_set(problem, ERROR_INVALID, "setting_invalid",
                           "SUPPORT_BLOB_ACCESS_KEY and SUPPORT_BLOB_SECRET_KEY must be set with "
                           "the URL of a bucket in SUPPORT_BLOB_URL");
    return ERROR_NONE;
}

/* Fills in unset values. Without a stack every process signs with its own secret. */
static void fill_secrets(struct support_settings *settings, struct arena *arena)
{
    char *random;

    if (!settings->admin_password_hash)
        settings->first_password =
            settings_made_secret(arena, settings->state_directory, "support-first-password");
    if (settings->jwt_secret || settings->environment == SUPPORT_PRODUCTION)
        return;
    settings->jwt_secret = settings_made_secret(arena, settings->state_directory, "support-secret");
    if (settings->jwt_secret)
        return;
    random = arena_alloc(arena, TOKEN_TEXT_MAX);
    token_random_text(SECRET_MIN, random, TOKEN_TEXT_MAX);
    settings->jwt_secret = random;
}

enum error support_settings_load(struct support_settings *settings, struct arena *arena,
                                 const char *(*lookup)(const char *name), struct problem *problem)
{
    enum error error = settings_load(support_settings_table, support_settings_count, settings,
                                     arena, lookup, problem);

    if (error)
        return error;
    if (settings->admin_password_hash && !password_is_hash(settings->admin_password_hash))
        return problem_set(problem, ERROR_INVALID, "setting_invalid",
                           "ADMIN_PASSWORD_HASH must be a bcrypt or yescrypt hash");
    if (settings->chunk_overlap >= settings->chunk_size)
        return problem_set(problem, ERROR_INVALID, "setting_invalid",
                           "CHUNK_OVERLAP must be less than CHUNK_SIZE");
    if (settings->jwt_secret && strcmp(settings->jwt_secret, PUBLISHED_SECRET) == 0)
        return problem_set(problem, ERROR_INVALID, "setting_invalid",
                           "JWT_SECRET must be a secret: this one is published");
    fill_secrets(settings, arena);
    fill_second_names(settings);
    default_origins(settings);
    error = check_urls(settings, problem);
    if (!error)
        error = check_search(settings, arena, problem);
    if (!error)
        error = check_email(settings, problem);
    if (!error)
        error = check_blobs(settings, arena, problem);
    if (!error)
        error = settings_check_origins("WIDGET_ALLOWED_ORIGINS", &settings->widget_allowed_origins,
                                       NULL, problem);
    if (!error && settings->help_visitor_tenant && !person_is_tenant(settings->help_visitor_tenant))
        error = problem_set(problem, ERROR_INVALID, "setting",
                            "HELP_VISITOR_TENANT must be 1 to 50 letters, digits, _ or -");
    if (!error)
        error = settings_check_origins("CORS_ORIGINS", &settings->cors_origins,
                                       support_open_by(settings), problem);
    if (error)
        return error;
    return settings->environment == SUPPORT_PRODUCTION ? check_production(settings, problem)
                                                       : ERROR_NONE;
}
