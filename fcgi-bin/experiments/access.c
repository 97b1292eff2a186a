/* Who calls the experiments service, what the caller may do, and which limits the call is charged
 * to: static tokens, issued keys, people, and the question whether credentials count at all. */
#include "base/clock.h"
#include "base/log.h"
#include "base/string_list.h"
#include "base/text.h"
#include "crypto/digest.h"
#include "db/identity.h"
#include "experiments/service_internal.h"
#include "http/people.h"

#include <string.h>
#include <strings.h>

enum { CENSUS_SECONDS = 1 };

const char *const scope_names[SCOPE__MAX] = {NULL, "read", "write", "admin"};

#define API "/api/v1"
#define OFREP "/ofrep/"

static bool starts_with(const char *path, const char *prefix)
{
    return strncmp(path, prefix, strlen(prefix)) == 0;
}

static bool is_protected(const struct request *request)
{
    bool is_metrics = request->route && request->route->traits & TRAIT_METRICS;

    if (strcmp(request->path, API "/certificates/key") == 0)
        return false; /* published */
    return starts_with(request->path, API) || starts_with(request->path, OFREP) ||
           strcmp(request->path, "/readyz") == 0 || (is_metrics && *request_prefix(request));
}

/* Operators' paths always need the admin token; admin paths also take it. */
static bool is_operator_path(const char *path)
{
    return starts_with(path, API "/keys") || starts_with(path, API "/webhooks");
}

static bool is_admin_path(const char *path)
{
    return is_operator_path(path) || starts_with(path, API "/admin");
}

/* Numbers that the workers share. */
enum {
    NUMBER_KEY_CHANGES, /* times at which keys may have begun to count */
    NUMBER_KNOWN_OPEN   /* NUMBER_KEY_CHANGES + 1 when no keys were found; 0 = never */
};

void service_expect_keys(struct request *request)
{
    shm_number_add(request->server->region, NUMBER_KEY_CHANGES, 1);
}

/* Whether a worker found no keys, and none can have been issued since. */
static bool known_to_be_open(const struct request *request)
{
    const struct shm_region *region = request->server->region;

    return !db_credentials_noted(store_handle(service_store(request))) &&
           shm_number(region, NUMBER_KNOWN_OPEN) == shm_number(region, NUMBER_KEY_CHANGES) + 1;
}

/* Reads the keys from the database. While it is unavailable, a service that was open stays open: no
 * data can have become secret since. A service not known to be open stays closed. */
static enum error take_census(struct request *request, struct key_census *census)
{
    int64_t changes = shm_number(request->server->region, NUMBER_KEY_CHANGES);
    struct db *db;
    enum error error = service_database_for_keys(request, &db);

    if (!error)
        error = key_census(db, census, &request->problem);
    if (error && known_to_be_open(request)) {
        log_event(LOG_WARNING, "keys_unknown_service_stays_open", request->problem.text);
        request->problem = (struct problem){0};
        *census = (struct key_census){0};
        return ERROR_NONE;
    }
    if (!error && !census->any)
        shm_number_raise(request->server->region, NUMBER_KNOWN_OPEN, changes + 1);
    else if (!error && known_to_be_open(request))
        service_expect_keys(request);
    return error;
}

enum error service_key_census(struct request *request, struct key_census *census)
{
    struct service *service = request->state;
    int64_t now = clock_monotonic_microseconds();
    enum error error = ERROR_NONE;

    if (now >= service->census_until) {
        error = take_census(request, &service->census);
        if (!error)
            service->census_until = now + CENSUS_SECONDS * (int64_t)1000000;
    }
    *census = service->census;
    return error;
}

void service_forget_key_census(struct request *request)
{
    ((struct service *)request->state)->census_until = 0;
}

static const char *filled(struct arena *arena, const char *text)
{
    const char *trimmed = text ? text_trimmed(arena, text, strlen(text)) : "";

    return *trimmed ? trimmed : NULL;
}

