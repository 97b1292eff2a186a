/* Redirect URIs: which may be registered, which one is meant, how it is shown. */
#include "accounts/oauth_redirect.h"

#include "base/text.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* An http or https URI in its parts. */
struct parts {
    const char *host; /* with its port */
    size_t host_length;
    size_t name_length; /* without the port */
    const char *rest;   /* path and query */
};

static bool has_scheme(const char *uri, const char *scheme)
{
    size_t length = strlen(scheme);

    return strncasecmp(uri, scheme, length) == 0 && strncmp(uri + length, "://", 3) == 0;
}

static size_t name_length(const char *host, size_t length)
{
    const char *end = *host == '[' ? memchr(host, ']', length) : memchr(host, ':', length);

    if (*host == '[')
        return end ? (size_t)(end - host) + 1 : 0;
    return end ? (size_t)(end - host) : length;
}

/* False without a host, with a user name, or with what is no port. */
static bool split(const char *uri, struct parts *parts)
{
    size_t digits;

    parts->host = strstr(uri, "://") + 3;
    parts->host_length = strcspn(parts->host, "/?");
    parts->rest = parts->host + parts->host_length;
    parts->name_length = name_length(parts->host, parts->host_length);
    if (parts->name_length == 0 || memchr(parts->host, '@', parts->host_length))
        return false;
    if (parts->name_length == parts->host_length)
        return true;
    digits = strspn(parts->host + parts->name_length + 1, "0123456789");
    return parts->host[parts->name_length] == ':' && digits > 0 && digits <= 5 &&
           parts->name_length + 1 + digits == parts->host_length;
}

bool oauth_host_is_loopback(const char *host, size_t length)
{
    static const char *const names[] = {"127.0.0.1", "[::1]", "localhost"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strlen(names[i]) == length && strncasecmp(host, names[i], length) == 0)
            return true;
    return false;
}

static bool is_plain(const char *uri)
{
    size_t length = strlen(uri);

    for (size_t i = 0; i < length; i++)
        if ((unsigned char)uri[i] <= ' ' || (unsigned char)uri[i] > '~' ||
            strchr("#\\\"<>^`{|}", uri[i]))
            return false;
    return length >= 3 && length <= OAUTH_REDIRECT_MAX;
}

/* Of a program's own; those that a browser or the desktop acts upon by itself are not. */
static bool is_own_scheme(const char *uri)
{
    static const char *const others[] = {
        "http",       "https",  "javascript", "data",        "vbscript", "file",
        "filesystem", "blob",   "about",      "ftp",         "ws",       "wss",
        "mailto",     "tel",    "sms",        "view-source", "jar",      "urn",
        "resource",   "chrome", "intent",     "livescript",  "shell",    "search-ms",
        "ssh",        "telnet", "smb",        "sftp",        "nfs",      "ldap",
        "market",     "rdp",    "vnc",        "irc",         "steam",    "itms-services"};
    size_t length = strcspn(uri, ":");

    if (uri[length] != ':' || !uri[length + 1] || !isalpha((unsigned char)*uri) || length < 2)
        return false;
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)uri[i]) && !strchr("+-.", uri[i]))
            return false;
    if (strncasecmp(uri, "ms-", 3) == 0)
        return false;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strlen(others[i]) == length && strncasecmp(uri, others[i], length) == 0)
            return false;
    return true;
}

enum oauth_redirect_kind oauth_redirect_kind_of(const char *uri)
{
    struct parts parts;

    if (!is_plain(uri))
        return OAUTH_REDIRECT_NONE;
    if (has_scheme(uri, "https"))
        return split(uri, &parts) ? OAUTH_REDIRECT_WEB : OAUTH_REDIRECT_NONE;
    if (has_scheme(uri, "http"))
        return split(uri, &parts) && oauth_host_is_loopback(parts.host, parts.name_length)
                   ? OAUTH_REDIRECT_LOOPBACK
                   : OAUTH_REDIRECT_NONE;
    return is_own_scheme(uri) ? OAUTH_REDIRECT_APP : OAUTH_REDIRECT_NONE;
}

static bool is_same_but_port(const char *registered, const char *uri)
{
    struct parts one, other;

    return split(registered, &one) && split(uri, &other) && one.name_length == other.name_length &&
           strncmp(one.host, other.host, one.name_length) == 0 && strcmp(one.rest, other.rest) == 0;
}

bool oauth_redirect_is_among(const struct string_list *registered, const char *uri)
{
    bool is_loopback = oauth_redirect_kind_of(uri) == OAUTH_REDIRECT_LOOPBACK;

    if (oauth_redirect_kind_of(uri) == OAUTH_REDIRECT_NONE)
        return false;
    for (size_t i = 0; i < registered->count; i++) {
        const char *one = registered->items[i];

        if (strcmp(one, uri) == 0)
            return true;
        if (is_loopback && oauth_redirect_kind_of(one) == OAUTH_REDIRECT_LOOPBACK &&
            is_same_but_port(one, uri))
            return true;
    }
    return false;
}

const char *oauth_redirect_shown(struct arena *arena, const char *uri)
{
    struct parts parts;

    if (oauth_redirect_kind_of(uri) == OAUTH_REDIRECT_APP || !strstr(uri, "://") ||
        !split(uri, &parts))
        return arena_copy(arena, uri, strcspn(uri, ":") + 1);
    return arena_copy(arena, uri, (size_t)(parts.rest - uri));
}

const char *oauth_redirect_with(struct arena *arena, const char *uri, const char *name,
                                const char *value)
{
    enum { REDIRECT_WITH_MAX = 16384 };
    struct text text;

    if (!value)
        return uri;
    text_start(&text, arena, REDIRECT_WITH_MAX);
    text_append_string(&text, uri);
    text_append_string(&text, strchr(uri, '?') ? "&" : "?");
    text_append_string(&text, name);
    text_append_string(&text, "=");
    text_append_url(&text, value);
    return text.bytes;
}
