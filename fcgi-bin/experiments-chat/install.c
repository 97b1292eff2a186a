/* Installs the app: sends the browser to the platform with a state bound to it, and exchanges the
 * code that it returns with for tokens. */
#include "experiments-chat/install.h"

#include "base/clock.h"
#include "base/log.h"
#include "crypto/token.h"
#include "experiments-chat/gate.h"
#include "experiments/chat/installation_store.h"
#include "experiments/chat/platform.h"
#include "experiments/chat/signature.h"
#include "http/cookie.h"

#include <string.h>

enum { MICROSECONDS = 1000000, URL_BYTES_MAX = 4000, FORM_BYTES_MAX = 16 * 1024 };

static const char state_cookie[] = "chatapp_install";
static const char scopes[] = "commands,chat:write,chat:write.public,users:read";

struct install_query {
    const char *code;
    const char *state;
};

#define OWNER struct install_query
static const struct field query_fields[] = {
    STRING(OWNER, code, .nullable = true, .max_length = 1000),
    STRING(OWNER, state, .nullable = true, .max_length = 1000),
};
#undef OWNER
SCHEMA(install_query_schema, struct install_query, "InstallQuery", query_fields,
       .extra = EXTRA_IGNORE);

struct installed {
    bool ok;
    const char *team_id;
    const char *team_name;
};

#define OWNER struct installed
static const struct field installed_fields[] = {BOOLEAN(OWNER, ok), STRING(OWNER, team_id),
                                                STRING(OWNER, team_name)};
#undef OWNER
SCHEMA(installed_schema, struct installed, "ChatInstalled", installed_fields,
       .help = "The app is in that workspace.");

struct chat_status {
    bool configured;
    bool installed;
    const char *team_id;
    const char *team_name;
    const char *installed_at;
    bool can_be_installed;
    const char *last_event_at;
};

#define OWNER struct chat_status
static const struct field status_fields[] = {
    BOOLEAN(OWNER, configured),
    BOOLEAN(OWNER, installed),
    STRING(OWNER, team_id, .nullable = true),
    STRING(OWNER, team_name, .nullable = true),
    STRING(OWNER, installed_at, .nullable = true),
    BOOLEAN(OWNER, can_be_installed, .help = "Configured, and told where the platform is."),
    STRING(OWNER, last_event_at, .nullable = true,
           .help = "When that workspace last called, to the minute."),
};
#undef OWNER
SCHEMA(chat_status_schema, struct chat_status, "ChatStatus", status_fields,
       .help = "Of the installation that was made or renewed last.");

static enum error gate_platform(struct request *request)
{
    enum error error = gate_configured(request);

    if (error || service_settings(request)->chatapp_base_url)
        return error;
    return problem_set(&request->problem, ERROR_UNAVAILABLE, "chatapp_not_configured",
                       "AB_CHATAPP_BASE_URL is not set");
}

/* Lax, because the browser comes back from another site. */
static void set_cookie(struct request *request, struct reply *reply, const char *value,
                       int64_t seconds)
{
    const char *origin = request_header(request, "SITE_ORIGIN");

    reply_set_cookie(request, reply,
                     &(struct cookie){.name = state_cookie,
                                      .value = value,
                                      .max_age = seconds,
                                      .same_site = SAME_SITE_LAX,
                                      .secure = origin && strncmp(origin, "https:", 6) == 0});
}

static const char *random_text(struct arena *arena)
{
    char text[TOKEN_TEXT_MAX];

    token_random_text(CHAT_SECRET_BYTES, text, sizeof text);
    return arena_copy_string(arena, text);
}

enum error install_handle(struct request *request, struct reply *reply)
{
    const struct experiments_settings *settings = service_settings(request);
    const char *binding = random_text(request->arena), *base;
    enum error error = gate_platform(request);
    struct text url;

    if (error)
        return error;
    base = settings->chatapp_base_url;
    text_start(&url, request->arena, URL_BYTES_MAX);
    text_append(&url, base, strlen(base) - (base[strlen(base) - 1] == '/'));
    text_append_string(&url, "/oauth/v2/authorize?client_id=");
    text_append_url(&url, settings->chatapp_client_id);
    text_append_string(&url, "&scope=");
    text_append_url(&url, scopes);
    text_append_string(&url, "&state=");
    text_append_url(&url, chat_state_make(request->arena, settings->chatapp_client_secret,
                                          random_text(request->arena),
                                          clock_unix_microseconds() / MICROSECONDS, binding));
    set_cookie(request, reply, binding, settings->chatapp_state_seconds);
    reply_redirect(reply, 307, url.bytes);
    return ERROR_NONE;
}

/* The state belongs to this browser, is recent, and was not used before. */
static enum error use_state(struct request *request)
{
    const struct experiments_settings *settings = service_settings(request);
    const struct install_query *query = request->query;
    const char *binding = request_cookie(request, state_cookie), *nonce = NULL;
    bool is_new = false;
    struct db *db;
    enum error error;

    if (query->state && binding)
        nonce = chat_state_nonce(request->arena, settings->chatapp_client_secret, query->state,
                                 binding, clock_unix_microseconds() / MICROSECONDS,
                                 settings->chatapp_state_seconds);
    if (!query->code || !*query->code)
        return problem_set(&request->problem, ERROR_INVALID, "chatapp_cancelled",
                           "code is missing: the install was not confirmed");
    if (!nonce)
        return problem_set(&request->problem, ERROR_INVALID, "chatapp_state",
                           "state is not one that this browser was given, or is too old");
    error = service_database(request, &db);
    if (!error)
        error = receipt_take(db, arena_print(request->arena, "state %s", nonce), &is_new,
                             &request->problem);
    if (error || is_new)
        return error;
    return problem_set(&request->problem, ERROR_INVALID, "chatapp_state",
                       "state was used already; begin the install anew");
}