/* `Authorization: Bearer` wins even when empty; else X-API-Key. */
static const char *presented_token(const struct request *request)
{
    const char *bearer = request_bearer(request);

    return filled(request->arena, bearer ? bearer : request_header(request, "HTTP_X_API_KEY"));
}

enum verdict {
    ADMITTED,
    UNKNOWN_TOKEN,
    ADMIN_NOT_CONFIGURED,
    READ_ONLY,
    NO_ROLE,
    GIVEN_PASSWORD, /* refused already */
    KEYS_UNAVAILABLE,
    FOREIGN_ORIGIN /* of a client key */
};

static enum verdict grant(struct request *request, struct caller *caller, enum scope scope,
                          const char *source)
{
    caller->scope = scope;
    request->who.source = source;
    return ADMITTED;
}

/* Looks for an issued key. */
static enum verdict identify_key(struct request *request, struct caller *caller, const char *token)
{
    struct api_key stored;
    struct db *db;
    bool found = false;
    enum error error = service_database_for_keys(request, &db);

    if (!error)
        error = key_find(db, request->arena, token, &stored, &found, &request->problem);
    if (error)
        return KEYS_UNAVAILABLE;
    if (!found)
        return UNKNOWN_TOKEN;
    caller->key_id = stored.id;
    caller->key_rate =
        service_rule(stored.rate_limit_requests.value, stored.rate_limit_window_seconds.value);
    return grant(request, caller, stored.scope == KEY_READ ? SCOPE_READ : SCOPE_WRITE, "api_key");
}

/* A client key: whoever reads a page knows it, so what it opens is decided by the path. Requests
 * without an origin come from apps. */
static enum verdict identify_client(struct request *request, struct caller *caller,
                                    const char *token)
{
    struct client_key *stored = ARENA_NEW(request->arena, struct client_key);
    const char *origin = request_header(request, "HTTP_ORIGIN");
    struct db *db;
    bool found = false;
    enum error error = service_database_for_keys(request, &db);

    if (!error)
        error = client_key_find(db, request->arena, token, stored, &found, &request->problem);
    if (error)
        return KEYS_UNAVAILABLE;
    if (!found)
        return UNKNOWN_TOKEN;
    if (origin && !string_list_has(&stored->origins, origin))
        return FOREIGN_ORIGIN;
    caller->client = stored;
    caller->key_rate =
        service_rule(stored->rate_limit_requests.value, stored->rate_limit_window_seconds.value);
    return grant(request, caller, SCOPE_WRITE, "client_key");
}

bool service_admits_origin(struct request *request, const char *origin)
{
    const struct client_key *key = service_caller(request)->client;
    struct problem problem = {0};
    bool listed = false;
    struct db *db;

    if (!starts_with(request->path, OFREP))
        return false;
    if (request->method != METHOD_OPTIONS)
        return key && string_list_has(&key->origins, origin);
    if (store_database(service_store(request), &db, &problem) ||
        client_key_origin_is_listed(db, origin, &listed, &problem))
        return false;
    return listed;
}

/* What opens the operator routes to this caller; NULL = nothing does. The token that was made at
 * the first start serves people; for the other credentials AB_ADMIN_TOKEN has to be set. */
static const char *operator_token(const struct request *request, const struct caller *caller)
{
    const struct experiments_settings *settings = service_settings(request);

    return caller->person || *request_prefix(request) ? settings->operator_token
                                                      : settings->admin_token;
}

/* An administrator counts as the admin token on its paths, and elsewhere as one who writes. */
static enum verdict grant_person(struct request *request, struct caller *caller,
                                 const struct account_caller *found, struct http_refusal *refusal)
{
    const char *source = found->kind == CALLER_SESSION ? "session" : "personal_token";

    caller->person = found->person->username;
    caller->read_only = found->read_only;
    if (!caller_has_own_password(found, refusal))
        return GIVEN_PASSWORD;
    switch (person_role(found->person, AREA_EXPERIMENTS)) {
    case ACCOUNT_VIEWER:
        return grant(request, caller, SCOPE_READ, source);
    case ACCOUNT_ANALYST:
        return grant(request, caller, SCOPE_WRITE, source);
    case ACCOUNT_ADMIN:
        if (!is_admin_path(request->path))
            return grant(request, caller, SCOPE_WRITE, source);
        if (operator_token(request, caller))
            return grant(request, caller, SCOPE_ADMIN, source);
        return is_operator_path(request->path) ? ADMIN_NOT_CONFIGURED
                                               : grant(request, caller, SCOPE_WRITE, source);
    default:
        return NO_ROLE;
    }
}

