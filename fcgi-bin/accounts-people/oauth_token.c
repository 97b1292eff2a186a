/* Codes and refresh tokens become tokens (RFC 6749), and tokens are revoked (RFC 7009). Errors are
 * in the form of these standards (wire_format.c). */
#include "accounts-people/oauth.h"

#include "accounts/oauth_clients.h"
#include "accounts/oauth_grants.h"
#include "accounts/people.h"

#include <string.h>

struct oauth_token {
    const char *access_token, *token_type;
    int64_t expires_in;
    const char *refresh_token, *scope;
};

#define OWNER struct oauth_token
static const struct field token_fields[] = {
    STRING(OWNER, access_token, .secret = true),
    STRING(OWNER, token_type, .help = "Bearer."),
    INTEGER(OWNER, expires_in, .help = "Seconds."),
    STRING(OWNER, refresh_token, .secret = true, .help = "For one use."),
    STRING(OWNER, scope, .help = "`read`, or `read write`."),
};
#undef OWNER
SCHEMA(oauth_token_schema, struct oauth_token, "OauthToken", token_fields);

struct oauth_revoked {
    bool active;
};

#define OWNER struct oauth_revoked
static const struct field revoked_fields[] = {
    BOOLEAN(OWNER, active, .help = "Always false: the token counts no more, or never did."),
};
#undef OWNER
SCHEMA(oauth_revoked_schema, struct oauth_revoked, "OauthRevoked", revoked_fields);

static enum error missing(struct request *request, const char *name)
{
    return problem_set(&request->problem, ERROR_INVALID, "invalid_request", "%s is missing", name);
}

/* Whose grant it was, in the audit log. */
static void note(struct request *request, const struct accounts_call *call, const char *person_id,
                 const char *action, const char *detail)
{
    struct problem kept = request->problem;
    struct person person;

    if (!person_id || person_read(call, person_id, &person))
        person.username = "unknown";
    request->problem = kept;
    service_audit(request, person.username, action,
                  arena_print(request->arena, "person:%s", person.username), detail);
}

/* Programs have no secret, but must be registered. */
static enum error check_client(struct request *request, const struct accounts_call *call,
                               const char *client_id)
{
    struct oauth_client client;
    enum error error = client_id ? oauth_client_find(call, client_id, &client) : ERROR_NOT_FOUND;

    if (error != ERROR_NOT_FOUND)
        return error;
    return client_id ? problem_set(&request->problem, ERROR_INVALID, "invalid_client",
                                   "no program is registered under this client_id")
                     : missing(request, "client_id");
}

static enum error exchange_code(struct request *request, const struct accounts_call *call,
                                const struct oauth_exchange *exchange, struct oauth_tokens *tokens)
{
    if (!exchange->code)
        return missing(request, "code");
    if (!exchange->verifier)
        return missing(request, "code_verifier");
    return oauth_grant_exchange(call, &service_settings(request)->oauth, exchange, tokens);
}

static enum error exchange_any(struct request *request, const struct accounts_call *call,
                               const char *type, struct oauth_tokens *tokens)
{
    struct oauth_exchange exchange = {.client_id = request_form_value(request, "client_id"),
                                      .resource = request_form_value(request, "resource"),
                                      .code = request_form_value(request, "code"),
                                      .redirect_uri = request_form_value(request, "redirect_uri"),
                                      .verifier = request_form_value(request, "code_verifier"),
                                      .scope = request_form_value(request, "scope")};
    enum error error = check_client(request, call, exchange.client_id);

    if (error)
        return error;
    if (strcmp(type, "authorization_code") == 0) {
        exchange.scope = NULL;
        return exchange_code(request, call, &exchange, tokens);
    }
    exchange.refresh_token = request_form_value(request, "refresh_token");
    return exchange.refresh_token
               ? oauth_grant_refresh(call, &service_settings(request)->oauth, &exchange, tokens)
               : missing(request, "refresh_token");
}

enum error oauth_token_handle(struct request *request, struct reply *reply)
{
    const char *type = request_form_value(request, "grant_type");
    struct oauth_token *answer = ARENA_NEW(request->arena, struct oauth_token);
    struct oauth_tokens tokens = {0};
    struct accounts_call call;
    enum error error;

    if (!type)
        return missing(request, "grant_type");
    if (strcmp(type, "authorization_code") != 0 && strcmp(type, "refresh_token") != 0)
        return problem_set(&request->problem, ERROR_INVALID, "unsupported_grant_type",
                           "grant_type must be authorization_code or refresh_token");
    error = service_call(request, &call);
    if (!error)
        error = exchange_any(request, &call, type, &tokens);
    if (tokens.ended)
        note(request, &call, tokens.person_id, "program_ended", tokens.ended);
    if (error)
        return error;
    *answer = (struct oauth_token){.access_token = tokens.access,
                                   .token_type = "Bearer",
                                   .expires_in = tokens.access_seconds,
                                   .refresh_token = tokens.refresh,
                                   .scope = tokens.read_only ? "read" : "read write"};
    reply->object = answer;
    return ERROR_NONE;
}

/* An unknown token is no error: it counts no more, which is what the program wants. */
enum error oauth_revoke_handle(struct request *request, struct reply *reply)
{
    const char *token = request_form_value(request, "token");
    const char *client_id = request_form_value(request, "client_id"), *person_id;
    struct accounts_call call;
    enum error error;

    if (!token)
        return missing(request, "token");
    error = service_call(request, &call);
    if (!error)
        error = check_client(request, &call, client_id);
    if (!error)
        error = oauth_grant_revoke(&call, client_id, token, &person_id);
    if (error)
        return error;
    if (person_id)
        note(request, &call, person_id, "program_ended", "revoked by the program");
    reply->object = ARENA_NEW(request->arena, struct oauth_revoked);
    return ERROR_NONE;
}
