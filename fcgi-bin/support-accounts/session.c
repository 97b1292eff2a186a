/* Signing in and out. Tokens go into the answer for programs and into cookies for pages. */
#include "support-accounts/session.h"
#include "accounts/sessions.h"
#include "base/clock.h"
#include "crypto/digest.h"
#include "crypto/jwt.h"
#include "http/cookie.h"
#include "http/exposure.h"
#include "http/people.h"
#include "support/metrics.h"
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

static void set_cookie(struct request *request, struct reply *reply, enum same_site same_site,
                       const char *name, const char *token, int64_t seconds)
{
    bool production = service_settings(request)->environment == SUPPORT_PRODUCTION;

    reply_set_cookie(request, reply,
                     &(struct cookie){.name = name,
                                      .value = token,
                                      .max_age = seconds,
                                      .same_site = same_site,
                                      .secure = production});
}

static enum error give_tokens(struct request *request, struct reply *reply,
                              const struct token_pair *given, enum same_site same_site)
{
    const struct support_settings *settings = service_settings(request);
    struct token_pair *tokens = ARENA_NEW(request->arena, struct token_pair);

    *tokens = *given;
    set_cookie(request, reply, same_site, "access_token", tokens->access_token,
               settings->jwt_access_ttl);
    set_cookie(request, reply, same_site, "refresh_token", tokens->refresh_token,
               settings->jwt_refresh_ttl);
    reply->object = tokens;
    return ERROR_NONE;
}

