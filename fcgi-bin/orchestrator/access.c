/* Access to the orchestrator: open, with the one key, by virtual keys, or by people; and rate
 * limits.
 */
#include "base/log.h"
#include "base/string_list.h"
#include "crypto/digest.h"
#include "http/cookie.h"
#include "http/people.h"
#include "limits/limits.h"
#include "orchestrator/runs/calls.h"
#include "orchestrator/runs/orchestrate.h"
#include "orchestrator/service_internal.h"

#include <string.h>
#include <strings.h>

enum { RETRY_AFTER_SECONDS = 60, WINDOW_SECONDS = 60, MINUTE_US = 60000000 };

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
    if (route->role == ORCHESTRATOR_ADMIN)
        return route->method == METHOD_GET ? "admin: read" : "admin: write";
    if (route->role == ORCHESTRATOR_STAFF)
        return route->method == METHOD_GET ? "read" : "operate";
    return route->method == METHOD_GET ? "read own" : "call";
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

    request->who.role = role == ACCOUNT_ADMIN ? ORCHESTRATOR_ADMIN : ORCHESTRATOR_STAFF;
    request->who.source = found->kind == CALLER_SESSION ? "session" : "personal_token";
    request->who.subject = found->person->username;
    if (!caller_has_own_password(found, refusal))
        return false;
    if (role == ACCOUNT_NONE)
        return refuse(refusal, 403, "forbidden", "You have no role in models.");
    if (!caller_may_send(found, request))
        return refuse(refusal, 403, "forbidden", "This token is read-only.");
    if (role == ACCOUNT_VIEWER && !reads)
        return refuse(refusal, 403, "forbidden", "Viewers of models may send no prompts.");
    return true;
}

struct service_caller *service_caller(struct request *request)
{
    if (!request->who.detail)
        request->who.detail = ARENA_NEW(request->arena, struct service_caller);
    return (struct service_caller *)request->who.detail;
}

const char *service_key_id(const struct request *request)
{
    const struct service_caller *caller = request->who.detail;

    return caller && caller->key ? caller->key->id : NULL;
}

/* The models of the catalog that the key may call. */
static void choose_models(struct arena *arena, const struct catalog *all,
                          const struct virtual_key *key, struct catalog *chosen)
{
    *chosen = *all;
    if (!key->allowed_models.count)
        return;
    chosen->is_closed = true;
    chosen->models = ARENA_ARRAY(arena, struct model, all->count);
    chosen->count = chosen->browser_count = 0;
    for (size_t i = 0; i < all->count; i++) {
        if (!string_list_has(&key->allowed_models, all->models[i].id))
            continue;
        chosen->browser_count += i < all->browser_count;
        chosen->models[chosen->count++] = all->models[i];
    }
}

/* A worker context of this request: with the key's payer and its models. */
static void set_up_calls(struct request *request, const struct virtual_key *key)
{
    const struct worker_context *worker = service_worker(request);
    struct service_caller *caller = service_caller(request);

    caller->calls = (struct caller_key){.payer = {key->id, key->team_id ? key->team_id : "",
                                                  key->customer_id ? key->customer_id : ""},
                                        .tokens_per_minute = key->tokens_per_minute.value,
                                        .stores_prompts = key->stores_prompts,
                                        .redacts_prompts = key->redacts_prompts};
    caller->worker = *worker;
    caller->worker.key = &caller->calls;
    caller->worker.catalog = &caller->catalog;
    choose_models(request->arena, worker->catalog, key, &caller->catalog);
    if (caller->catalog.is_closed)
        caller->catalog.default_model =
            model_choose_default(&caller->worker, is_dry_run(&caller->worker, false));
    caller->key = key;
}

/* A call of the key's minute, where all hosts count it if they share a cache. */
static struct rate_decision charge_key(struct request *request, const struct virtual_key *key)
{
    const char *name = arena_print(request->arena, "key:%s", key->id);
    const struct rate_rule rule = {(uint32_t)key->requests_per_minute.value, WINDOW_SECONDS};
    struct shared_rate *cache = service_cache(request);
    struct rate_decision decision;

    if (cache && shared_rate_allow(cache, request->server->region,
                                   arena_print(request->arena, "orch:%s", name), rule, &decision))
        return decision;
    return limits_allow(request->server->region, name, rule);
}

static bool has_rate(struct request *request, const struct virtual_key *key,
                     struct http_refusal *refusal)
{
    struct rate_decision decision;

    if (!key->requests_per_minute.given || request->method != METHOD_POST)
        return true;
    decision = charge_key(request, key);
    if (decision.allowed)
        return true;
    refuse(refusal, 429, "rate_limit_exceeded",
           arena_print(request->arena, "This key may send %lld requests per minute.",
                       (long long)key->requests_per_minute.value));
    refusal->retry_after = decision.retry_after_seconds ? decision.retry_after_seconds : 1;
    return false;
}

/* False with a refusal, also when the store cannot be read. */
static bool accept_key(struct request *request, const char *secret, struct http_refusal *refusal)
{
    struct virtual_key *key = ARENA_NEW(request->arena, struct virtual_key);
    struct key_store_call call = {.arena = request->arena, .problem = &request->problem};
    const char *fault;
    bool found = false;

    if (service_database(request, &call.db) || virtual_key_find(&call, secret, key, &found)) {
        refusal->answered_by_error = true;
        return false;
    }
    fault = found ? virtual_key_fault(key) : "Invalid or missing API key.";
    if (fault) {
        refuse(refusal, 401, found ? "key_not_usable" : "unauthorized", fault);
        refusal->counts = !found;
        return false;
    }
    request->who.role = ORCHESTRATOR_CALLER;
    request->who.source = "virtual_key";
    request->who.subject = key->id;
    set_up_calls(request, key);
    return has_rate(request, key, refusal);
}

void service_touch_key(struct request *request)
{
    const char *id = service_key_id(request);
    const struct virtual_key *key = id ? service_caller(request)->key : NULL;
    struct key_store_call call = {.arena = request->arena, .problem = &request->problem};

    if (key && key->last_used_at.given && key->read_at - key->last_used_at.value < MINUTE_US)
        return;
    if (id && (store_database(service_store(request), &call.db, &request->problem) ||
               virtual_key_touch(&call, id)))
        log_event(LOG_WARNING, "key_use_not_noted", request->problem.text);
}

bool service_authenticate(struct request *request, struct http_refusal *refusal)
{
    const struct route *route = request->route;
    const char *key = service_settings(request)->api_key, *shown = shown_credential(request);
    bool is_open = service_is_open(request);
    struct account_caller found;

    request->who.role = ORCHESTRATOR_ADMIN;
    request->who.detail = NULL;
    if (is_open && !request_is_of_known_page(request))
        return refuse(refusal, 403, "forbidden", "A page of another site may change nothing.");
    if (route ? route->traits & TRAIT_PUBLIC : is_public_file(request))
        return true;
    if (key && shows_key(request, key)) {
        request->who.source = "api_key";
        return true;
    }
    if (virtual_key_is(shown))
        return accept_key(request, shown, refusal);
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
    *refusal = (struct http_refusal){.status = 403, .error_code = "forbidden"};
    refusal->detail = service_key_id(request)
                          ? "A key may call models and see its own tasks and spending only."
                          : "Only administrators of models may do this.";
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
