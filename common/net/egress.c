/* Judging a URL before it is stored: its shape, its scheme, and every address of its host. */
#include "net/egress.h"

#include "base/string_list.h"
#include "net/address.h"

#include <ctype.h>
#include <curl/curl.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static bool has_part(CURLU *url, CURLUPart part)
{
    char *text = NULL;
    bool found = curl_url_get(url, part, &text, 0) == CURLUE_OK;

    curl_free(text);
    return found;
}

static bool copy_host(CURLU *url, char host[EGRESS_HOST_MAX])
{
    char *text = NULL;
    bool good = curl_url_get(url, CURLUPART_HOST, &text, 0) == CURLUE_OK && *text &&
                strlen(text) < EGRESS_HOST_MAX;

    for (size_t i = 0; good && (i == 0 || text[i - 1]); i++)
        host[i] = (char)tolower((unsigned char)text[i]);
    curl_free(text);
    return good;
}

static bool is_web_scheme(CURLU *url)
{
    char *scheme = NULL;
    bool good = curl_url_get(url, CURLUPART_SCHEME, &scheme, 0) == CURLUE_OK &&
                (strcasecmp(scheme, "http") == 0 || strcasecmp(scheme, "https") == 0);

    curl_free(scheme);
    return good;
}

enum error egress_host(const char *text, char host[EGRESS_HOST_MAX], struct problem *problem)
{
    CURLU *url = strlen(text) <= EGRESS_URL_MAX ? curl_url() : NULL;
    CURLUcode parsed = url ? curl_url_set(url, CURLUPART_URL, text, CURLU_NON_SUPPORT_SCHEME)
                           : CURLUE_MALFORMED_INPUT;
    enum error error = ERROR_NONE;

    if (parsed == CURLUE_OK && is_web_scheme(url) && !has_part(url, CURLUPART_HOST))
        parsed = CURLUE_NO_HOST;
    if (parsed == CURLUE_NO_HOST)
        error = problem_set(problem, ERROR_INVALID, "url_host", "missing host");
    else if (parsed != CURLUE_OK || has_part(url, CURLUPART_USER) ||
             has_part(url, CURLUPART_PASSWORD))
        error = problem_set(problem, ERROR_INVALID, "url_malformed", "not a usable URL");
    else if (!is_web_scheme(url))
        error = problem_set(problem, ERROR_INVALID, "url_scheme",
                            "scheme not allowed: only http and https are");
    else if (!copy_host(url, host))
        error = problem_set(problem, ERROR_INVALID, "url_malformed", "the host is too long");
    curl_url_cleanup(url);
    return error;
}

/* Every address of the name; one in brackets is looked up without them. */
static enum error check_addresses(const char *host, bool private_too, struct problem *problem)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    char bare[EGRESS_HOST_MAX];
    size_t length = strlen(host);
    bool bracketed = host[0] == '[' && host[length - 1] == ']';
    bool good = true;

    (void)!snprintf(bare, sizeof bare, "%.*s", (int)(bracketed ? length - 2 : length),
                    host + bracketed);
    if (getaddrinfo(bare, NULL, &hints, &found) != 0 || !found)
        return problem_set(problem, ERROR_INVALID, "url_unresolved",
                           "host does not resolve: %.200s", bare);
    for (struct addrinfo *at = found; at; at = at->ai_next) {
        enum address_class class = address_classify(at->ai_addr);

        good = good && (class == ADDRESS_PUBLIC || (class == ADDRESS_PRIVATE && private_too));
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
    return check_addresses(host, policy->private_too, problem);
}

bool egress_private_too(const char *url, const struct egress_policy *policy)
{
    char host[EGRESS_HOST_MAX];

    return policy->private_too ||
           (!egress_host(url, host, NULL) && string_list_has(&policy->allowed_hosts, host));
}