enum error session_give_tokens(struct request *request, struct reply *reply,
                               const struct account *account, enum same_site same_site)
{
    struct token_pair tokens = service_issue_tokens(request, account, NULL);
    struct db *db;
    enum error error = service_database(request, &db);

    if (!error)
        error = family_start(db, &tokens.family, clock_unix_seconds(), &request->problem);
    return error ? error : give_tokens(request, reply, &tokens, same_site);
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

/* The administrator of the settings signs in also while the account store is unavailable. */
static enum error check_password(struct request *request, const struct login *login,
                                 struct signed_in *signed_in)
{
    const struct support_settings *settings = service_settings(request);
    const struct sign_in_attempt attempt = {.username = login->username,
                                            .password = login->password,
                                            .network = request->client.network,
                                            .is_local = exposure_is_local(request) &&
                                                        request_is_of_own_page(request)};
    const struct problem problem = request->problem;
    struct accounts_call people;
    enum error error = request_accounts(request, &people);

    if (!error)
        error = account_sign_in(&people, settings, &attempt, signed_in, &request->problem);
    if (!error || !account_is_administrator(settings, login->username))
        return error;
    request->problem = problem;
    return account_sign_in(NULL, settings, &attempt, signed_in, &request->problem);
}

static enum error refuse_sign_in(struct request *request, struct reply *reply,
                                 const struct signed_in *signed_in)
{
    bool is_locked = signed_in->outcome == SIGN_IN_LOCKED;
    const char *reason = is_locked ? "locked" : signed_in->reason;

    metric_add(request->server->metrics, METRIC_AUTH_FAILURES, &reason, 1);
    service_audit(request, "login_failed", "auth", detail(request, reason, request->who.tenant));
    if (!is_locked)
        return problem_set(&request->problem, ERROR_FORBIDDEN, "credentials_refused",
                           "Invalid credentials");
    reply_add_header(reply, "Retry-After",
                     arena_print(request->arena, "%lld", (long long)signed_in->retry_after));
    return problem_set(&request->problem, ERROR_FORBIDDEN, "sign_in_locked",
                       "Too many failed attempts; try again later");
}

enum error login_handle(struct request *request, struct reply *reply)
{
    const struct login *login = request->body;
    struct signed_in signed_in = {0};
    const struct account *account = &signed_in.account;
    bool accepted;
    struct db *db;
    enum error error = service_database(request, &db);

    if (!error)
        error = check_password(request, login, &signed_in);
    if (error)
        return error;
    accepted = signed_in.outcome == SIGN_IN_ACCEPTED;
    request->who.subject = accepted ? account->subject : *login->username ? login->username : NULL;
    request->who.tenant = accepted ? account->tenant : "default";
    if (!accepted)
        return refuse_sign_in(request, reply, &signed_in);
    service_audit(request, "login", "auth", detail(request, NULL, account->tenant));
    return session_give_tokens(request, reply, account, SAME_SITE_STRICT);
}

/* A token that is no member of a family is known by its `jti`, or by its digest. */
static enum error revoke_single(struct request *request, struct db *db, const char *token,
                                const json_t *claims, bool *first)
{
    const char *id = jwt_text(claims, "jti");
    char digest[DIGEST_SHA256_TEXT];

    digest_sha256_hex(token, strlen(token), digest);
    return token_revoke(db, id ? id : digest,
                        (int64_t)json_number_value(json_object_get(claims, "exp")),
                        clock_unix_seconds(), first, &request->problem);
}

/* Exchanges a refresh token, which is valid once, for a pair. `renewed` false: it was used
 * before. */
static enum error exchange(struct request *request, struct db *db, const char *token,
                           const json_t *claims, const struct account *account,
                           struct token_pair *tokens, bool *renewed)
{
    const char *family = jwt_text(claims, "fid"), *id = jwt_text(claims, "jti");
    enum error error;

    *tokens = service_issue_tokens(request, account, family);
    if (family)
        return family_renew(db, &tokens->family, id ? id : "", renewed, &request->problem);
    error = db_begin(db, DB_WRITE, &request->problem);
    if (error)
        return error;
    error = revoke_single(request, db, token, claims, renewed);
    if (!error && *renewed)
        error = family_start(db, &tokens->family, clock_unix_seconds(), &request->problem);
    return db_finish(db, error, &request->problem);
}

static enum error refuse_reused(struct request *request, const struct account *account)
{
    static const char *const reason = "refresh_token_reused";

    request->who.subject = account->subject;
    request->who.tenant = account->tenant;
    metric_add(request->server->metrics, METRIC_AUTH_FAILURES, &reason, 1);
    service_audit(request, "session_ended", "auth", detail(request, reason, account->tenant));
    return problem_set(&request->problem, ERROR_FORBIDDEN, "token_refused",
                       "Invalid or expired refresh token");
}

/* Whether the person may go on, with the role and the tenant of now. The administrator of the
 * settings may also while the account store is unavailable. */
static enum error may_stay(struct request *request, const json_t *claims, struct account *account,
                           bool *may)
{
    const struct support_settings *settings = service_settings(request);
    bool by_settings = account_is_administrator(settings, account->subject);
    struct named_person named = {0};
    struct problem problem = request->problem;
    struct accounts_call people;
    enum error error = request_accounts(request, &people);

    if (!error)
        error = person_named(&people, account->subject, &named);
    if (error && !by_settings)
        return error;
    request->problem = problem;
    *may = (by_settings || named.person) &&
           account_update(settings, &named, json_number_value(json_object_get(claims, "iat")),
                          account) &&
           account->role != SUPPORT_NOBODY;
    return ERROR_NONE;
}

enum error refresh_handle(struct request *request, struct reply *reply)
{
    const char *token = ((const struct refresh *)request->body)->refresh_token;
    struct account account;
    struct token_pair tokens;
    struct db *db;
    json_t *claims;
    bool may = false, renewed = false;
    enum error error = service_read_token(request, token, "refresh", &account, &claims);

    if (!error)
        error = service_database(request, &db);
    if (!error)
        error = may_stay(request, claims, &account, &may);
    if (error == ERROR_FORBIDDEN || (!error && !may))
        return problem_set(&request->problem, ERROR_FORBIDDEN, "token_refused",
                           "Invalid or expired refresh token");
    if (!error)
        error = exchange(request, db, token, claims, &account, &tokens, &renewed);
    if (!error && !renewed)
        error = refuse_reused(request, &account);
    return error ? error : give_tokens(request, reply, &tokens, SAME_SITE_STRICT);
}

enum error session_handle(struct request *request, struct reply *reply)
{
    const char *token = request_bearer(request);
    struct account account;
    enum error error;

    if (!token)
        return problem_set(&request->problem, ERROR_FORBIDDEN, "credentials_refused",
                           "Bearer access token required");
    error = service_read_access_token(request, token, &account);
    if (error)
        return error;
    set_cookie(request, reply, SAME_SITE_STRICT, "access_token", token,
               service_settings(request)->jwt_access_ttl);
    return say_done(request, reply);
}

/* Invalid tokens are ignored. A token of a family revokes the whole family. */
static enum error give_back(struct request *request, const char *token, const char *type)
{
    struct account account;
    json_t *claims;
    const char *family;
    bool first;
    struct db *db;
    enum error error;

    if (!token)
        return ERROR_NONE;
    error = service_read_token(request, token, type, &account, &claims);
    if (error)
        return error == ERROR_FORBIDDEN ? ERROR_NONE : error;
    family = jwt_text(claims, "fid");
    error = service_database(request, &db);
    if (error)
        return error;
    return family ? family_end(db, family, &request->problem)
                  : revoke_single(request, db, token, claims, &first);
}

/* Under the portal the session of the suite ends too. */
static enum error end_session(struct request *request)
{
    struct account_caller caller;
    struct accounts_call call;
    enum error error = request_person(request, NULL, &caller);

    if (error || caller.kind != CALLER_SESSION)
        return error;
    error = request_accounts(request, &call);
    if (!error)
        error = session_end(&call, caller.person->id, caller.id);
    return error == ERROR_NOT_FOUND ? ERROR_NONE : error;
}

enum error logout_handle(struct request *request, struct reply *reply)
{
    const char *access = request_bearer(request);
    bool own_page = request_is_of_own_page(request);
    enum error error = end_session(request);

    if (!access && own_page)
        access = request_cookie(request, "access_token");
    if (!error)
        error = give_back(request, access, "access");
    if (!error && own_page)
        error = give_back(request, request_cookie(request, "refresh_token"), "refresh");
    if (error)
        return error;
    set_cookie(request, reply, SAME_SITE_STRICT, "access_token", "", 0);
    set_cookie(request, reply, SAME_SITE_STRICT, "refresh_token", "", 0);
    return say_done(request, reply);
}
