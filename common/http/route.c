/* Matching a method and path against the route table. */
#include "http/route.h"

#include <string.h>

const char *const method_names[METHOD__MAX] = {"GET",   "HEAD",   "POST",    "PUT",
                                               "PATCH", "DELETE", "OPTIONS", "OTHER"};

/* Compares segment by segment; a {placeholder} takes any non-empty segment that is text. */
static bool path_matches(const struct route *route, const char *path, struct arena *arena,
                         const char *arguments[REQUEST_PATH_ARGUMENTS_MAX])
{
    const char *pattern = route->path;
    size_t found = 0;

    while (*pattern && *path) {
        if (*pattern == '{') {
            bool takes_rest = route->tail && !strchr(pattern, '/');
            size_t length = takes_rest ? strlen(path) : strcspn(path, "/");

            if (!length || found == REQUEST_PATH_ARGUMENTS_MAX ||
                utf8_valid_prefix(path, length) != length)
                return false;
            arguments[found++] = arena_copy(arena, path, length);
            pattern += strcspn(pattern, "}") + 1;
            path += length;
        } else if (*pattern++ != *path++) {
            return false;
        }
    }
    return !*pattern && !*path;
}

struct route_match route_find(const struct route *routes, size_t count, enum method method,
                              const char *path, struct arena *arena,
                              const char *arguments[REQUEST_PATH_ARGUMENTS_MAX])
{
    enum method wanted = method == METHOD_HEAD ? METHOD_GET : method;
    struct route_match match = {0};

    for (size_t i = 0; i < count; i++) {
        const char *found[REQUEST_PATH_ARGUMENTS_MAX] = {NULL};

        if (!path_matches(&routes[i], path, arena, found))
            continue;
        match.path_known = true;
        match.methods |= 1U << routes[i].method;
        if (routes[i].method == METHOD_GET)
            match.methods |= 1U << METHOD_HEAD;
        if (routes[i].method != wanted || match.route)
            continue;
        match.route = &routes[i];
        memcpy(arguments, found, sizeof found);
    }
    return match;
}

bool route_reads(const struct route *route, unsigned reading_traits)
{
    return route->method == METHOD_GET ||
           (route->method == METHOD_POST && route->traits & reading_traits);
}

bool route_replies_with(const struct route *route, int status)
{
    if (status == (route->status ? route->status : 200))
        return true;
    for (const int *error = route->errors; error && *error; error++)
        if (*error == WITH_REPLY(status))
            return true;
    return false;
}
