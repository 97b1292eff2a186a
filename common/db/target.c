/*
 * Where a database is, from a setting. PostgreSQL's own URL parser is not used: its messages quote
 * the URL, and it ends the password at the first `@` where people mean the last.
 */
#include "db/db_internal.h"
#include "db/url.h"

#include <limits.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static const char unknown_scheme[] =
    "the database URL must start with sqlite:///, postgres:// or postgresql://";

static enum error bad_target(struct problem *problem, const char *text)
{
    return problem_set(problem, ERROR_INVALID, "database_target", "%s", text);
}

static bool add_keyword(struct target *target, const char *keyword, const char *value)
{
    if (!keyword || !value || target->keyword_count == TARGET_KEYWORDS_MAX)
        return false;
    for (int i = 0; i < target->keyword_count; i++) {
        if (strcmp(target->keywords[i], keyword) == 0) {
            target->values[i] = value;
            return true;
        }
    }
    target->keywords[target->keyword_count] = keyword;
    target->values[target->keyword_count++] = value;
    return true;
}

static bool add_user(struct target *target, struct span user, struct arena *arena)
{
    const char *colon = user.length ? memchr(user.start, ':', user.length) : NULL;
    size_t length = colon ? (size_t)(colon - user.start) : user.length;

    if (length &&
        !add_keyword(target, "user", url_decode(arena, (struct span){user.start, length})))
        return false;
    if (!colon)
        return true;
    return add_keyword(target, "password",
                       url_decode(arena, (struct span){colon + 1, user.length - length - 1}));
}

/* One of the hosts: `name`, `name:port`, `[v6]` or `[v6]:port`. */
static bool host_split(struct span text, struct span *name, struct span *port)
{
    const char *closing = NULL, *colon, *end = text.start + text.length;

    *port = (struct span){end, 0};
    if (text.length && *text.start == '[') {
        closing = memchr(text.start, ']', text.length);
        if (!closing)
            return false;
        *name = (struct span){text.start + 1, (size_t)(closing - text.start) - 1};
        text = (struct span){closing + 1, (size_t)(end - closing) - 1};
    }
    colon = memrchr(text.start, ':', text.length);
    if (!closing)
        *name = (struct span){text.start, colon ? (size_t)(colon - text.start) : text.length};
    if (colon)
        *port = (struct span){colon + 1, (size_t)(end - colon) - 1};
    return true;
}

/* One or several with commas; libpq wants the names and the ports as two lists. */
static bool add_hosts(struct target *target, struct span hosts, struct arena *arena)
{
    const char *at = hosts.start, *end = hosts.start + hosts.length;
    const char *names = "", *ports = "", *separator = "";
    bool any_port = false;

    while (at <= end) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        const char *stop = comma ? comma : end;
        struct span name, port;

        if (!host_split((struct span){at, (size_t)(stop - at)}, &name, &port))
            return false;
        names = arena_print(arena, "%s%s%.*s", names, separator, (int)name.length, name.start);
        ports = arena_print(arena, "%s%s%.*s", ports, separator, (int)port.length, port.start);
        any_port = any_port || port.length;
        separator = ",";
        at = stop + 1;
    }
    if (!add_keyword(target, "host", url_decode(arena, (struct span){names, strlen(names)})))
        return false;
    return !any_port || add_keyword(target, "port", ports);
}

static bool add_query(struct target *target, struct span query, struct arena *arena)
{
    const char *at = query.start, *end = query.start + query.length;

    while (at < end) {
        size_t length = strcspn(at, "&");
        const char *equals = memchr(at, '=', length);

        if (!equals)
            return false;
        if (!add_keyword(
                target, url_decode(arena, (struct span){at, (size_t)(equals - at)}),
                url_decode(arena, (struct span){equals + 1, length - (size_t)(equals - at) - 1})))
            return false;
        at += length + 1;
    }
    return true;
}

static enum error parse_postgres(const struct url *url, struct arena *arena, struct target *target,
                                 struct problem *problem)
{
    struct span name = {url->path.start + 1, url->path.length ? url->path.length - 1 : 0};
    char *place = arena_copy(arena, url->host.start, url->host.length);

