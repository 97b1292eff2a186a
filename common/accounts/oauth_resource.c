/* Addresses that tokens are for, compared with the list of the installation. */
#include "accounts/oauth_resource.h"

#include "accounts/oauth_redirect.h"

#include <string.h>
#include <strings.h>

static size_t without_slash(const char *uri, size_t length)
{
    return length > 0 && uri[length - 1] == '/' ? length - 1 : length;
}

static size_t host_name_length(const char *host, size_t length)
{
    size_t port = 0;

    for (size_t i = 0; i < length; i++)
        if (host[i] == ':')
            port = i;
    return *host == '[' && host[length - 1] == ']' ? length : port ? port : length;
}

/* Where the host of "scheme://host..." begins; 0 = nowhere. */
static size_t host_start(const char *uri, size_t length)
{
    for (size_t i = 0; i + 3 <= length; i++)
        if (strncmp(uri + i, "://", 3) == 0)
            return i + 3;
    return 0;
}

static bool is_same(const char *one, size_t one_length, const char *other, size_t other_length)
{
    return one_length == other_length && strncmp(one, other, one_length) == 0;
}

/* Both at this computer, and the same but for its name. */
static bool is_same_here(const char *one, size_t one_length, const char *other, size_t other_length)
{
    size_t start = host_start(one, one_length), name, other_name;
    const char *host = one + start, *other_host = other + start;

    if (!start || start != host_start(other, other_length) || strncasecmp(one, other, start) != 0)
        return false;
    name = host_name_length(host, strcspn(host, "/ "));
    other_name = host_name_length(other_host, strcspn(other_host, "/ "));
    return oauth_host_is_loopback(host, name) && oauth_host_is_loopback(other_host, other_name) &&
           is_same(host + name, one_length - start - name, other_host + other_name,
                   other_length - start - other_name);
}

const char *oauth_resource_service(struct arena *arena, const char *list, const char *resource)
{
    size_t length = without_slash(resource, strlen(resource));

    while (list && *list) {
        size_t item = strcspn(list, " "), name = strcspn(list, "=");

        if (name < item) {
            const char *uri = list + name + 1;
            size_t uri_length = without_slash(uri, item - name - 1);

            if (is_same(uri, uri_length, resource, length) ||
                is_same_here(uri, uri_length, resource, length))
                return arena_copy(arena, list, name);
        }
        list += item + strspn(list + item, " ");
    }
    return NULL;
}

bool oauth_bound_admits(const char *bound_to, const char *service)
{
    return strcmp(bound_to, OAUTH_BOUND_TO_SUITE) == 0 || strcmp(bound_to, service) == 0;
}

bool oauth_scope_has(const char *scope, const char *word)
{
    size_t length = strlen(word);

    for (const char *at = scope; *at; at += strspn(at, " ")) {
        size_t here = strcspn(at, " ");

        if (is_same(at, here, word, length))
            return true;
        at += here;
    }
    return false;
}

/* "localhost:8000", or without a port: it goes into headers. */
static bool is_loopback_host(const char *host)
{
    size_t name = host_name_length(host, strlen(host));
    const char *port = host + name;

    return oauth_host_is_loopback(host, name) &&
           (!*port || (port[1] && strspn(port + 1, "0123456789") == strlen(port + 1)));
}

const char *oauth_origin_as_asked(struct arena *arena, const char *origin, const char *host)
{
    size_t start = host_start(origin, strlen(origin));
    const char *own = origin + start;

    if (!start || !host || !*host || !is_loopback_host(own) || !is_loopback_host(host))
        return origin;
    return arena_print(arena, "%.*s%s", (int)start, origin, host);
}
