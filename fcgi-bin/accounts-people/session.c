/* Signing in with a password, and out. */
#include "accounts-people/session.h"

#include "accounts/people.h"
#include "accounts/service_metrics.h"
#include "accounts/tokens.h"
#include "http/exposure.h"

#include <string.h>

#define OWNER struct signed_in
static const struct field signed_in_fields[] = {
    OBJECT(OWNER, person, person_schema),
    STRING(OWNER, session_id, .nullable = true, .help = "Null for a personal token."),
    TIME_OR_NULL(OWNER, expires_at, .time = TIME_Z,
                 .help = "When it ends if it is not used before then; null = never."),
};
#undef OWNER
SCHEMA(signed_in_schema, struct signed_in, "SignedIn", signed_in_fields);

struct credentials {
    const char *username;
    const char *password;
};

#define OWNER struct credentials
static const struct field credentials_fields[] = {
    STRING(OWNER, username, .required = true, .min_length = 1, .max_length = USERNAME_MAX),
    STRING(OWNER, password, .required = true, .min_length = 1, .max_length = PASSWORD_MAX,
           .secret = true),
};
#undef OWNER
SCHEMA(credentials_schema, struct credentials, "Credentials", credentials_fields,
       .example = "{\"username\":\"admin\",\"password\":\"admin\"}");

struct sign_out_query {
    bool everywhere;
    bool end_tokens;
};

#define OWNER struct sign_out_query
static const struct field sign_out_fields[] = {
    BOOLEAN(OWNER, everywhere, .help = "End all sessions of the person."),
    BOOLEAN(OWNER, end_tokens, .help = "With everywhere: delete the personal tokens as well."),
};
#undef OWNER
SCHEMA(sign_out_query_schema, struct sign_out_query, "SignOutQuery", sign_out_fields);

struct signed_out {
    const char *provider_sign_out;
};

#define OWNER struct signed_out
static const struct field signed_out_fields[] = {
    STRING(OWNER, provider_sign_out, .nullable = true,
           .help = "Where to sign out at the provider as well."),
};
#undef OWNER
SCHEMA(signed_out_schema, struct signed_out, "SignedOut", signed_out_fields);

struct provider_option {
    const char *label;
    const char *address;
};

#define OWNER struct provider_option
static const struct field provider_fields[] = {STRING(OWNER, label), STRING(OWNER, address)};
#undef OWNER
static SCHEMA(provider_option_schema, struct provider_option, "ProviderOption", provider_fields);

struct development_option {
    const char *username;
    const char *password;
};

#define OWNER struct development_option
static const struct field development_fields[] = {STRING(OWNER, username), STRING(OWNER, password)};
#undef OWNER
static SCHEMA(development_option_schema, struct development_option, "DevelopmentOption",
              development_fields);

struct sign_in_options {
    const struct provider_option *oidc;
    const struct development_option *development;
    bool first_run;
};

#define OWNER struct sign_in_options
static const struct field options_fields[] = {
    OBJECT(OWNER, oidc, provider_option_schema, .nullable = true,
           .help = "Sign-in with a provider: a link, not a call."),
    OBJECT(OWNER, development, development_option_schema, .nullable = true,
           .help = "The pair that counts on this machine in development."),
    BOOLEAN(OWNER, first_run, .help = "Nobody but the first administrator has an account."),
};
#undef OWNER
SCHEMA(sign_in_options_schema, struct sign_in_options, "SignInOptions", options_fields);

static const struct provider_option *provider_option(struct request *request)
{
    struct provider_option *option = ARENA_NEW(request->arena, struct provider_option);

    *option = (struct provider_option){
        .label = service_settings(request)->oidc.label,
        .address = arena_print(request->arena, "%s/api/oidc/start", request_prefix(request))};
    return option;
}

enum error sign_in_options_handle(struct request *request, struct reply *reply)
{
    static const struct development_option pair = {"admin", "admin"};
    const struct accounts_administrator *administrator = &service_settings(request)->administrator;
    struct sign_in_options *options = ARENA_NEW(request->arena, struct sign_in_options);
    struct accounts_call call;
    enum error error = service_call(request, &call);

    if (!error)
        error = sign_in_is_first_run(&call, administrator, &options->first_run);
    if (error)
        return error;
    if (options->first_run && administrator->may_develop && exposure_is_local(request))
        options->development = &pair;
    if (service_settings(request)->oidc.issuer)
        options->oidc = provider_option(request);
    reply->object = options;
    return ERROR_NONE;
}

enum error session_handle(struct request *request, struct reply *reply)
{
    struct signed_in *signed_in = ARENA_NEW(request->arena, struct signed_in);

