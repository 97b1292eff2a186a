/*
 * A person lets a program in. The page of consent asks what a request means, and sends the person's
 * decision; the browser then goes where the answer says. Nothing is ever sent to an address that
 * the program has not registered, and to a registered one only after the person has decided: anyone
 * may register any address.
 */
#include "accounts-people/oauth.h"

#include "accounts/oauth_clients.h"
#include "accounts/oauth_grants.h"
#include "accounts/oauth_redirect.h"
#include "accounts/oauth_resource.h"

#include <ctype.h>
#include <string.h>

enum { STATE_MAX = 2000, SCOPE_MAX = 500, WORD_MAX = 200 };

/* A request of a program (RFC 6749 section 4.1.1), and what the person says to it. */
struct oauth_question {
    const char *client_id, *redirect_uri, *response_type, *code_challenge, *code_challenge_method,
        *scope, *state, *resource;
    bool allow, write;
};

#define QUESTION_ROWS                                                                              \
    STRING(OWNER, client_id, .required = true, .min_length = 1,                                    \
           .max_length = OAUTH_CLIENT_ID_MAX),                                                     \
        STRING(OWNER, redirect_uri, .required = true, .min_length = 1,                             \
               .max_length = OAUTH_REDIRECT_MAX),                                                  \
        STRING(OWNER, response_type, .nullable = true, .max_length = WORD_MAX, .help = "code."),   \
        STRING(OWNER, code_challenge, .nullable = true, .max_length = WORD_MAX),                   \
        STRING(OWNER, code_challenge_method, .nullable = true, .max_length = WORD_MAX,             \
               .help = "S256."),                                                                   \
        STRING(OWNER, scope, .nullable = true, .max_length = SCOPE_MAX,                            \
               .help = "`read`, or `read write`; the person may allow less."),                     \
        STRING(OWNER, state, .nullable = true, .max_length = STATE_MAX),                           \
        STRING(OWNER, resource, .nullable = true, .max_length = OAUTH_RESOURCE_MAX,                \
               .help = "The address that tokens are wanted for (RFC 8707): /mcp of the suite or "  \
                       "of a service.")

#define OWNER struct oauth_question
static const struct field question_fields[] = {QUESTION_ROWS};
static const struct field decision_fields[] = {
    QUESTION_ROWS,
    BOOLEAN(OWNER, allow, .required = true),
    BOOLEAN(OWNER, write, .help = "Let it change what the person may change; else it only reads."),
};
#undef OWNER
SCHEMA(oauth_question_schema, struct oauth_question, "OauthQuestion", question_fields);
SCHEMA(oauth_decision_schema, struct oauth_question, "OauthDecision", decision_fields,
       .example = "{\"client_id\":\"00000000-0000-4000-8000-000000000000\","
                  "\"redirect_uri\":\"http://127.0.0.1/callback\",\"allow\":false}");

struct oauth_asked {
    const char *client_name;
    const char *redirect_to; /* as it is shown */
    const char *resource, *bound_to;
    bool may_write;
    const char *error, *error_description;
    const char *return_to;
};

#define OWNER struct oauth_asked
static const struct field asked_fields[] = {
    STRING(OWNER, client_name, .help = "What the program says of itself: nobody has checked it."),
    STRING(OWNER, redirect_to, .help = "Host or scheme that the browser goes to."),
    STRING(OWNER, resource, .nullable = true),
    STRING(OWNER, bound_to, .nullable = true, .help = "`suite`, or a service."),
    BOOLEAN(OWNER, may_write, .help = "The program would take more than reading."),
    STRING(OWNER, error, .nullable = true, .help = "The request cannot be granted."),
    STRING(OWNER, error_description, .nullable = true),
    STRING(OWNER, return_to, .nullable = true,
           .help = "With `error`: where the program waits for it."),
};
#undef OWNER
SCHEMA(oauth_asked_schema, struct oauth_asked, "OauthAsked", asked_fields);

struct oauth_decided {
    const char *redirect_to;
};

#define OWNER struct oauth_decided
static const struct field decided_fields[] = {
    STRING(OWNER, redirect_to, .help = "Where the browser goes now."),
};
#undef OWNER
SCHEMA(oauth_decided_schema, struct oauth_decided, "OauthDecided", decided_fields);

static bool is_challenge(const char *text)
{
    size_t length = text ? strlen(text) : 0;

    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)text[i]) && text[i] != '-' && text[i] != '_')
            return false;
    return length == OAUTH_CHALLENGE_TEXT;
}

static bool is(const char *text, const char *wanted)
{
    return text && strcmp(text, wanted) == 0;
}

/* The client, and that it may send the browser to this address: without both, no error goes there.
 */
