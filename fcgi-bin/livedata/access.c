/* Authentication: API keys with their tenants, people, and the administration key; API version of a
 * request; and restrictions of the demo. */
#include "base/clock.h"
#include "crypto/digest.h"
#include "http/cookie.h"
#include "http/people.h"
#include "livedata/catalog/contracts.h"
#include "livedata/service_internal.h"

#include <string.h>
#include <strings.h>

static bool refuse(struct http_refusal *refusal, int status, const char *code, const char *detail)
{
    *refusal = (struct http_refusal){
        .status = status, .error_code = code, .detail = detail, .counts = status == 401};
    return false;
}

/* By the header, else as the tenant is pinned, else the latest. */
static bool resolve_version(struct request *request, const char *pin, struct http_refusal *refusal)
{
    struct service *service = service_of(request);
    const char *asked = service_brand_header(request, "VERSION");
    const char *date = asked && *asked ? asked : pin;

    service->asking.version =
        date ? version_find(&service->catalog, date) : service->catalog.latest;
    if (service->asking.version)
        return true;
    service->asking.version = service->catalog.latest;
    return refuse(refusal, 400, "unsupported_version",
                  arena_print(request->arena, "Unsupported API version: %.40s", date));
}

static bool is_change(const struct request *request)
{
    return request->method == METHOD_POST || request->method == METHOD_PUT ||
           request->method == METHOD_PATCH || request->method == METHOD_DELETE;
}

/* The demo is read-only. */
static bool demo_allows(const struct request *request, struct http_refusal *refusal)
{
    const struct route *route = request->route;

    if (!service_settings(request)->demo_mode)
        return true;
    if (strncmp(request->path, "/v1/admin", 9) == 0 || strncmp(request->path, "/admin", 6) == 0)
        return refuse(refusal, 404, "not_found", "Not Found");
    if (is_change(request) && !(route && route->traits & TRAIT_DEMO))
        return refuse(refusal, 403, "demo_read_only",
                      "Demo mode is read-only for mutating routes.");
    return true;
}

static const char *shown_key(const struct request *request)
{
    const char *key = request_header(request, "HTTP_X_API_KEY");
    const char *bearer = request_bearer(request);

    if (key && *key)
        return key;
    return bearer && *bearer ? bearer : NULL;
}

static const char *source_of(const struct account_caller *found)
{
    return found->kind == CALLER_SESSION ? "session" : "personal_token";
}

/* `role` receives what the person is in the area. False with a refusal, or without `found->person`
 * when the request names nobody of the account store. */
static bool find_person(struct request *request, struct account_caller *found,
                        enum account_role *role, struct http_refusal *refusal)
{
    if (request_person(request, shown_key(request), found)) {
        refusal->answered_by_error = true;
        return false;
    }
    if (!found->person || !caller_has_own_password(found, refusal))
        return false;
    *role = person_role(found->person, AREA_DATA);
    if (*role == ACCOUNT_NONE)
        return refuse(refusal, 403, "forbidden", "You have no role in live data.");
    if (!caller_may_send(found, request))
        return refuse(refusal, 403, "forbidden", "This token is read-only.");
    return true;
}

/* Administration is about all tenants, so it is for administrators of the tenant `default`. */
static bool authenticate_administrator(struct request *request, struct http_refusal *refusal,
                                       bool *decided)
{
    struct account_caller found = {0};
    enum account_role role;
    bool known = find_person(request, &found, &role, refusal);

    *decided = refusal->answered_by_error || found.person;
    if (!known)
        return false;
    if (role != ACCOUNT_ADMIN || strcmp(found.person->tenant, "default") != 0)
        return refuse(refusal, 403, "forbidden", "Only administrators of live data may do this.");
    request->who = (struct identity){.role = LIVE_ADMIN,
                                     .source = source_of(&found),
                                     .subject = found.person->username,
                                     .tenant = "default"};
    return true;
}

static bool authenticate_admin(struct request *request, struct http_refusal *refusal)
{
    const char *expected = service_settings(request)->admin_key;
    const char *shown = request_header(request, "HTTP_X_ADMIN_KEY");
    bool decided = false, admitted = false;

    if (!shown)
        admitted = authenticate_administrator(request, refusal, &decided);
    if (decided)
        return admitted;
    if (!expected && !*request_prefix(request))
        return refuse(refusal, 503, "admin_unconfigured", "Admin key is not configured.");
    if (!shown || !digest_equal_secret(shown, expected)) {
        refuse(refusal, 401, "invalid_admin_key", "Invalid or missing admin key.");
        refusal->counts = shown || shown_key(request) || !*request_prefix(request);
        return false;
    }
    request->who =
        (struct identity){.role = LIVE_ADMIN, .source = "admin_key", .tenant = "default"};
    return true;
}