/* Somebody may have chosen a token that looks like a client key. */
static bool is_configured(const struct experiments_settings *settings, const char *token)
{
    return digest_equal_secret(token, settings->api_token) ||
           digest_equal_secret(token, settings->readonly_api_token);
}

static enum verdict identify(struct request *request, struct caller *caller, const char *token,
                             struct http_refusal *refusal)
{
    const struct experiments_settings *settings = service_settings(request);
    bool operator_path = is_operator_path(request->path);
    struct account_caller found;

    if (is_admin_path(request->path) && token &&
        digest_equal_secret(token, settings->operator_token))
        return grant(request, caller, SCOPE_ADMIN, "admin_token");
    if (token && client_key_is(token) && !is_configured(settings, token))
        return starts_with(request->path, OFREP) ? identify_client(request, caller, token)
                                                 : UNKNOWN_TOKEN;
    if (request_person(request, token, &found))
        return KEYS_UNAVAILABLE;
    if (found.person)
        return grant_person(request, caller, &found, refusal);
    if (!operator_path && !caller->auth_enabled)
        return found.kind == CALLER_NONE ? ADMITTED : UNKNOWN_TOKEN;
    if (token && digest_equal_secret(token, settings->api_token))
        return grant(request, caller, SCOPE_WRITE, "legacy");
    if (token && digest_equal_secret(token, settings->readonly_api_token))
        return grant(request, caller, SCOPE_READ, "legacy");
    if (token)
        return identify_key(request, caller, token);
    if (settings->public_demo && !operator_path && !*request_prefix(request))
        return grant(request, caller, SCOPE_READ, "anonymous");
    if (operator_path && !operator_token(request, caller))
        return ADMIN_NOT_CONFIGURED;
    return UNKNOWN_TOKEN;
}

/* Credentials count once any are configured or issued. */
static enum verdict find_out_whether_enabled(struct request *request, struct caller *caller)
{
    const struct experiments_settings *settings = service_settings(request);
    struct key_census census;

    /* Under the portal a credential is always required. The conditions for production, checked at
     * the start, are not relaxed later. */
    caller->auth_enabled =
        *request_prefix(request) || settings->admin_token || settings->api_token ||
        settings->readonly_api_token || settings->public_demo ||
        (experiments_is_production(settings) && !settings->allow_insecure_production);
    if (caller->auth_enabled)
        return ADMITTED;
    if (service_key_census(request, &census))
        return KEYS_UNAVAILABLE;
    caller->auth_enabled = census.any;
    return ADMITTED;
}

static bool method_reads(enum method method)
{
    return method == METHOD_GET || method == METHOD_HEAD || method == METHOD_OPTIONS;
}

/* What readers may do besides reading. */
static bool reader_may(const struct request *request, const struct caller *caller)
{
    unsigned traits = request->route ? request->route->traits : 0;

    if (method_reads(request->method))
        return true;
    if (traits & TRAIT_EVALUATION)
        return strcmp(request->who.source, "anonymous") != 0;
    if (traits & TRAIT_TASK)
        return caller->person && !caller->read_only;
    if (traits & TRAIT_STATELESS)
        return caller->person || service_settings(request)->readonly_compute;
    return traits & TRAIT_QUESTION;
}

static const int roles[SCOPE__MAX] = {
    [SCOPE_READ] = ROLE_READER, [SCOPE_WRITE] = ROLE_WRITER, [SCOPE_ADMIN] = ROLE_OPERATOR};

