/* Sessions, password and personal tokens of the person who is signed in. */
#include "accounts-people/own.h"

#include "accounts-people/session.h"
#include "accounts/people.h"
#include "accounts/tokens.h"
#include "base/clock.h"
#include "http/exposure.h"

enum { EXPIRY_DAYS_MAX = 3650 };

struct sessions {
    OBJECT_LIST(struct person_session, sessions);
};

#define OWNER struct sessions
static const struct field sessions_fields[] = {OBJECTS(OWNER, sessions, person_session_schema)};
#undef OWNER
SCHEMA(sessions_schema, struct sessions, "Sessions", sessions_fields);

struct password_change {
    const char *current;
    const char *wanted;
    bool end_tokens;
};

#define OWNER struct password_change
static const struct field password_fields[] = {
    STRING(OWNER, current, .required = true, .min_length = 1, .max_length = PASSWORD_MAX,
           .secret = true),
    {.name = "new",
     .type = FIELD_STRING,
     .offset = FIELD_OFFSET(OWNER, wanted, const char *),
     .required = true,
     .min_length = PASSWORD_MIN,
     .max_length = PASSWORD_MAX,
     .secret = true},
    BOOLEAN(OWNER, end_tokens, .default_value = true,
            .help = "Deletes the personal tokens too: whoever knew the old password may have made "
                    "some."),
};
#undef OWNER
SCHEMA(password_change_schema, struct password_change, "PasswordChange", password_fields,
       .example = "{\"current\":\"the one until now\",\"new\":\"a longer new one\","
                  "\"end_tokens\":true}");

struct tokens {
    OBJECT_LIST(struct personal_token, tokens);
};

#define OWNER struct tokens
static const struct field tokens_fields[] = {OBJECTS(OWNER, tokens, personal_token_schema)};
#undef OWNER
SCHEMA(tokens_schema, struct tokens, "PersonalTokens", tokens_fields);

struct token_request {
    const char *name;
    struct optional_integer expires_in_days;
    bool read_only;
};

#define OWNER struct token_request
static const struct field token_request_fields[] = {
    STRING(OWNER, name, .required = true, .min_length = 1, .max_length = TOKEN_NAME_MAX),
    NULLABLE_INTEGER(OWNER, expires_in_days, .lower = AT_LEAST(1),
                     .upper = AT_MOST(EXPIRY_DAYS_MAX), .help = "It never expires when null."),
    BOOLEAN(OWNER, read_only, .help = "For GET, HEAD and OPTIONS only."),
};
#undef OWNER
SCHEMA(token_request_schema, struct token_request, "PersonalTokenRequest", token_request_fields,
       .example = "{\"name\":\"nightly export\",\"expires_in_days\":90,\"read_only\":true}");

struct created_token {
    const char *token;
    const char *id, *name, *prefix;
    int64_t created_at, expires_at;
    bool read_only;
};

#define OWNER struct created_token
static const struct field created_fields[] = {
    STRING(OWNER, token, .secret = true, .help = "Shown here and never again."),
    STRING(OWNER, id),
    STRING(OWNER, name),
    STRING(OWNER, prefix),
    TIME(OWNER, created_at, .time = TIME_Z),
    TIME_OR_NULL(OWNER, expires_at, .time = TIME_Z),
    BOOLEAN(OWNER, read_only),
};
#undef OWNER
SCHEMA(created_token_schema, struct created_token, "CreatedPersonalToken", created_fields);

static const char *own_resource(const struct request *request)
{
    return arena_print(request->arena, "person:%s", service_person(request)->username);
}

enum error sessions_handle(struct request *request, struct reply *reply)
{
    struct sessions *answer = ARENA_NEW(request->arena, struct sessions);
    struct accounts_call call;
    enum error error = service_call(request, &call);

    if (!error)
        error = session_list_of(&call, service_person(request)->id, service_session_id(request),
                                &answer->sessions);
    reply->object = answer;
    return error;
}

enum error sessions_delete_handle(struct request *request, struct reply *reply)
{
    struct accounts_call call;
    enum error error = service_call(request, &call);

    if (!error)
        error = session_end(&call, service_person(request)->id, request->arguments[0]);
    if (error)
        return error;
    service_audit(request, NULL, "session_ended", own_resource(request), NULL);
    reply->status = 204;
    return ERROR_NONE;
}

enum error password_handle(struct request *request, struct reply *reply)
{
    const struct password_change *change = request->body;
    const struct person *person = service_person(request);
    const struct sign_in_rules rules = service_sign_in_rules(request);
    const struct sign_in_attempt attempt = {person->username, change->current,
                                            request->client.network, exposure_is_local(request)};
    const struct password_setting setting = {.person_id = person->id,
                                             .password = change->wanted,
                                             .kept_session = service_session_id(request),
                                             .ends_tokens = change->end_tokens};
    enum sign_in_outcome outcome;
    struct accounts_call call;
    int64_t retry_after, tokens_ended;
    enum error error = service_call(request, &call);

    if (error)
        return error;
    if (sign_in_is_by_settings(rules.administrator, person, request->arena))
        return problem_set(&request->problem, ERROR_CONFLICT, "password_in_settings",
                           "This password is ADMIN_PASSWORD_HASH of the settings; change it there");
    error = sign_in_confirm(&call, &rules, person, &attempt, &outcome, &retry_after);
    if (!error)
        error = session_refuse(request, reply, outcome, retry_after);
    if (!error)
        error = person_set_password(&call, &setting, &tokens_ended);
    if (error)
        return error;
    service_audit(request, NULL, "password_changed", own_resource(request),
                  personal_tokens_deleted_text(request->arena, tokens_ended));
    reply->status = 204;
    return ERROR_NONE;
}

enum error tokens_handle(struct request *request, struct reply *reply)
{
    struct tokens *answer = ARENA_NEW(request->arena, struct tokens);
    struct accounts_call call;
    enum error error = service_call(request, &call);

    if (!error)
        error = personal_token_list(&call, service_person(request)->id, &answer->tokens);
    reply->object = answer;
    return error;
}

enum error token_add_handle(struct request *request, struct reply *reply)
{
    const struct token_request *wanted = request->body;
    struct created_token *answer = ARENA_NEW(request->arena, struct created_token);
    struct new_token new_token = {.person_id = service_person(request)->id,
                                  .name = wanted->name,
                                  .read_only = wanted->read_only};
    struct personal_token token;
    struct accounts_call call;
    enum error error = service_call(request, &call);

    if (wanted->expires_in_days.given)
        new_token.expires_at =
            clock_unix_microseconds() + wanted->expires_in_days.value * 86400 * INT64_C(1000000);
    if (!error)
        error = personal_token_add(&call, &new_token, &token, &answer->token);
    if (error)
        return error;
    *answer =
        (struct created_token){answer->token,    token.id,         token.name,     token.prefix,
                               token.created_at, token.expires_at, token.read_only};
    service_audit(request, NULL, "token_added", own_resource(request), token.name);
    reply->object = answer;
    reply->status = 201;
    return ERROR_NONE;
}

enum error token_delete_handle(struct request *request, struct reply *reply)
{
    struct accounts_call call;
    enum error error = service_call(request, &call);

    if (!error)
        error = personal_token_delete(&call, service_person(request)->id, request->arguments[0]);
    if (error)
        return error;
    service_audit(request, NULL, "token_deleted", own_resource(request), NULL);
    reply->status = 204;
    return ERROR_NONE;
}