static bool authenticate_node(struct request *request, struct http_refusal *refusal)
{
    const struct livedata_settings *settings = service_settings(request);
    const char *bearer = request_bearer(request);

    if (settings->node_role != NODE_CENTER)
        return refuse(refusal, 404, "not_found", "Not Found");
    if (!bearer || !*bearer)
        return refuse(refusal, 401, "missing_node_token", "Missing or malformed bearer token.");
    if (!digest_equal_secret(bearer, settings->node_token)) {
        refuse(refusal, 403, "invalid_node_token", "Invalid node token.");
        refusal->counts = true;
        return false;
    }
    request->who = (struct identity){.role = LIVE_NODE, .source = "node_token"};
    return true;
}

/* Searches the keys of the settings in constant time. */
static const struct live_key *find_known(const struct service *service, const char *lookup)
{
    const struct live_key *found = NULL;

    for (size_t i = 0; i < service->keys.count; i++)
        if (strlen(service->keys.items[i].lookup) == KEY_LOOKUP_TEXT - 1 &&
            digest_equal_bytes(lookup, service->keys.items[i].lookup, KEY_LOOKUP_TEXT - 1))
            found = &service->keys.items[i];
    return found;
}

static enum error find_key(struct request *request, const char *plaintext,
                           const struct live_key **key)
{
    struct service *service = service_of(request);
    struct live_key *issued = ARENA_NEW(request->arena, struct live_key);
    char lookup[KEY_LOOKUP_TEXT];
    struct keys_call call;
    bool found = false;
    struct db *db;
    enum error error;

    key_lookup_of(&service->settings, plaintext, lookup);
    *key = find_known(service, lookup);
    if (*key)
        return ERROR_NONE;
    error = service_database(request, &db);
    if (error)
        return error;
    call = service_keys_call(request, db);
    error = live_key_find(&call, lookup, issued, &found);
    if (!error && found)
        *key = issued;
    return error;
}

/* Types that both the key and its tenant allow. */
static void narrow_types(struct request *request, struct live_key *key)
{
    const struct tenant *tenant = tenant_find(&service_of(request)->tenants, key->tenant);
    struct string_list *both;

    if (!tenant || !tenant->types)
        return;
    if (!key->types) {
        key->types = tenant->types;
        return;
    }
    both = ARENA_NEW(request->arena, struct string_list);
    both->items = ARENA_ARRAY(request->arena, const char *, key->types->count);
    for (size_t i = 0; i < key->types->count; i++)
        for (size_t j = 0; j < tenant->types->count; j++)
            if (strcmp(key->types->items[i], tenant->types->items[j]) == 0) {
                both->items[both->count++] = key->types->items[i];
                break;
            }
    key->types = both;
}

static void grant(struct request *request, const struct live_key *key)
{
    struct service *service = service_of(request);
    struct live_key *copy = ARENA_NEW(request->arena, struct live_key);

    *copy = *key;
    narrow_types(request, copy);
    service->asking.key = copy;
    request->who = (struct identity){.role = LIVE_CALLER,
                                     .source = "api_key",
                                     .subject = copy->name,
                                     .tenant = copy->tenant,
                                     .detail = copy};
}

/* A person reads as a key of his tenant does; viewers change nothing. */
static bool grant_person(struct request *request, const struct account_caller *found,
                         enum account_role role, struct http_refusal *refusal)
{
    const struct person *person = found->person;
    const struct live_key key = {.key_id = arena_print(request->arena, "person:%s", person->id),
                                 .name = person->username,
                                 .tenant = person->tenant,
                                 .lookup = "",
                                 .rate_limit_rpm = service_settings(request)->rate_limit_rpm,
                                 .can_ingest = role != ACCOUNT_VIEWER};

    if (role == ACCOUNT_VIEWER && is_change(request) &&
        !(request->route && request->route->traits & TRAIT_DEMO))
        return refuse(refusal, 403, "forbidden", "Viewers of live data may change nothing.");
    grant(request, &key);
    request->who.source = source_of(found);
    return true;
}

static bool no_keys_yet(struct request *request)
{
    struct service *service = service_of(request);
    struct keys_call call;
    struct db *db;
    bool any = true;

    if (service->keys.count || service_database(request, &db))
        return false;
    call = service_keys_call(request, db);
    return live_key_any(&call, &any) == ERROR_NONE && !any;
}

