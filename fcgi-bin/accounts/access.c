/* Who calls the accounts service: a session below the portal, or a personal token. */
#include "accounts/service_internal.h"

#include "accounts/sessions.h"
#include "http/cookie.h"
#include "http/people.h"

#include <string.h>

static bool only_reads(const struct request *request)
{
    return request->method == METHOD_GET || request->method == METHOD_HEAD ||
           request->method == METHOD_OPTIONS;
}

static bool admit(struct request *request, const struct account_caller *caller,
                  struct http_refusal *refusal)
{
    bool is_administrator = person_role(caller->person, AREA_SUITE) == ACCOUNT_ADMIN;

    request->who =
        (struct identity){.role = is_administrator ? ACCESS_ADMINISTRATOR : ACCESS_PERSON,
                          .source = caller->kind == CALLER_TOKEN ? "personal_token" : "session",
                          .subject = caller->person->username,
                          .tenant = caller->person->tenant};
    refusal->counts = false; /* the caller is known */
    if (caller->kind == CALLER_TOKEN || !(request->route->traits & TRAIT_GIVEN_PASSWORD))
        if (!caller_has_own_password(caller, refusal))
            return false;
    if (caller->kind == CALLER_SESSION)
        return true;
    if (caller->read_only && !only_reads(request))
        return http_refuse(refusal, 403, "read_only_token", "This token may only read");
    if (request->route->traits & TRAIT_SESSION)
        return http_refuse(refusal, 403, "session_required",
                           "Sign in for this: a personal token cannot do it");
    if (caller->bound_to && request->route->role == ACCESS_ADMINISTRATOR && !only_reads(request))
        return http_refuse(refusal, 403, "session_required",
                           "Sign in for this: a program cannot change who has an account");
    return true;
}

bool service_authenticate(struct request *request, struct http_refusal *refusal)
{
    struct service *service = request->state;
    const char *bearer = request_bearer(request);
    const char *key = request_header(request, "HTTP_X_API_KEY");
    const struct presented shown = {bearer, key, request_session_cookie(request)};
    bool shows = (bearer && *bearer) || (key && *key);

    service->caller = (struct account_caller){.kind = CALLER_NONE};
    if (!request->route)
        return true;
    if (request->route->role == ACCESS_ANYBODY)
        return !request->route->sets_cookie || request_is_of_own_page(request) ||
               http_refuse(refusal, 403, "forbidden", "Another site's page cannot sign in here");
    if (caller_find(service->accounts, request->arena, &shown, &service->caller,
                    &request->problem)) {
        refusal->answered_by_error = true;
        return false;
    }
    caller_check_service(&service->caller, accounts_service.name);
    if (service->caller.kind == CALLER_SESSION || service->caller.kind == CALLER_TOKEN)
        return admit(request, &service->caller, refusal);
    refusal->counts = shows;
    return http_refuse(refusal, 401, "unauthorized",
                       shows ? "This token is not valid" : "Sign in first");
}

const char *service_access(const struct route *route)
{
    bool reads = route->method == METHOD_GET;

    if (route->traits & TRAIT_SESSION)
        return reads ? "session" : "session: change";
    if (route->role == ACCESS_ADMINISTRATOR)
        return reads ? "administrator" : "administrator: change";
    if (route->role == ACCESS_PERSON)
        return "person";
    return reads ? "anybody" : "sign in";
}

void service_refuse(const struct request *request, struct http_refusal *refusal)
{
    (void)request;
    http_refuse(refusal, 403, "forbidden", "Only an administrator of the suite may do this");
}

size_t service_buckets(struct request *request, struct http_bucket buckets[HTTP_BUCKETS_MAX])
{
    const struct {
        unsigned trait;
        const char *name;
        uint32_t a_minute;
    } windows[] = {
        {TRAIT_GUESSES, "guess", (uint32_t)service_settings(request)->sign_in_rate_per_minute},
        {TRAIT_PROVIDER, "provider", (uint32_t)service_settings(request)->provider_rate_per_minute},
        {TRAIT_OAUTH, "oauth", (uint32_t)service_settings(request)->oauth.rate_per_minute}};

    for (size_t i = 0; request->route && i < COUNT_OF(windows); i++) {
        if (!(request->route->traits & windows[i].trait))
            continue;
        buckets[0] = (struct http_bucket){
            .name = arena_print(request->arena, "%s:%s", windows[i].name, request->client.network),
            .rule = {windows[i].a_minute, 60},
            .detail = "Too many attempts; try again in a minute"};
        return 1;
    }
    return 0;
}
