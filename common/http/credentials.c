/* Credentials and scopes: which token was shown, what it allows, and the throttle on failures. */
#include "crypto/digest.h"
#include "http/http_internal.h"

#include <ctype.h>
#include <string.h>

const char *const scope_names[SCOPE__MAX] = {NULL, "read", "write", "admin"};

bool path_has_prefix(const char *path, const char *prefix)
{
    return prefix && strncmp(path, prefix, strlen(prefix)) == 0;
}

bool path_is_protected(const struct http_policy *policy, const char *path)
{
    return path_has_prefix(path, policy->api_prefix) ||
           (policy->protected_path && strcmp(path, policy->protected_path) == 0);
}

bool path_is_operator(const struct http_policy *policy, const char *path)
{
    for (size_t i = 0; i < POLICY_PATHS_MAX; i++)
        if (path_has_prefix(path, policy->operator_prefixes[i]))
            return true;
    return false;
}

static const char *trimmed(struct arena *arena, const char *text)
{
    size_t length;

    if (!text)
        return NULL;
    while (isspace((unsigned char)*text))
        text++;
    length = strlen(text);
    while (length && isspace((unsigned char)text[length - 1]))
        length--;
    return length ? arena_copy(arena, text, length) : NULL;
}

/* `Authorization: Bearer` wins even when empty; else X-API-Key. */
static const char *presented_token(const struct request *request)
{
    const char *authorization = request_header(request, "HTTP_AUTHORIZATION");

    if (authorization && strncmp(authorization, "Bearer", 6) == 0 &&
        (authorization[6] == ' ' || !authorization[6])) /* nginx trims the space of an empty one */
        return trimmed(request->arena, authorization + 6);
    return trimmed(request->arena, request_header(request, "HTTP_X_API_KEY"));
}

static bool any_token_configured(const struct http_policy *policy)
{
    return policy->admin_token || policy->write_token || policy->read_token || policy->public_demo;
}

enum verdict { ADMITTED, UNKNOWN_TOKEN, ADMIN_NOT_CONFIGURED, READ_ONLY, KEYS_UNAVAILABLE };

static enum verdict grant(struct credentials *who, enum scope scope, const char *source)
{
    who->scope = scope;
    who->source = source;
    return ADMITTED;
}

/* Looks for an issued key. */
static enum verdict identify_key(struct serving *serving, const char *token)
{
    const struct key_source *keys = serving->server->application->keys;
    struct credentials *who = &serving->request.who;
    struct issued_key key;
    bool found = false;

    if (keys && keys->find(&serving->request, token, &key, &found))
        return KEYS_UNAVAILABLE;
    if (!found)
        return UNKNOWN_TOKEN;
    who->key_id = key.id;
    who->key_rate = key.rate;
    return grant(who, key.scope, "api_key");
}

static enum verdict identify(struct serving *serving, const char *token)
{
    const struct http_policy *policy = serving->policy;
    struct credentials *who = &serving->request.who;
    const char *path = serving->request.path;
    bool operator_path = path_is_operator(policy, path);
    bool admin_path = operator_path || path_has_prefix(path, policy->admin_prefix);

    if (admin_path && token && digest_equal_secret(token, policy->admin_token))
        return grant(who, SCOPE_ADMIN, "admin_token");
    if (!operator_path && !who->auth_enabled)
        return ADMITTED;
    if (token && digest_equal_secret(token, policy->write_token))
        return grant(who, SCOPE_WRITE, "legacy");
    if (token && digest_equal_secret(token, policy->read_token))
        return grant(who, SCOPE_READ, "legacy");
    if (token)
        return identify_key(serving, token);
    if (policy->public_demo && !operator_path)
        return grant(who, SCOPE_READ, "anonymous");
    if (operator_path && !policy->admin_token)
        return ADMIN_NOT_CONFIGURED;
    return UNKNOWN_TOKEN;
}

static bool method_reads(enum method method)
{
    return method == METHOD_GET || method == METHOD_HEAD || method == METHOD_OPTIONS;
}

static bool read_scope_may(const struct serving *serving)
{
    const struct route *route = serving->match.route;

    return method_reads(serving->request.method) ||
           (serving->policy->readonly_compute && route && route->compute);
}

