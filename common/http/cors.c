/* Cross-origin requests: preflights answered here, and the headers that let allowed pages read any
 * answer, errors included. */
#include "http/http_internal.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { PREFLIGHT_SECONDS = 600 };

/* What a page may always send, beside the configured list. */
static const char *const always_allowed[] = {
    "Accept",   "Accept-Language",   "Authorization",  "Content-Language", "Content-Type",
    "If-Match", "X-AB-LLM-Provider", "X-AB-LLM-Token", "X-API-Key",        "X-Request-ID",
};

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
static struct string_list allowed_headers(const struct http_policy *policy, struct arena *arena)
{
    size_t total = policy->cors_headers.count + COUNT_OF(always_allowed);
    struct string_list all = {.items = ARENA_ARRAY(arena, const char *, total)};
    size_t kept = 0;

    for (size_t i = 0; i < policy->cors_headers.count; i++)
        all.items[all.count++] = policy->cors_headers.items[i];
    for (size_t i = 0; i < COUNT_OF(always_allowed); i++)
        all.items[all.count++] = always_allowed[i];
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

bool step_preflight(struct serving *serving)
{
    const struct http_policy *policy = serving->policy;
    const struct request *request = &serving->request;
    const char *origin = request_header(request, "HTTP_ORIGIN");
    const char *method = request_header(request, "HTTP_ACCESS_CONTROL_REQUEST_METHOD");
    const char *headers = request_header(request, "HTTP_ACCESS_CONTROL_REQUEST_HEADERS");
    struct string_list allowed;

    if (request->method != METHOD_OPTIONS || !origin || !method)
        return true;
    allowed = allowed_headers(policy, request->arena);
    if (!list_has(&policy->cors_origins, origin, false))
        return plain_answer(serving, 400, "Disallowed CORS origin");
    if (!list_has(&policy->cors_methods, method, false))
        return plain_answer(serving, 400, "Disallowed CORS method");
    if (!headers_allowed(&allowed, headers, request->arena))
        return plain_answer(serving, 400, "Disallowed CORS headers");
    reply_add_header(&serving->reply, "Access-Control-Allow-Methods",
                     joined(&policy->cors_methods, request->arena));
    reply_add_header(&serving->reply, "Access-Control-Allow-Headers",
                     joined(&allowed, request->arena));
    reply_add_header(&serving->reply, "Access-Control-Max-Age",
                     arena_print(request->arena, "%d", PREFLIGHT_SECONDS));
    return plain_answer(serving, 200, "OK");
}

void cors_add_headers(struct serving *serving)
{
    const char *origin = request_header(&serving->request, "HTTP_ORIGIN");

    if (!origin || !list_has(&serving->policy->cors_origins, origin, false))
        return;
    reply_add_header(&serving->reply, "Access-Control-Allow-Origin",
                     arena_copy_string(serving->request.arena, origin));
    reply_add_header(&serving->reply, "Access-Control-Allow-Credentials", "true");
    reply_add_header(&serving->reply, "Access-Control-Expose-Headers",
                     "X-Request-ID, X-Error-Code, X-Error-Reason, X-Process-Time-Ms, Retry-After, "
                     "Deprecation, Content-Disposition, RateLimit-Limit, RateLimit-Remaining, "
                     "RateLimit-Reset");
}
