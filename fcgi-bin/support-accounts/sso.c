/* Signing in to support by an identity provider. On support's own port the browser gets its tokens;
 * below the portal it is sent to the sign-in of the suite. */
#include "support-accounts/sso.h"

#include "accounts/oidc/sign_in.h"
#include "base/log.h"
#include "http/cookie.h"
#include "http/people.h"
#include "support-accounts/session.h"
#include "support/accounts/sso_providers.h"
#include "support/service.h"

#include <string.h>

enum { CLIENTS_MEMORY = 1 << 20 };

struct provider_row {
    const char *name;
    const char *label;
};

#define OWNER struct provider_row
static const struct field provider_fields[] = {
    STRING(OWNER, name, .help = "google, azure, or oidc: the provider of the suite."),
    STRING(OWNER, label)};
#undef OWNER
static SCHEMA(provider_row_schema, struct provider_row, "SsoProvider", provider_fields);

struct provider_list {
    OBJECT_LIST(struct provider_row, providers);
};

#define OWNER struct provider_list
static const struct field providers_fields[] = {OBJECTS(OWNER, providers, provider_row_schema)};
#undef OWNER
SCHEMA(sso_providers_schema, struct provider_list, "SsoProviders", providers_fields);

/* The clients of this worker, each made when it is first asked for. */
static struct {
    struct arena *arena;
    struct oidc_config configs[SSO__MAX];
    struct oidc_client *clients[SSO__MAX];
} known;

static const struct oidc_config *config_of(const struct request *request,
                                           enum sso_provider provider)
{
    if (!known.arena)
        known.arena = arena_create(CLIENTS_MEMORY);
    if (!known.arena)
        return NULL;
    if (!known.configs[provider].issuer)
        sso_config(known.arena, service_settings(request), provider, &known.configs[provider]);
    return known.configs[provider].issuer ? &known.configs[provider] : NULL;
}

/* Google and Microsoft are set up for support alone, which has no session of the suite to give. */
static const struct oidc_config *offered(const struct request *request, enum sso_provider provider)
{
    bool is_portal = *request_prefix(request);

    return is_portal && provider != SSO_SUITE ? NULL : config_of(request, provider);
}

enum error sso_providers_handle(struct request *request, struct reply *reply)
{
    struct provider_list *list = ARENA_NEW(request->arena, struct provider_list);
    struct provider_row *rows = ARENA_ARRAY(request->arena, struct provider_row, SSO__MAX);

    for (enum sso_provider provider = 0; provider < SSO__MAX; provider++) {
        const struct oidc_config *config = offered(request, provider);

        if (config)
            rows[list->providers.count++] =
                (struct provider_row){sso_provider_names[provider], config->label};
    }
    list->providers.items = rows;
    reply->object = list;
    return ERROR_NONE;
}

static enum error find_client(struct request *request, struct oidc_client **client)
{
    enum sso_provider provider = sso_provider_of(request->arguments[0]);
    const struct oidc_config *config = provider < SSO__MAX ? offered(request, provider) : NULL;

    if (!config)
        return problem_set(&request->problem, ERROR_NOT_FOUND, "sso_not_configured",
                           "This provider is not configured");
    if (!known.clients[provider])
        known.clients[provider] = oidc_client_open(known.arena, config, request->server->region);
    *client = known.clients[provider];
    return *client ? ERROR_NONE
                   : problem_set(&request->problem, ERROR_UNAVAILABLE, "sso_unavailable",
                                 "Sign-in by a provider is not available");
}

/* 503 when the provider or the account store does not answer, else 400. */
static enum error refuse(struct request *request, enum error error)
{
    struct log_line line;
    const char *word = oidc_failure_word(&request->problem);

    log_begin(&line, LOG_WARNING, "oidc_sign_in_failed");
    log_text(&line, "detail", request->problem.text);
    log_text(&line, "reason", request->problem.reason);
    log_text(&line, "request_id", request->id);
    log_write(&line);
    if (error != ERROR_FORBIDDEN)
        return problem_set(&request->problem, ERROR_UNAVAILABLE, "sso_unavailable",
                           "The provider does not answer");
    return problem_set(&request->problem, ERROR_INVALID, "sso_failed", "Sign-in failed: %s", word);
}

static const char *origin_of(const struct request *request)
{
    const char *origin = request_header(request, "SITE_ORIGIN");

    return origin ? origin : "";
}

enum error sso_login_handle(struct request *request, struct reply *reply)
{
    struct oidc_beginning beginning;
    struct oidc_client *client;
    struct accounts_call call;
    enum error error = find_client(request, &client);

    if (error)
        return error;
    if (*request_prefix(request)) {
        reply_redirect(reply, 307, "/accounts/api/oidc/start?next=/support/static/chat.html");
        return ERROR_NONE;
    }
    error = request_accounts(request, &call);
    if (!error)
        error = oidc_sign_in_begin(&call, client, request_cookie(request, oidc_cookie),
                                   arena_print(request->arena, "%s/api/auth/sso/%s/callback",
                                               origin_of(request), request->arguments[0]),
                                   NULL, &beginning);
    if (error)
        return refuse(request, error);
    reply_set_cookie(request, reply,
                     &(struct cookie){.name = oidc_cookie,
                                      .value = beginning.browser,
                                      .max_age = oidc_client_config(client)->sign_in_seconds,
                                      .same_site = SAME_SITE_LAX,
                                      .secure = strncmp(origin_of(request), "https://", 8) == 0});
    reply_redirect(reply, 307, beginning.address);
    return ERROR_NONE;
}

/* Tokens name the person by id, as the contract has it. */
static enum error give_tokens(struct request *request, struct reply *reply,
                              const struct person *person)
{
    const struct account account = {
        .subject = person->id, .role = support_role_of_person(person), .tenant = person->tenant};

    if (account.role == SUPPORT_NOBODY)
        return problem_set(&request->problem, ERROR_FORBIDDEN, "oidc_no_access",
                           "the person has no role in support");
    request->who.subject = person->username;
    request->who.tenant = person->tenant;
    service_audit(request, "sso_login", "auth", NULL);
    return session_give_tokens(request, reply, &account, SAME_SITE_LAX);
}

enum error sso_callback_handle(struct request *request, struct reply *reply)
{
    struct oidc_sign_in sign_in;
    struct oidc_client *client;
    struct accounts_call call;
    enum error error = find_client(request, &client);

    if (error)
        return error;
    error = request_accounts(request, &call);
    if (!error)
        error = oidc_sign_in_end(&call, client, request_cookie(request, oidc_cookie),
                                 request->query, &sign_in);
    if (!error)
        error = give_tokens(request, reply, &sign_in.person);
    if (error)
        return refuse(request, error);
    reply->object = NULL;
    reply_redirect(reply, 307, "/static/chat.html");
    return ERROR_NONE;
}
