/* From the arguments of a tool to the request of its route. */
#include "base/number.h"
#include "http/server.h"
#include "mcp/tool_call.h"
#include "mcp/tool_schema.h"

#include <ctype.h>
#include <string.h>

enum { TARGET_MAX = 32768, BODY_MAX = 64 * 1024 * 1024, SECONDS_MAX = 600 };
enum { SPARE_SECONDS = 7 }; /* before the web server gives up, and the watch over workers */

static enum error refuse(struct request *request, const char *name, const char *fault)
{
    return problem_set(&request->problem, ERROR_INVALID, "bad_argument", "%s: %s", name, fault);
}

/* A text, a number or a truth value as it stands in an address. NULL = it is another thing. */
static const char *scalar_text(struct arena *arena, const json_t *value)
{
    char number[NUMBER_TEXT_MAX];

    switch (json_typeof(value)) {
    case JSON_STRING:
        return json_string_value(value);
    case JSON_INTEGER:
        return arena_print(arena, "%lld", (long long)json_integer_value(value));
    case JSON_REAL:
        number_format(json_real_value(value), number);
        return arena_copy_string(arena, number);
    case JSON_TRUE:
        return "true";
    case JSON_FALSE:
        return "false";
    default:
        return NULL;
    }
}

static const json_t *value_of(const struct tool_argument *argument, const json_t *arguments)
{
    const json_t *value = json_object_get(arguments, argument->name);

    return value && !json_is_null(value) ? value : NULL;
}

static bool is_dots(const char *segment, size_t length)
{
    return (length == 1 || length == 2) && strspn(segment, ".") >= length;
}

/* One segment of a path, or several where slashes are allowed; none of them dots alone or empty. */
static bool fits_path(const char *value, bool slashes)
{
    for (;; value++) {
        size_t length = strcspn(value, "/");

        if (!length || is_dots(value, length) || (value[length] && !slashes))
            return false;
        value += length;
        if (!*value)
            return true;
    }
}

/* The path with each {placeholder} filled in; decoded, as nginx passes it. */
static enum error fill_path(struct request *request, const struct mcp_tool *tool,
                            const json_t *arguments, const char **filled)
{
    struct text path;

    text_start(&path, request->arena, TARGET_MAX);
    for (const char *at = tool->path; *at;) {
        size_t plain = strcspn(at, "{"), length;
        const char *name, *value;
        const json_t *given;

        text_append(&path, at, plain);
        at += plain;
        if (!*at)
            break;
        length = strcspn(at + 1, "}");
        name = arena_copy(request->arena, at + 1, length);
        at += length + 2;
        given = json_object_get(arguments, name);
        value = given ? scalar_text(request->arena, given) : NULL;
        if (!value || !*value)
            return refuse(request, name, "it is required, as a text");
        if (!fits_path(value, tool->tail && !strchr(at, '/')))
            return refuse(request, name, "it may contain no slash, and not be dots alone");
        text_append_string(&path, value);
    }
    if (path.overflowed)
        return refuse(request, tool->name, "the path is too long");
    *filled = path.bytes;
    return ERROR_NONE;
}

static void add_pair(struct text *query, const char *name, const char *value)
{
    if (query->length)
        text_append_byte(query, '&');
    text_append_url(query, name);
    text_append_byte(query, '=');
    text_append_url(query, value);
}

/* Items of a list are joined by commas, as routes take them. */
static const char *query_text(struct arena *arena, const json_t *value)
{
    json_t *list = (json_t *)(uintptr_t)value, *item; /* iterated, not changed */
    struct text text;
    size_t i;

    if (!json_is_array(value))
        return scalar_text(arena, value);
    text_start(&text, arena, TARGET_MAX);
    json_array_foreach(list, i, item)
    {
        const char *one = scalar_text(arena, item);

        if (!one)
            return NULL;
        if (i)
            text_append_byte(&text, ',');
        text_append_string(&text, one);
    }
    return text.bytes;
}

/* "If-Match" as "HTTP_IF_MATCH". */
static const char *cgi_name(struct arena *arena, const char *header)
{
    char *name = arena_print(arena, "HTTP_%s", header);

    for (char *p = name; *p; p++)
        *p = (char)(*p == '-' ? '_' : toupper((unsigned char)*p));
    return name;
}

static bool is_one_line(const char *value)
{
    for (; *value; value++)
        if ((unsigned char)*value < ' ' || *value == 0x7f)
            return false;
    return true;
}