    *signed_in = (struct signed_in){.person = service_person(request),
                                    .session_id = service_session_id(request),
                                    .expires_at = service_expires_at(request)};
    reply->object = signed_in;
    return ERROR_NONE;
}

enum error session_answer(struct request *request, struct reply *reply, const struct person *person,
                          const char *source)
{
    struct signed_in *signed_in = ARENA_NEW(request->arena, struct signed_in);
    struct person_session session;
    enum error error = service_sign_in(request, reply, person, source, &session);

    *signed_in = (struct signed_in){
        .person = person, .session_id = session.id, .expires_at = session.expires_at};
    reply->object = signed_in;
    return error;
}

enum error session_refuse(struct request *request, struct reply *reply,
                          enum sign_in_outcome outcome, int64_t retry_after)
{
    if (outcome == SIGN_IN_ACCEPTED)
        return ERROR_NONE;
    if (outcome == SIGN_IN_REFUSED)
        return problem_set(&request->problem, ERROR_FORBIDDEN, "credentials_refused",
                           "Wrong username or password");
    reply_add_header(reply, "Retry-After",
                     arena_print(request->arena, "%lld", (long long)retry_after));
    return problem_set(&request->problem, ERROR_BUSY, "too_many_failures",
                       "Too many failed attempts for this name; try again later");
}

/* Names that nobody has are not recorded: people type passwords into the wrong field. */
static void note_failure(struct request *request, const struct accounts_call *call,
                         const char *username, enum sign_in_outcome outcome)
{
    struct person person;
    bool is_known = !person_find(call, username, &person);
    const char *name = is_known ? person.username : "unknown";
    const char *reason = outcome == SIGN_IN_LOCKED ? "locked" : "password";

    metric_add(request->server->metrics, SERVICE_METRIC_REFUSED, &reason, 1);
    service_audit(request, name, outcome == SIGN_IN_LOCKED ? "sign_in_locked" : "sign_in_failed",
                  arena_print(request->arena, "person:%s", name), NULL);
}

enum error session_begin_handle(struct request *request, struct reply *reply)
{
    const struct credentials *credentials = request->body;
    const struct sign_in_rules rules = service_sign_in_rules(request);
    const struct sign_in_attempt attempt = {credentials->username, credentials->password,
                                            request->client.network, exposure_is_local(request)};
    struct person *person = ARENA_NEW(request->arena, struct person);
    enum sign_in_outcome outcome;
    struct accounts_call call;
    int64_t retry_after;
    enum error error = service_call(request, &call);

    if (error)
        return error;
    error = sign_in_check(&call, &rules, &attempt, &outcome, person, &retry_after);
    if (!error && outcome != SIGN_IN_ACCEPTED)
        note_failure(request, &call, credentials->username, outcome);
    if (!error)
        error = session_refuse(request, reply, outcome, retry_after);
    return error ? error : session_answer(request, reply, person, "password");
}

/* The provider's page of sign-out, for a session that began there; NULL = there is none. */
static enum error find_provider_sign_out(struct request *request, const struct accounts_call *call,
                                         const char **address)
{
    struct oidc_client *client = service_oidc(request);
    const char *source = NULL;
    enum error error =
        client ? session_source(call, service_session_id(request), &source) : ERROR_NONE;

    *address = !error && source && strcmp(source, "oidc") == 0
                   ? oidc_client_sign_out(
                         client, request->arena,
                         arena_print(request->arena, "%s/sign-in", service_portal(request)))
                   : NULL;
    return error;
}

enum error session_end_handle(struct request *request, struct reply *reply)
{
    const struct sign_out_query *query = request->query;
    const struct person *person = service_person(request);
    struct signed_out *signed_out = ARENA_NEW(request->arena, struct signed_out);
    struct accounts_call call;
    int64_t tokens_ended = 0;
    enum error error = service_call(request, &call);

    if (!error)
        error = find_provider_sign_out(request, &call, &signed_out->provider_sign_out);
    if (!error && query->everywhere && query->end_tokens)
        error = personal_token_delete_all(&call, person->id, &tokens_ended);
    if (!error && query->everywhere)
        error = session_end_all(&call, person->id, NULL);
    else if (!error)
        error = session_end(&call, person->id, service_session_id(request));
    if (error && error != ERROR_NOT_FOUND)
        return error;
    service_audit(request, NULL, query->everywhere ? "sign_out_everywhere" : "sign_out",
                  arena_print(request->arena, "person:%s", person->username),
                  personal_tokens_deleted_text(request->arena, tokens_ended));
    service_forget_cookie(request, reply);
    reply->object = signed_out;
    return ERROR_NONE;
}
