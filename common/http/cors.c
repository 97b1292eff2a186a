/* Cross-origin requests: answers preflights, and adds the headers that let allowed pages read any
 * answer, errors included. */
#include "http/http_internal.h"

#include "base/string_list.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MAX_AGE "600" /* seconds that a browser may keep the answer to a preflight */

static bool list_has(const struct string_list *list, const char *word, bool any_case)
{
    for (size_t i = 0; i < list->count; i++)
        if ((any_case ? strcasecmp : strcmp)(list->items[i], word) == 0 ||
            strcmp(list->items[i], "*") == 0)
            return true;
    return false;
}

static int by_name(const void *a, const void *b)
{
    return strcasecmp(*(const char *const *)a, *(const char *const *)b);
}

/* The sorted union of the configured headers and those always allowed. */
static struct string_list allowed_headers(const struct serving *serving)
{
    const struct http_policy *policy = serving->policy;
    const char *const *always = serving->format->cors->always_allowed;
    struct string_list all = {0};
    size_t total = policy->cors_headers.count;
    size_t kept = 0;

    for (size_t i = 0; always[i]; i++)
        total++;
    all.items = ARENA_ARRAY(serving->request.arena, const char *, total);
    for (size_t i = 0; i < policy->cors_headers.count; i++)
        all.items[all.count++] = policy->cors_headers.items[i];
    for (size_t i = 0; always[i]; i++)
        all.items[all.count++] = always[i];
    qsort(all.items, all.count, sizeof all.items[0], by_name);
    for (size_t i = 0; i < all.count; i++)
        if (!kept || strcasecmp(all.items[kept - 1], all.items[i]) != 0)
            all.items[kept++] = all.items[i];
    all.count = kept;
    return all;
}

static const char *joined(const struct string_list *list, struct arena *arena)
{
    struct text text;

    text_start(&text, arena, 4096);
    for (size_t i = 0; i < list->count; i++)
        text_append_format(&text, "%s%s", i ? ", " : "", list->items[i]);
    return text.bytes;
}

static bool headers_allowed(const struct string_list *allowed, const char *asked,
                            struct arena *arena)
{
    while (asked && *asked) {
        size_t length = strcspn(asked, ",");
        const char *start = asked + strspn(asked, " ");
        size_t kept = start < asked + length ? (size_t)(asked + length - start) : 0;

        while (kept && start[kept - 1] == ' ')
            kept--;
        if (kept && !list_has(allowed, arena_copy(arena, start, kept), true))
            return false;
        asked += length + (asked[length] == ',');
    }
    return true;
}

static bool plain_answer(struct serving *serving, int status, const char *text)
{
    serving->reply.status = status;
    serving->reply.content_type = "text/plain; charset=utf-8";
    text_append_string(&serving->reply.body, text);
    return false;
}

bool cors_is_preflight(const struct serving *serving)
{
    const struct request *request = &serving->request;

    return serving->format->cors && request->method == METHOD_OPTIONS &&
           request_header(request, "HTTP_ORIGIN") &&
           request_header(request, "HTTP_ACCESS_CONTROL_REQUEST_METHOD");
}

/* Whether the service admits the origin for this request alone. */
static bool is_admitted(struct serving *serving, const char *origin)
{
    const struct http_service *service = serving->server->family->service;

    return service->admits_origin && service->admits_origin(&serving->request, origin);
}

/* Of a page that shows a key: no cookies, and the headers that such clients send. */
static bool answer_admitted(struct serving *serving)
{
    reply_add_header(&serving->reply, "Access-Control-Allow-Methods", "POST");
    reply_add_header(&serving->reply, "Access-Control-Allow-Headers",
                     "Accept, Authorization, Content-Type, If-None-Match, X-API-Key, X-Request-ID");
    reply_add_header(&serving->reply, "Access-Control-Max-Age", MAX_AGE);
    return plain_answer(serving, 200, "OK");
}

bool step_preflight(struct serving *serving)
{
    const struct http_policy *policy = serving->policy;
    const struct request *request = &serving->request;
    struct string_list allowed;

    if (!cors_is_preflight(serving))
        return true;
    allowed = allowed_headers(serving);
    serving->origin_admitted = is_admitted(serving, request_header(request, "HTTP_ORIGIN"));
    if (serving->origin_admitted)
        return answer_admitted(serving);
    if (!list_has(&policy->cors_origins, request_header(request, "HTTP_ORIGIN"), false))
        return plain_answer(serving, 400, "Disallowed CORS origin");
    if (!list_has(&policy->cors_methods,
                  request_header(request, "HTTP_ACCESS_CONTROL_REQUEST_METHOD"), false))
        return plain_answer(serving, 400, "Disallowed CORS method");
    if (!headers_allowed(&allowed, request_header(request, "HTTP_ACCESS_CONTROL_REQUEST_HEADERS"),
                         request->arena))
        return plain_answer(serving, 400, "Disallowed CORS headers");
    reply_add_header(&serving->reply, "Access-Control-Allow-Methods",
                     joined(&policy->cors_methods, request->arena));
    reply_add_header(&serving->reply, "Access-Control-Allow-Headers",
                     joined(&allowed, request->arena));
    reply_add_header(&serving->reply, "Access-Control-Max-Age", MAX_AGE);
    return plain_answer(serving, 200, "OK");
}

/* "*" is sent as it is and never with credentials: a list of "*" must not let foreign pages act
 * with the credentials of their visitors. Under the portal no other site reads with a session. */
void cors_add_headers(struct serving *serving)
{
    const struct cors_rule *rule = serving->format->cors;
    const struct http_policy *policy = serving->policy;
    const char *origin = request_header(&serving->request, "HTTP_ORIGIN");
    bool anybody = string_list_has(&policy->cors_origins, "*");

    if (!rule || !origin)
        return;
    if (cors_is_preflight(serving) ? serving->origin_admitted : is_admitted(serving, origin)) {
        reply_add_header(&serving->reply, "Access-Control-Allow-Origin",
                         arena_copy_string(serving->request.arena, origin));
        reply_add_header(&serving->reply, "Access-Control-Expose-Headers",
                         arena_print(serving->request.arena, "ETag, %s", rule->exposed));
        return;
    }
    if (!list_has(&policy->cors_origins, origin, false))
        return;
    reply_add_header(&serving->reply, "Access-Control-Allow-Origin",
                     anybody ? "*" : arena_copy_string(serving->request.arena, origin));
    if (!anybody && !*request_prefix(&serving->request))
        reply_add_header(&serving->reply, "Access-Control-Allow-Credentials", "true");
    reply_add_header(&serving->reply, "Access-Control-Expose-Headers", rule->exposed);
}
