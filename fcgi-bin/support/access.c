/* Authentication for the support service: signed tokens in a header or a cookie, one key for
 * programs, people of the account store; and the rate limits of some routes. */
#include "accounts/people.h"
#include "base/clock.h"
#include "crypto/digest.h"
#include "crypto/jwt.h"
#include "crypto/token.h"
#include "http/cookie.h"
#include "http/people.h"
#include "support/service_internal.h"

#include <string.h>

enum { CLAIMS_MAX = 2048, VISITOR_CALLS_A_MINUTE = 60 };

struct claims {
    const char *sub, *role, *tenant;
    int64_t exp;
    double iat; /* to the microsecond: tokens from before another moment are refused */
    const char *jti, *fid, *type;
};

#define OWNER struct claims
static const struct field claims_fields[] = {
    STRING(OWNER, sub), STRING(OWNER, role), STRING(OWNER, tenant), INTEGER(OWNER, exp),
    NUMBER(OWNER, iat), STRING(OWNER, jti),  STRING(OWNER, fid),    STRING(OWNER, type)};
#undef OWNER
static SCHEMA(claims_schema, struct claims, "Claims", claims_fields);

static const char *sign(struct request *request, const struct account *account, const char *type,
                        const char *id, const char *family, int64_t lifetime)
{
    int64_t now = clock_unix_seconds();
    const struct claims claims = {.sub = account->subject,
                                  .role = support_role_names[account->role],
                                  .tenant = account->tenant,
                                  .exp = now + lifetime,
                                  .iat = (double)clock_unix_microseconds() / 1e6,
                                  .jti = id,
                                  .fid = family,
                                  .type = type};

    return jwt_sign(request->arena,
                    schema_json(request->arena, CLAIMS_MAX, &claims_schema, &claims),
                    service_settings(request)->jwt_secret);
}

static const char *new_id(struct request *request)
{
    char id[TOKEN_UUID_TEXT];

    token_uuid(id);
    return arena_copy_string(request->arena, id);
}

struct token_pair service_issue_tokens(struct request *request, const struct account *account,
                                       const char *family)
{
    const struct support_settings *settings = service_settings(request);
    int64_t access = settings->jwt_access_ttl, refresh = settings->jwt_refresh_ttl;
    const char *id = new_id(request);

    family = family ? family : new_id(request);
    return (struct token_pair){
        .access_token = sign(request, account, "access", new_id(request), family, access),
        .refresh_token = sign(request, account, "refresh", id, family, refresh),
        .token_type = "bearer",
        .family = {family, id, clock_unix_seconds() + (access > refresh ? access : refresh)}};
}

/* Tokens of a family are valid while the family is. Tokens without a family and a `jti` come from
 * another issuer with the same secret: they cannot be revoked. */
static enum error check_revoked(struct request *request, const json_t *claims)
{
    const char *id = jwt_text(claims, "jti"), *family = jwt_text(claims, "fid");
    bool good = true, revoked = false;
    struct db *db;
    enum error error = id || family ? service_database(request, &db) : ERROR_NONE;

    if (!error && family)
        error = family_is_alive(db, family, &good, &request->problem);
    else if (!error && id)
        error = token_is_revoked(db, id, &revoked, &request->problem);
    if (error || (good && !revoked))
        return error;
    return problem_set(&request->problem, ERROR_FORBIDDEN, "token_refused",
                       "Invalid or expired token");
}

enum error service_read_token(struct request *request, const char *token, const char *type,
                              struct account *account, json_t **claims)
{
    json_t *said;
    const char *tenant, *is;
    enum error error = jwt_verify(request->arena, token, service_settings(request)->jwt_secret,
                                  clock_unix_seconds(), &said, &request->problem);

    if (error)
        return error;
    is = jwt_text(said, "type");
    tenant = jwt_text(said, "tenant");
    *account = (struct account){.subject = jwt_text(said, "sub"),
                                .role = support_role_of(jwt_text(said, "role")),
                                .tenant = tenant ? tenant : "default"};
    if (!is || strcmp(is, type) != 0 || !account->subject || !support_is_tenant(account->tenant))
        return problem_set(&request->problem, ERROR_FORBIDDEN, "token_refused",
                           "Invalid or expired token");
    if (claims)
        *claims = said;
    return check_revoked(request, said);
}

enum error service_read_access_token(struct request *request, const char *token,
                                     struct account *account)
{
    json_t *claims;
    struct named_person named;
    struct problem problem = request->problem;
    enum error error = service_read_token(request, token, "access", account, &claims);

