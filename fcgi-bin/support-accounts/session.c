/* Signing in and out. Tokens go into the answer for programs and into cookies for pages. */
#include "support-accounts/session.h"
#include "base/clock.h"
#include "crypto/jwt.h"
#include "http/cookie.h"
#include "support/figures.h"
#include "support/service.h"

#include <string.h>

struct login {
    const char *username;
    const char *password;
};

#define OWNER struct login
static const struct field login_fields[] = {
    STRING(OWNER, username, .required = true, .max_length = 100),
    STRING(OWNER, password, .required = true, .max_length = 200, .secret = true),
};
#undef OWNER
SCHEMA(login_schema, struct login, "LoginRequest", login_fields,
       .example = "{\"username\":\"admin\",\"password\":\"admin\"}");

struct refresh {
    const char *refresh_token;
};

#define OWNER struct refresh
static const struct field refresh_fields[] = {
    STRING(OWNER, refresh_token, .required = true, .min_length = 1, .max_length = 4096,
           .secret = true),
};
#undef OWNER
SCHEMA(refresh_schema, struct refresh, "RefreshRequest", refresh_fields,
       .example = "{\"refresh_token\":\"a.b.c\"}");

#define OWNER struct token_pair
static const struct field tokens_fields[] = {
    STRING(OWNER, access_token),
    STRING(OWNER, refresh_token),
    STRING(OWNER, token_type),
};
#undef OWNER
SCHEMA(tokens_schema, struct token_pair, "Tokens", tokens_fields);

struct done {
    const char *status;
};

#define OWNER struct done
static const struct field done_fields[] = {STRING(OWNER, status)};
#undef OWNER
SCHEMA(done_schema, struct done, "Done", done_fields);

static void set_cookie(struct request *request, struct reply *reply, const char *name,
                       const char *token, int64_t seconds)
{
    bool production = service_settings(request)->environment == SUPPORT_PRODUCTION;

    reply_set_cookie(request, reply,
                     &(struct cookie){.name = name,
                                      .value = token,
                                      .max_age = seconds,
                                      .same_site = SAME_SITE_STRICT,
                                      .secure = production});
}

static enum error give_tokens(struct request *request, struct reply *reply,
                              const struct account *account)
{
    const struct support_settings *settings = service_settings(request);
    struct token_pair *tokens = ARENA_NEW(request->arena, struct token_pair);

    *tokens = service_issue_tokens(request, account);
    set_cookie(request, reply, "access_token", tokens->access_token, settings->jwt_access_ttl);
    set_cookie(request, reply, "refresh_token", tokens->refresh_token, settings->jwt_refresh_ttl);
    reply->object = tokens;
    return ERROR_NONE;
}

static enum error say_done(struct request *request, struct reply *reply)
{
    struct done *done = ARENA_NEW(request->arena, struct done);

    done->status = "ok";
    reply->object = done;
    return ERROR_NONE;
}

/* {"reason":...,"tenant":...} */
static const char *detail(struct request *request, const char *reason, const char *tenant)
{
    struct text text;
    struct json_writer writer;

    text_start(&text, request->arena, 1024);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    if (reason)
        writer_key_string(&writer, "reason", reason);
    writer_key_string(&writer, "tenant", tenant);
    writer_close_object(&writer);
    return text.bytes;
}

enum error login_handle(struct request *request, struct reply *reply)
{
    const struct login *login = request->body;
    struct account account = {0};
    bool accepted = false;
    const char *reason;
    struct db *db;
    enum error error = service_database(request, &db);

    if (!error)
        error = account_sign_in(db, request->arena, service_settings(request), login->username,
                                login->password, &account, &accepted, &reason, &request->problem);
    if (error)
        return error;
    request->who.subject = accepted ? account.subject : *login->username ? login->username : NULL;
    request->who.tenant = accepted ? account.tenant : "default";
    if (!accepted) {
        metric_add(request->server->metrics, FIGURE_AUTH_FAILURES, &reason, 1);
        service_audit(request, "login_failed", "auth",
                      detail(request, reason, request->who.tenant));
        return problem_set(&request->problem, ERROR_FORBIDDEN, "credentials_refused",
                           "Invalid credentials");
    }
    service_audit(request, "login", "auth", detail(request, NULL, account.tenant));
    return give_tokens(request, reply, &account);
}

enum error refresh_handle(struct request *request, struct reply *reply)
{
    const struct refresh *refresh = request->body;
    struct account account;
    struct db *db;
    bool may = false;
    enum error error =
        service_read_token(request, refresh->refresh_token, "refresh", &account, NULL);

    if (!error)
        error = service_database(request, &db);
    if (!error)
        error = account_may_stay(db, service_settings(request), account.subject, &may,
                                 &request->problem);
    if (error == ERROR_FORBIDDEN || (!error && !may))
        return problem_set(&request->problem, ERROR_FORBIDDEN, "token_refused",
                           "Invalid or expired refresh token");
    return error ? error : give_tokens(request, reply, &account);
}

static const char *shown_token(const struct request *request)
{
    const char *header = request_header(request, "HTTP_AUTHORIZATION");

    return header && strncmp(header, "Bearer ", 7) == 0 ? header + 7 : NULL;
}

enum error session_handle(struct request *request, struct reply *reply)
{
    const char *token = shown_token(request);
    struct account account;
    enum error error;

    if (!token)
        return problem_set(&request->problem, ERROR_FORBIDDEN, "credentials_refused",
                           "Bearer access token required");
    error = service_read_token(request, token, "access", &account, NULL);
    if (error)
        return error;
    set_cookie(request, reply, "access_token", token, service_settings(request)->jwt_access_ttl);
    return say_done(request, reply);
}

/* What was not valid any more need not be given back. */
static enum error give_back(struct request *request, const char *token, const char *type)
{
    struct account account;
    json_t *claims;
    const char *id;
    struct db *db;
    enum error error;

    if (!token)
        return ERROR_NONE;
    error = service_read_token(request, token, type, &account, &claims);
    if (error)
        return error == ERROR_FORBIDDEN ? ERROR_NONE : error;
    id = jwt_text(claims, "jti");
    error = service_database(request, &db);
    if (error || !id)
        return error;
    return token_revoke(db, id, (int64_t)json_number_value(json_object_get(claims, "exp")),
                        clock_unix_microseconds() / 1000000, &request->problem);
}

enum error logout_handle(struct request *request, struct reply *reply)
{
    const char *access = shown_token(request);
    bool own_page = request_is_of_own_page(request);
    enum error error;

    if (!access && own_page)
        access = request_cookie(request, "access_token");
    error = give_back(request, access, "access");
    if (!error && own_page)
        error = give_back(request, request_cookie(request, "refresh_token"), "refresh");
    if (error)
        return error;
    set_cookie(request, reply, "access_token", "", 0);
    set_cookie(request, reply, "refresh_token", "", 0);
    return say_done(request, reply);
}
