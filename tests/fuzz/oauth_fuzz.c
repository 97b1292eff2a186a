/* What programs that sign in send in addresses and parameters, any bytes of it: where the browser
 * is to be sent, which service a token is for, the host that was asked, a scope. The first byte
 * says which; what follows is a line for each argument. */
#include "fuzz.h"

#include "accounts/oauth_redirect.h"
#include "accounts/oauth_resource.h"

#include <string.h>
#include <strings.h>

enum { LINES = 3 };

static bool is_visible(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text <= ' ' || (unsigned char)*text > '~')
            return false;
    return true;
}

static void read_redirect(struct arena *arena, const char *uri, const char *other)
{
    enum oauth_redirect_kind kind = oauth_redirect_kind_of(uri);
    const char *items[] = {other};
    const struct string_list registered = {.count = 1, .items = items};

    if (oauth_redirect_is_among(&registered, uri))
        PROMISE(kind != OAUTH_REDIRECT_NONE && kind == oauth_redirect_kind_of(other),
                "a request goes to an address of the kind that was registered");
    if (kind == OAUTH_REDIRECT_NONE)
        return;
    PROMISE(is_visible(uri) && !strpbrk(uri, "#\\\"<>") && strlen(uri) <= OAUTH_REDIRECT_MAX,
            "an address is one word without a fragment");
    PROMISE(strncasecmp(uri, "javascript:", 11) != 0 && strncasecmp(uri, "data:", 5) != 0,
            "the browser runs no address");
    PROMISE(kind == OAUTH_REDIRECT_APP || strncasecmp(uri, "http", 4) == 0, "the rest is http(s)");
    PROMISE(is_visible(oauth_redirect_shown(arena, uri)), "a person can read it");
    PROMISE(is_visible(oauth_redirect_with(arena, uri, "state", other)),
            "what is added breaks no header");
    PROMISE(strncmp(oauth_redirect_with(arena, uri, "state", other), uri, strcspn(uri, "?")) == 0,
            "a parameter changes no address");
}

static void read_resource(struct arena *arena, const char *list, const char *resource)
{
    const char *service = oauth_resource_service(arena, list, resource);

    PROMISE(!service || strstr(list, arena_print(arena, "%s=", service)),
            "a service is one of the list");
}

static void read_host(struct arena *arena, const char *host)
{
    const char *origin = oauth_origin_as_asked(arena, "http://127.0.0.1:8080", host);

    PROMISE(strncmp(origin, "http://", 7) == 0, "the scheme stays");
    PROMISE(is_visible(origin) && !strpbrk(origin + 7, "\"<>\\/?#@ "), "the rest is a host");
}

static void read_scope(const char *scope, const char *word)
{
    PROMISE(!oauth_scope_has(scope, word) || strstr(scope, word), "a word of the scope");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *arena = arena_create(1 << 26);
    size_t length = size ? size - 1 : 0;
    char *text = arena_copy(arena, (const char *)data + (size ? 1 : 0), length);
    const char *lines[LINES] = {"", "", ""};

    for (size_t i = 0; i < LINES; i++) {
        char *end = strchr(text, '\n');

        lines[i] = text;
        if (!end)
            break;
        *end = '\0';
        text = end + 1;
    }
    switch (size ? data[0] : 0) {
    case 'r':
        read_redirect(arena, lines[0], lines[1]);
        break;
    case 's':
        read_resource(arena, lines[0], lines[1]);
        break;
    case 'h':
        read_host(arena, lines[0]);
        break;
    default:
        read_scope(lines[0], lines[1]);
    }
    arena_destroy(arena);
    return 0;
}