static enum error find_client(struct request *request, const struct accounts_call *call,
                              const struct oauth_question *question, struct oauth_client *client)
{
    enum error error = oauth_client_find(call, question->client_id, client);

    if (error || oauth_redirect_is_among(&client->redirect_uris, question->redirect_uri))
        return error;
    return problem_set(&request->problem, ERROR_INVALID, "oauth_redirect_unknown",
                       "redirect_uri is none of those that the program has registered");
}

/* What is wrong with the request; NULL = nothing. */
static const char *find_error(const struct oauth_question *question,
                              const struct oauth_asked *asked, const char **description)
{
    *description = "response_type must be code";
    if (!is(question->response_type, "code"))
        return "unsupported_response_type";
    *description = "PKCE is required: code_challenge with code_challenge_method S256";
    if (!is(question->code_challenge_method, "S256") || !is_challenge(question->code_challenge))
        return "invalid_request";
    *description = "resource must be the address of /mcp of this suite or of one of its services";
    if (!asked->bound_to)
        return "invalid_target";
    *description = "scope must be read, or read write";
    if (question->scope && *question->scope && !oauth_scope_has(question->scope, "read") &&
        !oauth_scope_has(question->scope, "write"))
        return "invalid_scope";
    *description = NULL;
    return NULL;
}

/* Back to the program, with one answer. */
static const char *way_back(const struct request *request, const struct oauth_question *question,
                            const char *name, const char *value)
{
    const char *uri = oauth_redirect_with(request->arena, question->redirect_uri, name, value);

    uri = oauth_redirect_with(request->arena, uri, "state", question->state);
    return oauth_redirect_with(request->arena, uri, "iss", oauth_issuer(request));
}

static enum error read_question(struct request *request, const struct accounts_call *call,
                                const struct oauth_question *question, struct oauth_asked *asked)
{
    struct oauth_client client;
    const char *scope = question->scope ? question->scope : "";
    enum error error = find_client(request, call, question, &client);

    if (error)
        return error;
    *asked = (struct oauth_asked){
        .client_name = client.name,
        .redirect_to = oauth_redirect_shown(request->arena, question->redirect_uri),
        .resource = question->resource,
        .bound_to = question->resource
                        ? oauth_resource_service(request->arena, oauth_resources(request),
                                                 question->resource)
                        : NULL,
        .may_write = !*scope || oauth_scope_has(scope, "write")};
    asked->error = find_error(question, asked, &asked->error_description);
    if (asked->error)
        asked->return_to = way_back(request, question, "error", asked->error);
    return ERROR_NONE;
}

enum error oauth_question_handle(struct request *request, struct reply *reply)
{
    struct oauth_asked *asked = ARENA_NEW(request->arena, struct oauth_asked);
    struct accounts_call call;
    enum error error = service_call(request, &call);

    if (!error)
        error = read_question(request, &call, request->query, asked);
    reply->object = asked;
    return error;
}

static enum error allow(struct request *request, const struct accounts_call *call,
                        const struct oauth_question *question, const struct oauth_asked *asked,
                        const char **code)
{
    const struct oauth_consent consent = {.client_id = question->client_id,
                                          .person_id = service_person(request)->id,
                                          .redirect_uri = question->redirect_uri,
                                          .challenge = question->code_challenge,
                                          .resource = question->resource,
                                          .bound_to = asked->bound_to,
                                          .read_only = !question->write};

    if (question->write && !asked->may_write)
        return problem_set(&request->problem, ERROR_INVALID, "invalid_scope",
                           "the program has asked to read only");
    return oauth_grant_begin(call, &service_settings(request)->oauth, &consent, code);
}

enum error oauth_decision_handle(struct request *request, struct reply *reply)
{
    const struct oauth_question *question = request->body;
    struct oauth_decided *decided = ARENA_NEW(request->arena, struct oauth_decided);
    struct oauth_asked asked;
    struct accounts_call call;
    const char *code = NULL;
    enum error error = service_call(request, &call);

    if (!error)
        error = read_question(request, &call, question, &asked);
    if (!error && asked.error)
        error = problem_set(&request->problem, ERROR_INVALID, asked.error, "%s",
                            asked.error_description);
    if (!error && question->allow)
        error = allow(request, &call, question, &asked, &code);
    if (error)
        return error;
    service_audit(request, NULL, code ? "program_let_in" : "program_refused",
                  arena_print(request->arena, "person:%s", service_person(request)->username),
                  arena_print(request->arena, "%s (%s): %s", asked.client_name, asked.redirect_to,
                              question->write ? "read and write" : "read"));
    decided->redirect_to = code ? way_back(request, question, "code", code)
                                : way_back(request, question, "error", "access_denied");
    reply->object = decided;
    return ERROR_NONE;
}