/* It is unknown whether credentials are valid, so only requests for diagnosis are allowed. */
static bool keys_unavailable(struct request *request, struct caller *caller,
                             struct http_refusal *refusal)
{
    caller->auth_enabled = true;
    refusal->answered_by_error = true;
    if (!request->route || !route_replies_with(request->route, 503))
        return false;
    request->who.role = ROLE_READER;
    return true;
}

const struct caller *service_caller(const struct request *request)
{
    static const struct caller nobody;

    return request->who.detail ? request->who.detail : &nobody;
}

const char *service_access(const struct route *route)
{
    if (strncmp(route->path, "/chatapp/", strlen("/chatapp/")) == 0)
        return "chat platform";
    if (route->traits & TRAIT_METRICS)
        return "metrics";
    if (is_admin_path(route->path))
        return is_operator_path(route->path) ? "operator" : "purge";
    if (route->traits & TRAIT_EVALUATION)
        return "evaluate";
    if (starts_with(route->path, OFREP))
        return "track";
    if (route->traits & TRAIT_TASK)
        return "task";
    if (route->role == ROLE_READER)
        return route->traits & TRAIT_STATELESS ? "compute" : "read";
    return route->role == ROLE_NOBODY ? "anybody" : "write";
}

bool service_is_open(const struct request *request)
{
    return is_protected(request) && !service_caller(request)->auth_enabled;
}

static const char *reader_text(const struct caller *caller)
{
    return caller->person && !caller->read_only ? "Viewers of experiments may change nothing"
                                                : "This token is read-only";
}

bool service_authenticate(struct request *request, struct http_refusal *refusal)
{
    struct caller *caller = ARENA_NEW(request->arena, struct caller);
    const char *token;
    enum verdict verdict;

    request->who.detail = caller;
    if (request->method == METHOD_OPTIONS || !is_protected(request))
        return true;
    token = presented_token(request);
    verdict = find_out_whether_enabled(request, caller);
    if (verdict == ADMITTED)
        verdict = identify(request, caller, token, refusal);
    if (verdict == ADMITTED && (caller->scope == SCOPE_READ || caller->read_only) &&
        !reader_may(request, caller))
        verdict = READ_ONLY;
    request->who.subject = caller->person ? caller->person : caller->key_id;
    request->who.role = caller->auth_enabled || caller->scope ? roles[caller->scope] : ROLE_WRITER;
    if (verdict == GIVEN_PASSWORD)
        return false;
    refusal->counts =
        token || !*request_prefix(request); /* a page without a session guesses nothing */
    switch (verdict) {
    case ADMITTED:
        return true;
    case READ_ONLY:
        return http_refuse(refusal, 403, "forbidden", reader_text(caller));
    case NO_ROLE:
        return http_refuse(refusal, 403, "forbidden", "You have no role in experiments");
    case FOREIGN_ORIGIN:
        return http_refuse(refusal, 403, "forbidden",
                           "This client key is not for pages of this origin");
    case KEYS_UNAVAILABLE:
        return keys_unavailable(request, caller, refusal);
    case ADMIN_NOT_CONFIGURED:
        return http_refuse(refusal, 401, "admin_token_not_configured",
                           "Operator routes need an admin token, and none is configured");
    default:
        return http_refuse(refusal, 401, "unauthorized", "Missing or invalid API token");
    }
}

void service_refuse(const struct request *request, struct http_refusal *refusal)
{
    const struct caller *caller = service_caller(request);
    enum scope scope = caller->scope;

    if (request->route->role == ROLE_OPERATOR && !operator_token(request, caller))
        http_refuse(refusal, 401, "admin_token_not_configured",
                    "Operator routes need an admin token, and none is configured");
    else if (request->route->role == ROLE_OPERATOR && scope)
        http_refuse(refusal, 403, "admin_token_required",
                    caller->person ? "Only administrators of experiments may do this"
                                   : "Operator routes need the admin token");
    else if (scope == SCOPE_READ)
        http_refuse(refusal, 403, "forbidden", reader_text(caller));
    else
        http_refuse(refusal, 401, "unauthorized", "Missing or invalid API token");
}

