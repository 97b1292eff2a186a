/* Checks a URL before it is stored: its syntax, its scheme, and every address of its host. */
#include "net/egress.h"

#include "base/string_list.h"
#include "net/address.h"
#include "net/libcurl.h"

#include <ctype.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* The parts of a URL. Lack of memory is not reported as an error of the URL. */
struct parts {
    CURLU *url;
    bool starved;
};

static char *part_of(struct parts *parts, CURLUPart part)
{
    char *text = NULL;

    parts->starved |= curl.url_get(parts->url, part, &text, 0) == CURLUE_OUT_OF_MEMORY;
    return text;
}

static bool has_part(struct parts *parts, CURLUPart part)
{
    char *text = part_of(parts, part);

    curl.free(text);
    return text != NULL;
}

static bool copy_host(struct parts *parts, char host[EGRESS_HOST_MAX])
{
    char *text = part_of(parts, CURLUPART_HOST);
    bool good = text && *text && strlen(text) < EGRESS_HOST_MAX;

    for (size_t i = 0; good && (i == 0 || text[i - 1]); i++)
        host[i] = (char)tolower((unsigned char)text[i]);
    curl.free(text);
    return good;
}

static bool is_web_scheme(struct parts *parts)
{
    char *scheme = part_of(parts, CURLUPART_SCHEME);
    bool good = scheme && (strcasecmp(scheme, "http") == 0 || strcasecmp(scheme, "https") == 0);

    curl.free(scheme);
    return good;
}

static enum error judge(struct parts *parts, const char *text, char host[EGRESS_HOST_MAX],
                        struct problem *problem)
{
    CURLUcode parsed = curl.url_set(parts->url, CURLUPART_URL, text, CURLU_NON_SUPPORT_SCHEME);

    parts->starved |= parsed == CURLUE_OUT_OF_MEMORY;
    if (parsed == CURLUE_OK && is_web_scheme(parts) && !has_part(parts, CURLUPART_HOST))
        parsed = CURLUE_NO_HOST;
    if (parsed == CURLUE_NO_HOST)
        return problem_set(problem, ERROR_INVALID, "url_host", "missing host");
    if (parsed != CURLUE_OK || has_part(parts, CURLUPART_USER) ||
        has_part(parts, CURLUPART_PASSWORD))
        return problem_set(problem, ERROR_INVALID, "url_malformed", "not a usable URL");
    if (!is_web_scheme(parts))
        return problem_set(problem, ERROR_INVALID, "url_scheme",
                           "scheme not allowed: only http and https are");
    if (!copy_host(parts, host))
        return problem_set(problem, ERROR_INVALID, "url_malformed", "the host is too long");
    return ERROR_NONE;
}

enum error egress_host(const char *text, char host[EGRESS_HOST_MAX], struct problem *problem)
{
    struct parts parts = {0};
    enum error error;

    if (strlen(text) > EGRESS_URL_MAX)
        return problem_set(problem, ERROR_INVALID, "url_malformed", "not a usable URL");
    parts.url = libcurl_load() ? curl.url() : NULL;
    error = parts.url ? judge(&parts, text, host, problem) : ERROR_SYSTEM;
    if (parts.url)
        curl.url_cleanup(parts.url);
    if (!parts.url || parts.starved)
        return problem_set(problem, ERROR_SYSTEM, "out_of_memory", "no memory for a URL");
    return error;
}

/* An address in brackets without them. */
static void bare_host(const char *host, char bare[EGRESS_HOST_MAX])
{
    size_t length = strlen(host);
    bool bracketed = host[0] == '[' && host[length - 1] == ']';

    (void)!snprintf(bare, EGRESS_HOST_MAX, "%.*s", (int)(bracketed ? length - 2 : length),
                    host + bracketed);
}

bool egress_is_local(const char *url)
{
    char host[EGRESS_HOST_MAX], bare[EGRESS_HOST_MAX];

    if (egress_host(url, host, NULL))
        return false;
    bare_host(host, bare);
    return address_is_loopback(bare);
}

/* Checks every address of the name. */
static enum error check_addresses(const char *host, const struct egress_policy *policy,
                                  struct problem *problem)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    char bare[EGRESS_HOST_MAX];
    bool good = true;
    int code;

    bare_host(host, bare);
    code = getaddrinfo(bare, NULL, &hints, &found);
    if (code == EAI_MEMORY)
        return problem_set(problem, ERROR_SYSTEM, "out_of_memory", "no memory for an address");
    if (code != 0 || !found)
        return problem_set(problem, ERROR_INVALID, "url_unresolved",
                           "host does not resolve: %.200s", bare);
    for (struct addrinfo *at = found; at; at = at->ai_next) {
        good = good && address_may_be_called(address_classify(at->ai_addr), policy->private_too,
                                             policy->loopback_too);
    }
    freeaddrinfo(found);
    return good ? ERROR_NONE
                : problem_set(problem, ERROR_INVALID, "url_not_public",
                              "host %.200s resolves to non-public address", bare);
}

enum error egress_check(const char *url, const struct egress_policy *policy,
                        struct problem *problem)
{
    char host[EGRESS_HOST_MAX];
    enum error error = egress_host(url, host, problem);

    if (error || string_list_has(&policy->allowed_hosts, host))
        return error;
    if (policy->https_only && strncasecmp(url, "https:", 6) != 0)
        return problem_set(problem, ERROR_INVALID, "url_scheme",
                           "scheme not allowed: only https is");
    return check_addresses(host, policy, problem);
}

bool egress_private_too(const char *url, const struct egress_policy *policy)
{
    char host[EGRESS_HOST_MAX];

    return policy->private_too ||
           (!egress_host(url, host, NULL) && string_list_has(&policy->allowed_hosts, host));
}