static enum error add_argument(struct request *request, const struct tool_argument *argument,
                               const json_t *value, struct text *query, struct relay_call *call)
{
    const char *text = query_text(request->arena, value);

    if (!text)
        return refuse(request, argument->name,
                      "it must be a text, a number, a truth value or a list of them");
    if (argument->place == ARGUMENT_QUERY)
        add_pair(query, argument->sent, text);
    else if (!is_one_line(text) || call->header_count == RELAY_HEADERS_MAX)
        return refuse(request, argument->name, "it must be one line");
    else
        call->headers[call->header_count++] =
            (struct relay_header){cgi_name(request->arena, argument->sent), text};
    return ERROR_NONE;
}

static enum error add_arguments(struct request *request, const struct mcp_tool *tool,
                                const json_t *arguments, struct relay_call *call)
{
    struct text query;

    text_start(&query, request->arena, TARGET_MAX);
    for (size_t i = 0; i < tool->argument_count; i++) {
        const struct tool_argument *argument = &tool->arguments[i];
        const json_t *value = value_of(argument, arguments);
        enum error error = ERROR_NONE;

        if (argument->place == ARGUMENT_PATH)
            continue;
        if (value)
            error = add_argument(request, argument, value, &query, call);
        if (error)
            return error;
    }
    if (query.overflowed)
        return refuse(request, tool->name, "the query is too long");
    call->query = query.bytes;
    return ERROR_NONE;
}

static bool is_known(const struct mcp_tool *tool, const char *name)
{
    for (size_t i = 0; i < tool->argument_count; i++)
        if (strcmp(tool->arguments[i].name, name) == 0)
            return true;
    return strcmp(name, tool->reads ? TOOL_ANSWER_FROM : TOOL_CONFIRM) == 0;
}

/* Members that no argument of the address takes: the route checks them, and refuses unknown ones by
 * name. Returns their number. */
static size_t write_members(const struct mcp_tool *tool, const json_t *arguments, struct text *body)
{
    json_t *given = (json_t *)(uintptr_t)arguments, *value; /* iterated, not changed */
    struct json_writer writer;
    const char *name;
    size_t count = 0;

    writer_start(&writer, body);
    writer_open_object(&writer);
    json_object_foreach(given, name, value)
    {
        if (is_known(tool, name))
            continue;
        writer_key(&writer, name);
        writer_value(&writer, value);
        count++;
    }
    writer_close_object(&writer);
    return count;
}

static enum error refuse_unknown(struct request *request, const struct mcp_tool *tool,
                                 const json_t *arguments, const char *but)
{
    json_t *given = (json_t *)(uintptr_t)arguments, *value; /* iterated, not changed */
    const char *name;

    json_object_foreach(given, name,
                        value) if (!is_known(tool, name) &&
                                   !(but && strcmp(name, but) ==
                                                0)) return refuse(request, name,
                                                                  "it is no argument of this tool");
    return ERROR_NONE;
}

/* A tool has one answer; a stream would be read as what it is not. */
static bool asks_for_stream(const json_t *arguments)
{
    return json_is_true(json_object_get(arguments, "stream"));
}

static enum error add_body(struct request *request, const struct mcp_tool *tool,
                           const json_t *arguments, struct relay_call *call)
{
    const json_t *given = json_object_get(arguments, TOOL_BODY);
    struct json_writer writer;
    struct text body;

    if (tool->body == BODY_NONE)
        return refuse_unknown(request, tool, arguments, NULL);
    text_start(&body, request->arena, BODY_MAX);
    if (tool->body == BODY_MEMBERS) {
        if (asks_for_stream(arguments))
            return refuse(request, "stream", "a tool answers in one piece; leave it out");
        if (!write_members(tool, arguments, &body) && !tool->body_required)
            return ERROR_NONE;
    } else {
        enum error error = refuse_unknown(request, tool, arguments, TOOL_BODY);

        if (error || !given)
            return error;
        if (tool->body == BODY_TEXT && !json_is_string(given))
            return refuse(request, TOOL_BODY, "it must be a text");
        writer_start(&writer, &body);
        if (tool->body == BODY_TEXT)
            text_append_string(&body, json_string_value(given));
        else
            writer_value(&writer, given);
    }
    call->content_type = tool->body_type;
    call->body = body.bytes;
    call->length = body.length;
    return ERROR_NONE;
}

static double seconds_left(const struct request *request)
{
    double limit = request->server->limit;

    return limit > SPARE_SECONDS ? limit - SPARE_SECONDS : SECONDS_MAX;
}

enum error mcp_tool_request(struct request *request, const struct mcp_tool *tool,
                            const json_t *arguments, struct relay_call *call)
{
    enum error error;

    *call = (struct relay_call){.pool = tool->pool,
                                .prefix = tool->service->prefix,
                                .method = tool->method,
                                .answer_max = (size_t)request->server->policy.tools.fetched,
                                .seconds = seconds_left(request)};
    error = fill_path(request, tool, arguments, &call->path);
    if (!error)
        error = add_arguments(request, tool, arguments, call);
    return error ? error : add_body(request, tool, arguments, call);
}