/* Keys may have limits of their own. */
static struct rate_rule rule_of(const struct experiments_settings *settings,
                                const struct caller *caller)
{
    struct rate_rule rule =
        service_rule(settings->rate_limit_requests, settings->rate_limit_window_seconds);

    if (caller->key_rate.max)
        rule.max = caller->key_rate.max;
    if (caller->key_rate.window_seconds)
        rule.window_seconds = caller->key_rate.window_seconds;
    return rule;
}

/* Calls of the chat platform; redirected browsers are not limited. */
static bool is_call_of_platform(const char *path)
{
    static const char *const paths[] = {"/chatapp/commands", "/chatapp/interactive",
                                        "/chatapp/events"};

    for (size_t i = 0; i < COUNT_OF(paths); i++)
        if (strcmp(path, paths[i]) == 0)
            return true;
    return false;
}

static size_t bucket_of_platform(const struct request *request, struct http_bucket *bucket)
{
    const struct experiments_settings *settings = service_settings(request);

    bucket->name = arena_print(request->arena, "chatapp:%s", request->client.network);
    bucket->rule = service_rule(settings->chatapp_rate_limit_requests,
                                settings->chatapp_rate_limit_window_seconds);
    return 1;
}

/* Whoever opens links to reports without signing in. */
static size_t bucket_of_visitor(const struct request *request, struct http_bucket *bucket)
{
    const struct experiments_settings *settings = service_settings(request);

    bucket->name = arena_print(request->arena, "share:%s", request->client.network);
    bucket->rule = service_rule(settings->heavy_rate_limit_requests,
                                settings->heavy_rate_limit_window_seconds);
    return 1;
}

/* Calls by an issued key or a person have a separate bucket, from any address. */
static const char *bucket_name(const struct request *request, const struct caller *caller)
{
    if (caller->key_id)
        return arena_print(request->arena, "api_key:%s", caller->key_id);
    if (caller->client) /* everybody has the key: one client shall not use up the others' calls */
        return arena_print(request->arena, "client_key:%s:%s", caller->client->id,
                           request->client.network);
    if (caller->person)
        return arena_print(request->arena, "user:%s", caller->person);
    return arena_print(request->arena, "api:%s", request->client.network);
}

/* A preflight of the routes for pages looks its origin up, without a credential. A browser keeps
 * the answer, so that a network needs no more of them than of calls. */
static size_t bucket_of_preflight(struct request *request, struct http_bucket *bucket)
{
    const struct experiments_settings *settings = service_settings(request);

    if (!starts_with(request->path, OFREP) || !request_header(request, "HTTP_ORIGIN"))
        return 0;
    bucket->name = arena_print(request->arena, "preflight:%s", request->client.network);
    bucket->rule =
        service_rule(settings->preflight_rate_limit_requests, settings->rate_limit_window_seconds);
    return 1;
}

size_t service_buckets(struct request *request, struct http_bucket buckets[HTTP_BUCKETS_MAX])
{
    const struct experiments_settings *settings = service_settings(request);
    const struct caller *caller = service_caller(request);

    if (!settings->rate_limit_enabled)
        return 0;
    if (request->method == METHOD_OPTIONS)
        return bucket_of_preflight(request, &buckets[0]);
    if (is_call_of_platform(request->path))
        return bucket_of_platform(request, buckets);
    if (starts_with(request->path, "/share/"))
        return bucket_of_visitor(request, buckets);
    if (!starts_with(request->path, API) && !starts_with(request->path, OFREP))
        return 0;
    buckets[0].name = bucket_name(request, caller);
    buckets[0].rule = rule_of(settings, caller);
    if (!request->route || !(request->route->traits & TRAIT_HEAVY))
        return 1;
    buckets[1].name = arena_print(request->arena, "heavy:%s", buckets[0].name);
    buckets[1].rule = service_rule(settings->heavy_rate_limit_requests,
                                   settings->heavy_rate_limit_window_seconds);
    return 2;
}
