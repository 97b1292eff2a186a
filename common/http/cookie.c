/* Reads and sets cookies (RFC 6265), and checks which site's page sent a request. */
#include "http/cookie.h"

#include "base/string_list.h"
#include "http/server.h"

#include <string.h>
#include <strings.h>

const char *request_cookie(const struct request *request, const char *name)
{
    const char *at = request_header(request, "HTTP_COOKIE");
    size_t length = strlen(name);

    while (at && *at) {
        size_t pair;

        at += strspn(at, "; ");
        pair = strcspn(at, ";");
        if (pair > length && strncmp(at, name, length) == 0 && at[length] == '=')
            return arena_copy(request->arena, at + length + 1, pair - length - 1);
        at += pair;
    }
    return NULL;
}

void reply_set_cookie(struct request *request, struct reply *reply, const struct cookie *cookie)
{
    static const char *const sites[] = {[SAME_SITE_STRICT] = "Strict", [SAME_SITE_LAX] = "Lax"};

    reply_add_header(
        reply, "Set-Cookie",
        arena_print(request->arena, "%s=%s; Max-Age=%lld; Path=/; HttpOnly; SameSite=%s%s",
                    cookie->name, cookie->max_age ? cookie->value : "", (long long)cookie->max_age,
                    sites[cookie->same_site], cookie->secure ? "; Secure" : ""));
}

/* Browsers name the requesting site (Sec-Fetch-Site) even where they send no Origin. */
static bool asked_by_other_site(const struct request *request)
{
    const char *site = request_header(request, "HTTP_SEC_FETCH_SITE");

    return site && (strcmp(site, "cross-site") == 0 || strcmp(site, "same-site") == 0);
}

static bool changes_something(const struct request *request)
{
    return request->method != METHOD_GET && request->method != METHOD_HEAD &&
           request->method != METHOD_OPTIONS;
}

/* Both are "SCHEME://...". */
static bool is_same_scheme(const char *one, const char *other)
{
    size_t length = strcspn(one, ":");

    return strncasecmp(one, other, length + 1) == 0;
}

bool request_is_of_own_page(const struct request *request)
{
    const char *origin = request_header(request, "HTTP_ORIGIN");
    const char *site = request_header(request, "SITE_ORIGIN");
    const char *host = request_header(request, "REQUEST_HOST");
    const char *origin_host;

    if (!changes_something(request))
        return true;
    if (!origin)
        return !asked_by_other_site(request);
    if (site && *site && strcasecmp(origin, site) == 0)
        return true;
    /* The portal may be opened by several names (localhost, 127.0.0.1), by one scheme only. */
    if (*request_prefix(request) && site && *site && !is_same_scheme(origin, site))
        return false;
    origin_host = strstr(origin, "://");
    return origin_host && host && *host && strcasecmp(origin_host + 3, host) == 0;
}

const char *request_session_cookie(const struct request *request)
{
    if (!*request_prefix(request) || !request_is_of_own_page(request))
        return NULL;
    /* Every browser sends Origin with such a method. */
    if (changes_something(request) && !request_header(request, "HTTP_ORIGIN"))
        return NULL;
    return request_cookie(request, "assay_session");
}

bool request_is_of_known_page(const struct request *request)
{
    const struct string_list *origins = &request->server->policy.cors_origins;
    const char *origin = request_header(request, "HTTP_ORIGIN");

    return string_list_has(origins, origin) || request_is_of_own_page(request);
}