static bool authenticate_caller(struct request *request, struct http_refusal *refusal)
{
    const struct live_key *key = NULL;
    const char *plaintext = shown_key(request);
    struct account_caller found = {0};
    enum account_role role;
    enum error error;

    if (find_person(request, &found, &role, refusal))
        return grant_person(request, &found, role, refusal);
    if (refusal->answered_by_error || found.person)
        return false;
    error = plaintext ? find_key(request, plaintext, &key) : ERROR_NONE;
    if (error) {
        refusal->answered_by_error = true;
        return false;
    }
    if (key) {
        grant(request, key);
        return true;
    }
    if (service_is_open(request) && found.kind == CALLER_NONE) {
        if (!request_is_of_known_page(request))
            return refuse(refusal, 403, "forbidden", "A page of another site may change nothing.");
        request->who = (struct identity){.role = LIVE_CALLER, .source = "open"};
        return true;
    }
    if (!*request_prefix(request) && found.kind == CALLER_NONE && no_keys_yet(request))
        return refuse(refusal, 503, "no_keys_configured",
                      "No API keys are configured. Set LIVE_API_KEYS_FILE, or "
                      "LIVE_AUTH_DISABLED=true to answer everybody.");
    refuse(refusal, 401, plaintext ? "invalid_key" : "missing_key",
           "Invalid or missing API key. Pass X-API-Key header.");
    refusal->counts = plaintext || !*request_prefix(request); /* else nothing was guessed */
    return false;
}

static bool is_public(const struct request *request)
{
    const struct route *route = request->route;

    return route && route->role == LIVE_NOBODY &&
           !(route->traits & TRAIT_METRICS && *request_prefix(request));
}

static bool authenticate(struct request *request, struct http_refusal *refusal)
{
    const struct tenant *tenant;

    if (!resolve_version(request, NULL, refusal) || !demo_allows(request, refusal))
        return false;
    if (is_public(request)) {
        const struct live_key *key = NULL;
        const char *plaintext = shown_key(request);

        if (plaintext && !find_key(request, plaintext, &key) && key)
            grant(request, key);
        return true;
    }
    if (request->route && request->route->role == LIVE_ADMIN)
        return authenticate_admin(request, refusal);
    if (request->route && request->route->role == LIVE_NODE)
        return authenticate_node(request, refusal);
    if (!authenticate_caller(request, refusal))
        return false;
    tenant = request->who.tenant ? tenant_find(&service_of(request)->tenants, request->who.tenant)
                                 : NULL;
    if (tenant && tenant->version_pin && !resolve_version(request, tenant->version_pin, refusal))
        return false;
    if (request->route && request->route->traits & TRAIT_SIGNED && !service_key(request))
        return refuse(refusal, 401, "missing_key",
                      "Invalid or missing API key. Pass X-API-Key header.");
    if (request->route && request->route->traits & TRAIT_WHOLE && service_key(request) &&
        service_key(request)->types)
        return refuse(refusal, 403, "read_only_key",
                      strstr(request->path, "/deadletter/")
                          ? "This API key has read-only access to dead-letter operations."
                          : "This API key has read-only access.");
    return true;
}

const char *service_access(const struct route *route)
{
    if (route->traits & TRAIT_METRICS)
        return "metrics";
    if (route->role == LIVE_NOBODY)
        return "anybody";
    if (route->role != LIVE_CALLER)
        return route->role == LIVE_ADMIN ? "administration" : "node";
    if (route->method == METHOD_GET)
        return strstr(route->path, "{entity_type}") ? "read one type" : "read";
    if (route->traits & TRAIT_SIGNED)
        return "triage";
    return route->traits & TRAIT_DEMO ? "query" : "change";
}

bool service_is_open(const struct request *request)
{
    return service_settings(request)->auth_disabled && !*request_prefix(request);
}

bool service_authenticate(struct request *request, struct http_refusal *refusal)
{
    bool good = (request->route && request->route->traits & TRAIT_RELAYED) ||
                authenticate(request, refusal);

    if (!good && refusal->counts)
        service_of(request)->asking.refused = refusal->error_code;
    return good;
}

void service_refuse(const struct request *request, struct http_refusal *refusal)
{
    (void)request;
    refuse(refusal, 403, "forbidden", "Not allowed.");
}

size_t service_buckets(struct request *request, struct http_bucket buckets[HTTP_BUCKETS_MAX])
{
    const struct live_key *key = service_key(request);

    if (!key || is_public(request))
        return 0;
    buckets[0] = (struct http_bucket){
        .name = arena_print(request->arena, "key:%s", key->key_id),
        .rule = {(uint32_t)key->rate_limit_rpm, 60},
        .detail = arena_print(request->arena, "Rate limit exceeded: %lld requests/minute",
                              (long long)key->rate_limit_rpm),
        .retry_after = 60};
    return 1;
}
