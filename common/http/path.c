/* The path of a request. The nginx of the stack passes it decoded and without dots (DOCUMENT_URI).
 * Under other web servers, CGI programs that are called by their own name get the rest of the path
 * in PATH_INFO; all other programs get what the client sent in REQUEST_URI. */
#include "http/http_internal.h"

#include <string.h>

/* Where the path of a target begins and ends: `http://host/path?query` or `/path?query`. */
static const char *cut_target(const char *target, size_t *length)
{
    const char *scheme_end = strstr(target, "://");
    const char *path = target;

    if (target[0] != '/' && scheme_end)
        path = scheme_end + 3 + strcspn(scheme_end + 3, "/?#");
    *length = strcspn(path, "?#");
    return path;
}

static int hex_value(char digit)
{
    const char *digits = "0123456789abcdef0123456789ABCDEF";
    const char *found = digit ? strchr(digits, digit) : NULL;

    return found ? (int)((found - digits) % 16) : -1;
}

/* In place. A NUL, and an invalid percent escape, stay as they are. */
static void decode_percent(char *text)
{
    char *out = text;

    for (const char *in = text; *in; in++) {
        int high = *in == '%' ? hex_value(in[1]) : -1;
        int low = high >= 0 ? hex_value(in[2]) : -1;

        if (low >= 0 && high * 16 + low > 0) {
            *out++ = (char)(high * 16 + low);
            in += 2;
        } else {
            *out++ = *in;
        }
    }
    *out = '\0';
}

/* In place: removes empty segments and `.`; `..` removes the segment before it. */
static void remove_dots(char *path)
{
    size_t out = 0;
    const char *in = path;

    while (*in) {
        size_t length;

        in += strspn(in, "/");
        length = strcspn(in, "/");
        if (length == 2 && memcmp(in, "..", 2) == 0) {
            while (out > 0 && path[--out] != '/')
                continue;
        } else if (length && !(length == 1 && in[0] == '.')) {
            path[out++] = '/';
            memmove(path + out, in, length);
            out += length;
        }
        in += length;
        if (*in == '/' && in[strspn(in, "/")] == '\0') { /* a slash at the end is significant */
            path[out++] = '/';
            break;
        }
    }
    if (!out)
        path[out++] = '/';
    path[out] = '\0';
}

static const char *variable(const struct request *request, const char *name)
{
    const struct exchange *exchange = request->exchange;
    const char *value = exchange->variable(exchange->transport, name);

    return value && *value ? value : NULL;
}

/* `/cgi-bin/experiments-system.cgi/health`: after the name of this program. Web servers that are
 * configured with our prefix have it in SCRIPT_NAME. */
static const char *rest_after_script(const struct request *request)
{
    const char *rest = variable(request, "PATH_INFO");
    const char *script = variable(request, "SCRIPT_NAME");
    const char *name = script ? strrchr(script, '/') : NULL;
    const struct http_family *family = request->server->family;
    const char *program = arena_print(request->arena, "%s-%s", family->service->name, family->name);
    size_t length = strlen(program);

    if (!rest || rest[0] != '/' || !name || strncmp(name + 1, program, length) != 0 ||
        (name[1 + length] && name[1 + length] != '.'))
        return NULL;
    return rest;
}

const char *request_path_of(const struct request *request)
{
    const char *path = variable(request, "DOCUMENT_URI");
    const char *target = variable(request, "REQUEST_URI");
    size_t length;
    char *decoded;

    if (path)
        return arena_copy_string(request->arena, path);
    path = rest_after_script(request);
    if (path || !target) {
        decoded = arena_copy_string(request->arena, path ? path : "/");
    } else {
        path = cut_target(target, &length);
        decoded = arena_copy(request->arena, path, length);
        decode_percent(decoded);
    }
    if (decoded[0] != '/')
        return "/";
    remove_dots(decoded);
    return decoded;
}

/* Whether the path begins as a row whose path contains a secret. */
static bool is_below_secret(const struct request *request, const struct route *route)
{
    return route->secret_path &&
           strncmp(request->path, route->path, strcspn(route->path, "{")) == 0;
}

const char *request_shown_path(const struct request *request)
{
    const struct http_family *family = request->server->family;

    if (request->route)
        return request->route->secret_path ? request->route->path : request->path;
    for (size_t i = 0; i < family->route_count; i++)
        if (is_below_secret(request, &family->routes[i]))
            return family->routes[i].path;
    return request->path;
}