    target->engine = DB_POSTGRES;
    if (url_ambiguous(url))
        return bad_target(problem,
                          "the database URL has an unencoded character in its password, or "
                          "a port that is no number; write / as %2F, ? as %3F, # as %23, "
                          "@ as %40");
    if (!add_user(target, url->user, arena) ||
        (url->host.length && !add_hosts(target, url->host, arena)) ||
        (name.length && !add_keyword(target, "dbname", url_decode(arena, name))) ||
        !add_query(target, url->query, arena))
        return bad_target(problem, "the PostgreSQL URL cannot be read; expected "
                                   "postgresql://user:password@host:port/name?key=value");
    for (int i = 0; !*place && i < target->keyword_count; i++) {
        if (strcmp(target->keywords[i], "host") == 0)
            place = arena_copy_string(arena, target->values[i]);
    }
    target->location = place;
    return ERROR_NONE;
}

static enum error set_path(const char *path, struct arena *arena, struct target *target,
                           struct problem *problem)
{
    char directory[PATH_MAX];
    char *slash;

    target->engine = DB_SQLITE;
    if (!path || !*path)
        return bad_target(problem, "the path of the database file is empty");
    if (strcmp(path, ":memory:") == 0) {
        target->path = path;
        target->location = "";
        return ERROR_NONE;
    }
    if (path[0] != '/') {
        if (!getcwd(directory, sizeof directory))
            return bad_target(problem, "the working directory cannot be read");
        path = arena_print(arena, "%s/%s", directory, path);
    }
    while (path[1] == '/')
        path++;
    if (strlen(path) >= PATH_MAX - 16 || path[strlen(path) - 1] == '/')
        return bad_target(problem, "the path of the database file is not the path of a file");
    target->path = arena_copy_string(arena, path);
    slash = strrchr(target->path, '/');
    target->location = slash == target->path
                           ? "/"
                           : arena_copy(arena, target->path, (size_t)(slash - target->path));
    return ERROR_NONE;
}

static enum error parse_sqlite(const struct url *url, struct arena *arena, struct target *target,
                               struct problem *problem)
{
    if (url->user.length || url->host.length || url->query.length || !url->path.length)
        return bad_target(problem, "an SQLite URL is sqlite:///absolute/path and nothing else");
    return set_path(url_decode(arena, url->path), arena, target, problem);
}

static bool scheme_is(const struct url *url, const char *scheme)
{
    return strlen(scheme) == url->scheme.length &&
           strncasecmp(url->scheme.start, scheme, url->scheme.length) == 0;
}

/* `postgresql//user:password@host/name`, `host=db password=x` and the like are slips of the pen,
 * not files: taken for a path they would be shown. A file with such a name is written `./name`. */
static bool looks_like_url(const char *text)
{
    const char *slashes = strstr(text, "//");

    if (slashes && strchr(slashes, '@'))
        return true;
    return *text != '/' && *text != '.' && text[strcspn(text, ":@=?")] != '\0';
}

enum error target_parse(const char *text, struct arena *arena, struct target *target,
                        struct problem *problem)
{
    enum error error = ERROR_INVALID;
    char shown[1024];
    struct url url;

    *target = (struct target){0};
    db_redact_url(text, shown, sizeof shown);
    target->shown = arena_copy_string(arena, shown);
    if (!url_split(text, &url)) {
        if (strcmp(text, ":memory:") != 0 && looks_like_url(text))
            return bad_target(problem, unknown_scheme);
        error = set_path(arena_copy_string(arena, text), arena, target, problem);
    } else if (scheme_is(&url, "sqlite")) {
        error = parse_sqlite(&url, arena, target, problem);
    } else if (scheme_is(&url, "postgres") || scheme_is(&url, "postgresql")) {
        error = parse_postgres(&url, arena, target, problem);
    } else {
        return bad_target(problem, unknown_scheme);
    }
    if (!error && target->path)
        target->shown = target->path;
    return error;
}
