/* Bind addresses and Host values of services that need no authentication. */
#include "http/exposure.h"
#include "base/log.h"
#include "http/server.h"
#include "net/address.h"

#include <string.h>
#include <strings.h>

enum error exposure_check(const struct http_policy *policy, bool allowed, struct problem *problem)
{
    if (!policy->open_by || !policy->host || address_is_loopback(policy->host))
        return ERROR_NONE;
    if (allowed) {
        log_event(LOG_WARNING, "open_on_network", policy->open_by);
        return ERROR_NONE;
    }
    return problem_set(problem, ERROR_INVALID, "setting_invalid",
                       "%s must be a loopback address while %s; ASSAY_ALLOW_OPEN=true says that "
                       "everybody is meant to reach it at %s",
                       policy->host_setting, policy->open_by, policy->host);
}

static bool is_same_address(const char *one, const char *other)
{
    struct http_network a, b;

    return policy_parse_network(one, &a) && policy_parse_network(other, &b) &&
           memcmp(&a.address, &b.address, sizeof a.address) == 0;
}

static const char *without_port(struct arena *arena, const char *host)
{
    if (*host == '[')
        return arena_copy(arena, host + 1, strcspn(host + 1, "]"));
    return arena_copy(arena, host, strcspn(host, ":/"));
}

static bool is_listed(const struct string_list *hosts, const char *host)
{
    for (size_t i = 0; i < hosts->count; i++)
        if (strcasecmp(hosts->items[i], host) == 0)
            return true;
    return false;
}

static const char *host_asked(const struct request *request)
{
    const char *host = request_header(request, "REQUEST_HOST");

    if (!host)
        host = request_header(request, "HTTP_HOST");
    return host && *host ? without_port(request->arena, host) : NULL;
}

/* Of the origin that browsers use, NULL where the web server does not pass it. */
static const char *host_of_site(const struct request *request)
{
    const char *site = request_header(request, "SITE_ORIGIN");
    const char *begin = site ? strstr(site, "://") : NULL;

    return begin ? without_port(request->arena, begin + 3) : NULL;
}

bool exposure_knows_host(const struct request *request)
{
    const char *host = host_asked(request), *site = host_of_site(request);
    const char *address = request_header(request, "SERVER_ADDR");

    return !host || address_is_loopback(host) || (address && is_same_address(host, address)) ||
           (site && strcasecmp(site, host) == 0) || is_listed(&request->server->policy.hosts, host);
}

bool exposure_is_local(const struct request *request)
{
    const char *host = host_asked(request), *site = host_of_site(request);

    return host && address_is_loopback(host) && (!site || address_is_loopback(site)) &&
           !request_header(request, "HTTP_X_FORWARDED_FOR") &&
           !request_header(request, "HTTP_FORWARDED");
}