    if (error)
        return error;
    if (request_named_person(request, account->subject, &named)) {
        request->problem = problem;
        return ERROR_NONE;
    }
    if (account_update(service_settings(request), &named,
                       json_number_value(json_object_get(claims, "iat")), account))
        return ERROR_NONE;
    return problem_set(&request->problem, ERROR_FORBIDDEN, "token_refused",
                       "Invalid or expired token");
}

static bool grant(struct request *request, enum support_role role, const char *subject,
                  const char *tenant, const char *source)
{
    request->who = (struct identity){
        .role = (int)role, .subject = subject, .tenant = tenant, .source = source};
    return true;
}

static void note_caller(struct request *request, const char *person_id,
                        const struct string_list *groups)
{
    struct service_caller *caller = ARENA_NEW(request->arena, struct service_caller);

    *caller = (struct service_caller){person_id, *groups};
    request->who.detail = caller;
}

/* A header has priority; a cookie counts only for requests from our own pages, and on the service's
 * own port: under the portal the suite's session takes its place. */
static const char *bearer_token(const struct request *request)
{
    const char *header = request_header(request, "HTTP_AUTHORIZATION");

    if (header && *header)
        return request_bearer(request);
    if (*request_prefix(request) || !request_is_of_own_page(request))
        return NULL;
    return request_cookie(request, "access_token");
}

/* Customers without an account may use the routes of the help page. What they may read is what they
 * know the unguessable id of. */
static bool admit_visitor(struct request *request)
{
    const char *tenant = service_settings(request)->help_visitor_tenant;

    if (!tenant || !request->route || !(request->route->traits & TRAIT_VISITOR))
        return false;
    return grant(request, SUPPORT_VIEWER, SUPPORT_VISITOR, tenant, "visitor");
}

static bool accept_token(struct request *request, const char *token, struct http_refusal *refusal)
{
    struct account account;
    enum error error = service_read_access_token(request, token, &account);

    if (!error) {
        grant(request, account.role, account.subject, account.tenant, "token");
        note_caller(request, NULL, &account.groups);
        return true;
    }
    if (error != ERROR_FORBIDDEN) {
        refusal->answered_by_error = true;
        return false;
    }
    return http_refuse(refusal, 401, "unauthorized", "Invalid or expired token");
}

static bool accept_person(struct request *request, const struct account_caller *found,
                          struct http_refusal *refusal)
{
    const struct person *person = found->person;

    if (!caller_has_own_password(found, refusal))
        return false;
    if (!caller_may_send(found, request))
        return http_refuse(refusal, 403, "forbidden", "This token is read-only");
    grant(request, support_role_of_person(person), person->username, person->tenant,
          found->kind == CALLER_SESSION ? "session" : "personal_token");
    note_caller(request, person->id, &person->groups);
    return true;
}

enum outcome { NOBODY_KNOWN, ADMITTED, REFUSED };

/* Whom `credential`, or the session where it is NULL, names in the account store. */
static enum outcome find_person(struct request *request, const char *credential,
                                struct http_refusal *refusal)
{
    struct account_caller found;

    if (request_person(request, credential, &found)) {
        refusal->answered_by_error = true;
        return REFUSED;
    }
    if (found.kind == CALLER_NONE)
        return NOBODY_KNOWN;
    if (found.person)
        return accept_person(request, &found, refusal) ? ADMITTED : REFUSED;
    http_refuse(refusal, 401, "unauthorized", "Invalid or expired token");
    return REFUSED;
}

enum error service_person_id(struct request *request, const char **id)
{
    const struct service_caller *caller = request->who.detail;
    struct accounts_call people;
    enum error error;

    *id = caller ? caller->person_id : NULL;
    if (*id || !request->who.source || strcmp(request->who.source, "token") != 0)
        return ERROR_NONE;
    error = request_accounts(request, &people);
    return error ? error : account_id(&people, request->who.subject, id);
}

/* Metrics are public, unless the settings restrict them. */
static bool accept_scraper(struct request *request, struct http_refusal *refusal)
{
    const char *token = bearer_token(request);
    const char *key = request_header(request, "HTTP_X_API_KEY"); /* of a person only */
    enum outcome outcome = find_person(request, token ? token : key, refusal);

    if (outcome == REFUSED)
        return false;
    if (outcome == NOBODY_KNOWN && !token)
        return http_refuse(refusal, 401, "unauthorized", "Authorization required");
    if (outcome == NOBODY_KNOWN && !accept_token(request, token, refusal))
        return false;
    if (request->who.role >= SUPPORT_ADMIN)
        return true;
    service_refuse(request, refusal);
    refusal->counts = false; /* the caller is known */
    return false;
}