/* Counts the failure; the one past the limit is answered 429 instead. */
static bool reject(struct serving *serving, int status, const char *error_code, const char *detail)
{
    const struct http_policy *policy = serving->policy;
    const char *key =
        arena_print(serving->request.arena, "auth:%s", serving->request.client.resolved);
    struct rate_decision decision;

    counters_add(serving->server->family, COUNTER_AUTH_REJECTION, 1);
    if (policy->rate_limit_enabled) {
        decision = rate_allow(serving->server->region, key, policy->auth_failures);
        if (!decision.allowed) {
            counters_add(serving->server->family, COUNTER_RATE_LIMITED, 1);
            answer_error(serving, 429, "auth_rate_limited", "Too many unauthorized requests");
            answer_retry_after(serving, decision.retry_after_seconds);
            return false;
        }
    }
    answer_error(serving, status, error_code, detail);
    if (status == 401)
        reply_add_header(&serving->reply, "WWW-Authenticate", "Bearer");
    return false;
}

/* Credentials count once any are configured or issued. */
static enum verdict find_out_whether_enabled(struct serving *serving)
{
    const struct key_source *keys = serving->server->application->keys;
    struct credentials *who = &serving->request.who;

    who->auth_enabled = any_token_configured(serving->policy);
    if (who->auth_enabled || !keys)
        return ADMITTED;
    return keys->any(&serving->request, &who->auth_enabled) ? KEYS_UNAVAILABLE : ADMITTED;
}

bool step_credentials(struct serving *serving)
{
    struct request *request = &serving->request;
    enum verdict verdict;

    if (request->method == METHOD_OPTIONS || !path_is_protected(serving->policy, request->path))
        return true;
    verdict = find_out_whether_enabled(serving);
    if (verdict == ADMITTED)
        verdict = identify(serving, presented_token(request));
    if (verdict == ADMITTED && request->who.scope == SCOPE_READ && !read_scope_may(serving))
        verdict = READ_ONLY;
    switch (verdict) {
    case ADMITTED:
        return true;
    case READ_ONLY:
        return reject(serving, 403, "forbidden", "This token is read-only");
    case KEYS_UNAVAILABLE:
        /* Whether credentials count cannot be told, so nothing is let through but the question what
         * is wrong. */
        request->who.auth_enabled = true;
        if (serving->match.route && serving->match.route->may_be_unready)
            return true;
        answer_problem(serving, request->problem.error);
        return false;
    case ADMIN_NOT_CONFIGURED:
        return reject(serving, 401, "admin_token_not_configured",
                      "Operator routes need an admin token, and none is configured");
    default:
        return reject(serving, 401, "unauthorized", "Missing or invalid API token");
    }
}

static bool refuse(struct serving *serving, int status, const char *error_code, const char *detail)
{
    answer_error(serving, status, error_code, detail);
    if (status == 401)
        reply_add_header(&serving->reply, "WWW-Authenticate", "Bearer");
    return false;
}

bool step_guard(struct serving *serving)
{
    const struct credentials *who = &serving->request.who;

    switch (serving->match.route->guard) {
    case GUARD_AUTH:
        if (!who->auth_enabled || who->scope != SCOPE_NONE)
            return true;
        return refuse(serving, 401, "unauthorized", "Missing or invalid API token");
    case GUARD_WRITE:
        if (!who->auth_enabled || who->scope == SCOPE_WRITE || who->scope == SCOPE_ADMIN)
            return true;
        if (who->scope == SCOPE_READ)
            return refuse(serving, 403, "forbidden", "This token is read-only");
        return refuse(serving, 401, "unauthorized", "Missing or invalid API token");
    case GUARD_OPERATOR:
        if (who->scope == SCOPE_ADMIN)
            return true;
        if (!serving->policy->admin_token)
            return refuse(serving, 401, "admin_token_not_configured",
                          "Operator routes need an admin token, and none is configured");
        if (who->scope != SCOPE_NONE)
            return refuse(serving, 403, "admin_token_required",
                          "Operator routes need the admin token");
        return refuse(serving, 401, "unauthorized", "Missing or invalid API token");
    default:
        return true;
    }
}
