/* Access to the orchestrator: open, with the one key, or by people; and rate limits. */
#include "crypto/digest.h"
#include "http/cookie.h"
#include "http/people.h"
#include "orchestrator/service_internal.h"

#include <string.h>
#include <strings.h>

enum { RETRY_AFTER_SECONDS = 60, WINDOW_SECONDS = 60 };

static bool shows_key(const struct request *request, const char *key)
{
    return digest_equal_secret(request_bearer(request), key) ||
           digest_equal_secret(request_header(request, "HTTP_X_API_KEY"), key);
}

static const char *shown_credential(const struct request *request)
{
    const char *bearer = request_bearer(request), *key = request_header(request, "HTTP_X_API_KEY");

    if (bearer && *bearer)
        return bearer;
    return key && *key ? key : NULL;
}

/* Pages and their files, there or not: nginx serves those that are. */
static bool is_public_file(const struct request *request)
{
    static const char *const folders[] = {"/js/", "/css/", "/icons/"};
    static const char *const files[] = {"/", "/docs", "/redoc", "/docs/oauth2-redirect",
                                        "/favicon.ico"};
    const char *path = request->path;
    size_t length = strlen(path);

    if (request->method != METHOD_GET && request->method != METHOD_HEAD)
        return false;
    for (size_t i = 0; i < COUNT_OF(folders); i++)
        if (strncmp(path, folders[i], strlen(folders[i])) == 0)
            return true;
    for (size_t i = 0; i < COUNT_OF(files); i++)
        if (strcmp(path, files[i]) == 0)
            return true;
    return length > 5 && strcmp(path + length - 5, ".html") == 0 && strchr(path + 1, '/') == NULL;
}

const char *service_access(const struct route *route)
{
    if (route->traits & TRAIT_PUBLIC)
        return "anybody";
    return route->method == METHOD_GET ? "read" : "call";
}

bool service_is_open(const struct request *request)
{
    return !service_settings(request)->api_key && !*request_prefix(request);
}

static bool refuse(struct http_refusal *refusal, int status, const char *code, const char *detail)
{
    http_refuse(refusal, status, code, detail);
    refusal->counts = status == 401;
    return false;
}

static bool accept_person(struct request *request, const struct account_caller *found,
                          struct http_refusal *refusal)
{
    enum account_role role = person_role(found->person, AREA_MODELS);
    bool reads = request->method == METHOD_GET || request->method == METHOD_HEAD ||
                 request->method == METHOD_OPTIONS;

    request->who.source = found->kind == CALLER_SESSION ? "session" : "personal_token";
    request->who.subject = found->person->username;
    if (!caller_has_own_password(found, refusal))
        return false;
    if (role == ACCOUNT_NONE)
        return refuse(refusal, 403, "forbidden", "You have no role in models.");
    if (!caller_may_send(found, request->method))
        return refuse(refusal, 403, "forbidden", "This token is read-only.");
    if (role == ACCOUNT_VIEWER && !reads)
        return refuse(refusal, 403, "forbidden", "Viewers of models may send no prompts.");
    return true;
}

bool service_authenticate(struct request *request, struct http_refusal *refusal)
{
    const struct route *route = request->route;
    const char *key = service_settings(request)->api_key, *shown = shown_credential(request);
    bool is_open = service_is_open(request);
    struct account_caller found;

    request->who.role = ORCHESTRATOR_CALLER;
    if (is_open && !request_is_of_known_page(request))
        return refuse(refusal, 403, "forbidden", "A page of another site may change nothing.");
    if (route ? route->traits & TRAIT_PUBLIC : is_public_file(request))
        return true;
    if (key && shows_key(request, key)) {
        request->who.source = "api_key";
        return true;
    }
    if (request_person(request, shown, &found)) {
        refusal->answered_by_error = true;
        return false;
    }
    if (found.person)
        return accept_person(request, &found, refusal);
    if (is_open && found.kind == CALLER_NONE)
        return true;
    refuse(refusal, 401, "unauthorized", "Invalid or missing API key.");
    refusal->counts = shown || !*request_prefix(request); /* else nothing was guessed */
    return false;
}

void service_refuse(const struct request *request, struct http_refusal *refusal)
{
    (void)request;
    *refusal = (struct http_refusal){
        .status = 401, .error_code = "unauthorized", .detail = "Invalid or missing API key."};
}

size_t service_buckets(struct request *request, struct http_bucket buckets[HTTP_BUCKETS_MAX])
{
    const struct orchestrator_settings *settings = service_settings(request);
    int64_t rpm = settings->rate_limit_rpm.value;
    const struct route *route = request->route;

    if ((!settings->rate_limit_rpm.given && !settings->cache_url) || rpm == 0 ||
        (route && (route->traits & TRAIT_UNLIMITED)))
        return 0;
    buckets[0] = (struct http_bucket){
        .name = arena_print(request->arena, "api:%s", request->client.resolved),
        .tokens = {(uint32_t)(rpm + settings->rate_limit_burst), (uint32_t)rpm},
        .detail = arena_print(request->arena, "Rate limit exceeded: %lld requests/minute allowed.",
                              (long long)rpm),
        .retry_after = RETRY_AFTER_SECONDS};
    return 1;
}

/* In the cache that all hosts share, while it answers. */
bool service_charge(struct request *request, const struct http_bucket *bucket,
                    struct rate_decision *decision)
{
    const struct orchestrator_settings *settings = service_settings(request);
    struct shared_rate *cache = service_cache(request);
    const struct rate_rule rule = {bucket->tokens.capacity, WINDOW_SECONDS};
    const char *key = arena_print(request->arena, "orch:rl:%s", request->client.resolved);

    if (!cache)
        return false;
    if (shared_rate_allow(cache, request->server->region, key, rule, decision))
        return true;
    metric_add(request->server->metrics, METRIC_WITHOUT_CACHE, NULL, 1);
    *decision = (struct rate_decision){.allowed = true, .limit = rule.max, .remaining = rule.max};
    return !settings->rate_limit_rpm.given;
}
