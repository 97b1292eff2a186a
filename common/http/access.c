/* Authentication and authorization of a request, the one place where access is decided. The service
 * authenticates the client; this file sets the order of checks, limits failed attempts and compares
 * roles. */
#include "http/cookie.h"
#include "http/exposure.h"
#include "http/http_internal.h"
#include "limits/limits.h"
#include "net/family_call.h"

#include <strings.h>

bool http_refuse(struct http_refusal *refusal, int status, const char *error_code,
                 const char *detail)
{
    refusal->status = status;
    refusal->error_code = error_code;
    refusal->detail = detail;
    refusal->challenge = status == 401 ? "Bearer" : NULL;
    return false;
}

static bool throttled(struct serving *serving, struct rate_decision decision)
{
    if (decision.allowed)
        return false;
    server_count(serving->server, HTTP_METRIC_RATE_LIMITED);
    answer_failure(serving, 429, FAILURE_AUTH_RATE);
    answer_retry_after(serving, decision.retry_after_seconds);
    return true;
}

static const char *throttle_key(struct serving *serving)
{
    return arena_print(serving->request.arena, "auth:%s", serving->request.client.network);
}

/* Counts a failure. A failure past the limit is answered with 429 instead. */
static void refuse(struct serving *serving, const struct http_refusal *refusal)
{
    const struct http_policy *policy = serving->policy;

    if (refusal->answered_by_error) {
        answer_problem(serving, serving->request.problem.error);
        return;
    }
    if (refusal->counts) {
        server_count(serving->server, HTTP_METRIC_AUTH_REJECTIONS);
        if (policy->auth_failures.max &&
            throttled(serving, limits_allow(serving->server->region, throttle_key(serving),
                                            policy->auth_failures)))
            return;
    }
    answer_error(serving, refusal->status, refusal->error_code, refusal->detail);
    if (refusal->challenge)
        reply_add_header(&serving->reply, "WWW-Authenticate", refusal->challenge);
    if (refusal->retry_after)
        answer_retry_after(serving, refusal->retry_after);
}

/* A client without credentials does not clear failures. */
static void clear_failures(struct serving *serving)
{
    const struct http_policy *policy = serving->policy;

    if (policy->success_clears_failures && policy->auth_failures.max && serving->request.who.role)
        limits_forget(serving->server->region, throttle_key(serving));
}

/* Health checks and similar routes accept any Host. */
static bool check_host(struct serving *serving)
{
    const struct http_service *service = serving->server->family->service;
    const struct route *route = serving->match.route;

    if (!service->is_open || (route && !route->role) || !service->is_open(&serving->request) ||
        exposure_knows_host(&serving->request))
        return true;
    answer_error(serving, 421, "misdirected_request",
                 "This service is open to everybody, and answers for hosts that it knows only; "
                 "name others in ASSAY_HOSTS");
    return false;
}

/* Web servers pass no such parameter on: who sends it has opened the socket of the family. */
static bool admit_program(struct serving *serving)
{
    const struct route *route = serving->match.route;
    const char *program = request_header(&serving->request, FAMILY_CALL_PARAMETER);

    if (!program || !route || !route->for_programs)
        return false;
    serving->request.who =
        (struct identity){.role = route->role, .source = "program", .subject = program};
    return true;
}

bool step_authenticate(struct serving *serving)
{
    const struct http_service *service = serving->server->family->service;
    struct http_refusal refusal = {.status = 401};

    if (admit_program(serving))
        return true;
    if (!service->authenticate || cors_is_preflight(serving))
        return true;
    if (service->authenticate(&serving->request, &refusal)) {
        clear_failures(serving);
        return check_host(serving);
    }
    refuse(serving, &refusal);
    return false;
}

static bool is_lines_type(const char *type)
{
    return type && strncasecmp(type, "application/x-ndjson", 20) == 0;
}

/* A browser sends cross-site forms without a preflight, and a form of type text/plain can hold
 * JSON. For a JSON type the browser sends a preflight first (CORS). */
bool check_page(struct serving *serving)
{
    const struct request *request = &serving->request;
    const char *type = request_header(request, "CONTENT_TYPE");

    if (serving->match.route->sets_cookie && type && strncasecmp(type, "text/plain", 10) == 0) {
        answer_error(serving, 415, "unsupported_media_type",
                     "Send the body as application/json; a text/plain body could be another "
                     "site's form");
        return false;
    }
    /* A preflight proves nothing where every origin is answered (`*`): who signs in must be of a
     * page that is known by name. */
    if (request_is_of_known_page(request) ||
        (!serving->match.route->sets_cookie && (is_json_type(type) || is_lines_type(type))))
        return true;
    answer_error(serving, 403, "forbidden",
                 "A page of another site may change nothing: its origin is not known here");
    return false;
}

bool step_role(struct serving *serving)
{
    const struct http_service *service = serving->server->family->service;
    struct http_refusal refusal = {.status = 403};

    if (serving->request.who.role >= serving->match.route->role)
        return true;
    service->refuse(&serving->request, &refusal);
    refuse(serving, &refusal);
    return false;
}
