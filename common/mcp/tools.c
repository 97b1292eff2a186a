/* The methods of tools: all of one service, or the chosen ones of several and two that lead to the
 * rest. */
#include "http/server.h"
#include "mcp/mcp_internal.h"
#include "mcp/tool_call.h"
#include "mcp/tool_search.h"

#include <string.h>

enum { FOUND_DEFAULT = 8, FOUND_MAX = 25 };

#define FIND_TOOL "find_tool"
#define CALL_TOOL "call_tool"

static const char find_listing[] =
    "{\"name\":\"" FIND_TOOL "\",\"title\":\"Find a tool\",\"description\":\"Searches all tools of "
    "the suite by words, also those that are not listed. Gives their names, descriptions and input "
    "schemas; call one with " CALL_TOOL ".\",\"inputSchema\":{\"type\":\"object\",\"properties\":{"
    "\"query\":{\"type\":\"string\",\"description\":\"What is to be done, in a few English words, "
    "like: sample size, open tickets, freshness of a metric\"},\"service\":{\"type\":\"string\","
    "\"description\":\"Only tools of this service\"},\"limit\":{\"type\":\"integer\",\"minimum\":1,"
    "\"maximum\":25,\"default\":8}},\"required\":[\"query\"],\"additionalProperties\":false},"
    "\"annotations\":{\"title\":\"Find a tool\",\"readOnlyHint\":true,\"destructiveHint\":false,"
    "\"idempotentHint\":true}}";

static const char call_listing[] =
    "{\"name\":\"" CALL_TOOL "\",\"title\":\"Call any tool\",\"description\":\"Calls a tool of the "
    "suite by its name, also one that is not listed. The arguments are those of its input "
    "schema, which " FIND_TOOL " gives.\",\"inputSchema\":{\"type\":\"object\",\"properties\":{"
    "\"name\":{\"type\":\"string\"},\"arguments\":{\"type\":\"object\"}},\"required\":[\"name\"],"
    "\"additionalProperties\":false},\"annotations\":{\"title\":\"Call any tool\",\"readOnlyHint\":"
    "false,\"destructiveHint\":true,\"idempotentHint\":false}}";

static bool is_suite(const struct mcp_call *call)
{
    return call->offer->chosen != NULL;
}

static bool is_listed(const struct mcp_call *call, const struct mcp_tool *tool)
{
    if (!is_suite(call) || call->all_tools)
        return true;
    for (size_t i = 0; i < call->offer->chosen_count; i++)
        if (strcmp(call->offer->chosen[i], tool->name) == 0)
            return true;
    return false;
}

void mcp_list_tools(struct mcp_call *call)
{
    const struct mcp_catalog *catalog = call->catalog;
    size_t left = (size_t)call->request->server->policy.tools.page, at;
    struct json_writer writer;

    if (!mcp_read_cursor(call, catalog->count, &at))
        return;
    writer_start(&writer, &call->result);
    writer_open_object(&writer);
    writer_key(&writer, "tools");
    writer_open_array(&writer);
    if (is_suite(call) && at == 0) {
        writer_raw(&writer, find_listing);
        writer_raw(&writer, call_listing);
    }
    for (; at < catalog->count && left; at++) {
        if (!is_listed(call, &catalog->tools[at]))
            continue;
        writer_raw(&writer, catalog->tools[at].listing);
        left--;
    }
    writer_close_array(&writer);
    if (at < catalog->count)
        writer_key_string(&writer, "nextCursor", arena_print(call->request->arena, "%zu", at));
    writer_close_object(&writer);
}

static void write_found(struct text *out, const struct found_tool *found, size_t count)
{
    struct json_writer writer;

    writer_start(&writer, out);
    writer_open_object(&writer);
    writer_key(&writer, "tools");
    writer_open_array(&writer);
    for (size_t i = 0; i < count; i++) {
        writer_open_object(&writer);
        writer_key_string(&writer, "name", found[i].tool->name);
        writer_key_string(&writer, "description", found[i].tool->about);
        writer_key_boolean(&writer, "changes_something", !found[i].tool->reads);
        writer_key(&writer, "inputSchema");
        writer_raw(&writer, found[i].tool->input);
        writer_close_object(&writer);
    }
    writer_close_array(&writer);
    writer_close_object(&writer);
}

static void write_text_result(struct mcp_call *call, const char *text)
{
    struct json_writer writer;

    writer_start(&writer, &call->result);
    writer_open_object(&writer);
    writer_key(&writer, "content");
    writer_open_array(&writer);
    writer_open_object(&writer);
    writer_key_string(&writer, "type", "text");
    writer_key_string(&writer, "text", text);
    writer_close_object(&writer);
    writer_close_array(&writer);
    writer_key(&writer, "structuredContent");
    writer_raw(&writer, text);
    writer_key_boolean(&writer, "isError", false);
    writer_close_object(&writer);
}

static void find_tool(struct mcp_call *call, const json_t *arguments)
{
    const char *query = json_string_value(json_object_get(arguments, "query"));
    const char *service = json_string_value(json_object_get(arguments, "service"));
    const json_t *limit = json_object_get(arguments, "limit");
    json_int_t most = limit ? json_integer_value(limit) : FOUND_DEFAULT;
    size_t budget = (size_t)call->request->server->policy.tools.answer;
    struct found_tool *found;
    size_t count;
    struct text out;

    if (!query || most < 1 || most > FOUND_MAX) {
        mcp_tool_fail(&call->result, "query must be a text, limit a number from 1 to 25");
        return;
    }
    found = ARENA_ARRAY(call->request->arena, struct found_tool, call->catalog->count);
    count = mcp_tool_search(call->catalog, query, service, found);
    count = count < (size_t)most ? count : (size_t)most;
    text_start(&out, call->request->arena, budget);
    write_found(&out, found, count);
    while (out.overflowed && count > 1) { /* the best ones that fit */
        text_start(&out, call->request->arena, budget);
        write_found(&out, found, --count);
    }
    write_text_result(call, out.overflowed ? "{\"tools\":[]}" : out.bytes);
}

static void call_by_name(struct mcp_call *call, const char *name, const json_t *arguments)
{
    const struct mcp_tool *tool = mcp_catalog_find(call->catalog, name);
    int status = 0;

    if (!tool) {
        mcp_fault(call, MCP_INVALID_PARAMS,
                  arena_print(call->request->arena, "Unknown tool: %.200s", name));
        return;
    }
    mcp_tool_call(call->request, tool, arguments, &call->result, &status);
    if (status == 401)
        (void)mcp_is_admitted(call); /* else this route alone asks for other credentials */
}

void mcp_call_tool(struct mcp_call *call)
{
    const json_t *arguments = json_object_get(call->params, "arguments");
    const char *name = mcp_param(call, "name");

    if (!name || (arguments && !json_is_object(arguments) && !json_is_null(arguments))) {
        mcp_fault(call, MCP_INVALID_PARAMS, "name must be a text, arguments an object");
        return;
    }
    if (is_suite(call) && strcmp(name, FIND_TOOL) == 0) {
        find_tool(call, arguments);
        return;
    }
    if (is_suite(call) && strcmp(name, CALL_TOOL) == 0) {
        name = json_string_value(json_object_get(arguments, "name"));
        arguments = json_object_get(arguments, "arguments");
        if (!name || (arguments && !json_is_object(arguments))) {
            mcp_tool_fail(&call->result, "name must be a text, arguments an object");
            return;
        }
    }
    call_by_name(call, name, arguments);
}