static const char *exchange_form(struct request *request)
{
    const struct experiments_settings *settings = service_settings(request);
    const struct install_query *query = request->query;
    struct text form;

    text_start(&form, request->arena, FORM_BYTES_MAX);
    text_append_string(&form, "client_id=");
    text_append_url(&form, settings->chatapp_client_id);
    text_append_string(&form, "&client_secret=");
    text_append_url(&form, settings->chatapp_client_secret);
    text_append_string(&form, "&code=");
    text_append_url(&form, query->code);
    return form.bytes;
}

static const char *text_in(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));

    return text && *text ? text : NULL;
}

/* The code for tokens; no connection to the database is held meanwhile. */
static enum error exchange(struct request *request, struct installation *installation)
{
    const struct platform_request call = {.path = "/api/oauth.v2.access",
                                          .type = "application/x-www-form-urlencoded",
                                          .body = exchange_form(request)};
    struct platform_answer answer;
    const json_t *team;

    db_release(store_handle(service_store(request)));
    platform_post(request->arena, service_settings(request), &call, &answer);
    if (answer.problem)
        return problem_set(&request->problem, ERROR_UNAVAILABLE, "chatapp_oauth_failed", "%s",
                           answer.problem);
    team = json_object_get(answer.document, "team");
    *installation = (struct installation){
        .team_id = text_in(team, "id"),
        .team_name = text_in(team, "name"),
        .bot_token = text_in(answer.document, "access_token"),
        .user_token = text_in(json_object_get(answer.document, "authed_user"), "access_token")};
    if (!installation->team_id || !installation->bot_token)
        return problem_set(&request->problem, ERROR_UNAVAILABLE, "chatapp_oauth_failed",
                           "the platform named no workspace, or gave no token");
    if (!installation->team_name)
        installation->team_name = "";
    return gate_team(request, installation->team_id);
}

static const struct actor *installer(const struct request *request)
{
    struct actor *actor = ARENA_NEW(request->arena, struct actor);

    *actor = (struct actor){
        .name = "chatapp", .request_id = request->id, .ip_address = request->client.resolved};
    return actor;
}

static enum error keep(struct request *request, const struct installation *installation)
{
    struct key_call call = {
        .arena = request->arena, .actor = installer(request), .problem = &request->problem};
    enum error error = service_database(request, &call.db);

    return error ? error
                 : installation_put(&call, service_settings(request)->chatapp_client_secret,
                                    installation);
}

static enum error finish(struct request *request, struct installation *installation)
{
    enum error error = gate_platform(request);

    if (!error)
        error = use_state(request);
    if (!error)
        error = exchange(request, installation);
    return error ? error : keep(request, installation);
}

/* The result, in the codes of the settings page. */
static const char *outcome_of(const struct request *request, enum error error)
{
    static const struct {
        const char *reason, *outcome;
    } outcomes[] = {{"chatapp_cancelled", "cancelled"},
                    {"chatapp_state", "state"},
                    {"chatapp_oauth_failed", "platform"},
                    {"chatapp_team", "team"}};

    if (!error)
        return "done";
    for (size_t i = 0; i < COUNT_OF(outcomes); i++)
        if (strcmp(request->problem.reason, outcomes[i].reason) == 0)
            return outcomes[i].outcome;
    return "failed";
}

/* The browser is redirected to where the user began; errors are in the log, too. */
static enum error lead_back(struct request *request, struct reply *reply, enum error error)
{
    if (error)
        log_event(LOG_WARNING, "chat_install_failed", request->problem.text);
    reply_redirect(reply, 303,
                   arena_print(request->arena, "%s/settings?tab=chat&install=%s",
                               request_prefix(request), outcome_of(request, error)));
    return ERROR_NONE;
}

enum error install_callback_handle(struct request *request, struct reply *reply)
{
    struct installed *answer = ARENA_NEW(request->arena, struct installed);
    struct installation installation;
    enum error error = finish(request, &installation);

    if (!error)
        set_cookie(request, reply, "", 0);
    if (request_prefers(request, "text/html", "application/json"))
        return lead_back(request, reply, error);
    if (error)
        return error;
    *answer = (struct installed){true, installation.team_id, installation.team_name};
    reply->object = answer;
    return ERROR_NONE;
}

enum error chat_status_handle(struct request *request, struct reply *reply)
{
    struct chat_status *answer = ARENA_NEW(request->arena, struct chat_status);
    struct key_call call = {.arena = request->arena, .problem = &request->problem};
    struct installation installation = {0};
    const struct experiments_settings *settings = service_settings(request);
    enum error error = service_database(request, &call.db);

    if (!error)
        error = installation_find(&call, NULL, NULL, &installation, &answer->installed);
    answer->configured = experiments_has_chat(settings);
    answer->can_be_installed = answer->configured && settings->chatapp_base_url;
    answer->last_event_at = installation.last_event_at;
    answer->team_id = installation.team_id;
    answer->team_name = installation.team_name;
    answer->installed_at = installation.installed_at;
    reply->object = answer;
    return error;
}