const char *service_access(const struct route *route)
{
    static const char *const readers[] = {[SUPPORT_NOBODY] = "anybody",
                                          [SUPPORT_VIEWER] = "viewer",
                                          [SUPPORT_AGENT] = "agent",
                                          [SUPPORT_REVIEWER] = "reviewer",
                                          [SUPPORT_ADMIN] = "admin"};
    static const char *const writers[] = {[SUPPORT_NOBODY] = "anybody",
                                          [SUPPORT_VIEWER] = "viewer: change",
                                          [SUPPORT_AGENT] = "agent: change",
                                          [SUPPORT_REVIEWER] = "reviewer: change",
                                          [SUPPORT_ADMIN] = "admin: change"};

    if (route->traits & TRAIT_METRICS)
        return "metrics";
    return route->method == METHOD_GET ? readers[route->role] : writers[route->role];
}

bool service_is_visitor(const struct request *request)
{
    return request->who.source && strcmp(request->who.source, "visitor") == 0;
}

bool service_is_open(const struct request *request)
{
    return support_open_by(service_settings(request)) != NULL && !*request_prefix(request);
}

/* Everybody is the administrator on one's own machine, until a second person has an account. */
static bool accept_anybody(struct request *request, struct http_refusal *refusal)
{
    int64_t people;
    struct accounts_call call;

    if (request_accounts(request, &call) || people_count(&call, &people)) {
        refusal->answered_by_error = true;
        return false;
    }
    if (people > 1)
        return http_refuse(refusal, 401, "unauthorized", "Authorization required");
    return grant(request, SUPPORT_ADMIN, "anonymous", "default", "anonymous");
}

/* Of a route that is not public. A bearer token has priority over the key of programs. */
static bool authenticate(struct request *request, struct http_refusal *refusal)
{
    const char *known = service_settings(request)->api_key;
    const char *token = bearer_token(request), *key = request_header(request, "HTTP_X_API_KEY");
    enum outcome outcome;

    key = key && *key ? key : NULL;
    refusal->counts = token || key || !*request_prefix(request); /* else nothing was guessed */
    if (!token && digest_equal_secret(key, known))
        return grant(request, SUPPORT_ADMIN, "api-key-user", "default", "api_key");
    outcome = find_person(request, token ? token : key, refusal);
    if (outcome != NOBODY_KNOWN)
        return outcome == ADMITTED;
    if (token)
        return accept_token(request, token, refusal);
    if (service_is_open(request) && request_is_of_known_page(request))
        return accept_anybody(request, refusal);
    if (!key && admit_visitor(request))
        return true;
    if (!known || !key)
        return http_refuse(refusal, 401, "unauthorized", "Authorization required");
    return http_refuse(refusal, 403, "forbidden", "Invalid API key");
}

bool service_authenticate(struct request *request, struct http_refusal *refusal)
{
    const struct route *route = request->route;

    refusal->counts = true;
    if (route && (route->traits & TRAIT_METRICS))
        return (!service_settings(request)->metrics_require_auth && !*request_prefix(request)) ||
               accept_scraper(request, refusal);
    /* Unknown paths need no authentication, and neither do public routes. */
    return !route || route->role == SUPPORT_NOBODY || authenticate(request, refusal);
}

void service_refuse(const struct request *request, struct http_refusal *refusal)
{
    http_refuse(refusal, 403, "forbidden",
                arena_print(request->arena, "Role '%s' not authorized",
                            request->who.role ? support_role_names[request->who.role] : "none"));
}

size_t service_buckets(struct request *request, struct http_bucket buckets[HTTP_BUCKETS_MAX])
{
    static const struct {
        unsigned trait;
        uint32_t a_minute;
    } windows[] = {{TRAIT_SIGN_IN, 5}, {TRAIT_UPLOAD, 10}, {TRAIT_ASK, 60}, {TRAIT_SSO, 60}};
    const struct route *route = request->route;

    if (!route || !service_settings(request)->rate_limit_enabled)
        return 0;
    if (service_is_visitor(request) && !(route->traits & TRAIT_ASK)) {
        buckets[0] = (struct http_bucket){
            .name = arena_print(request->arena, "visitor:%s", request->client.network),
            .rule = {VISITOR_CALLS_A_MINUTE, 60},
            .detail = arena_print(request->arena, "Rate limit exceeded: %u per 1 minute",
                                  VISITOR_CALLS_A_MINUTE)};
        return 1;
    }
    for (size_t i = 0; i < COUNT_OF(windows); i++) {
        if (!(route->traits & windows[i].trait))
            continue;
        buckets[0] = (struct http_bucket){
            .name = arena_print(request->arena, "%s:%s", route->name, request->client.network),
            .rule = {windows[i].a_minute, 60},
            .detail = arena_print(request->arena, "Rate limit exceeded: %u per 1 minute",
                                  windows[i].a_minute)};
        return 1;
    }
    return 0;
}
