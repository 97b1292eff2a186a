/* The methods of resources: rows of the offer name the routes that list and read them. */
#include "http/server.h"
#include "mcp/mcp_internal.h"
#include "mcp/tool_call.h"

#include <string.h>

/* Asks a route with the caller's credentials. False with an error of the message. */
static bool ask(struct mcp_call *call, const struct mcp_resource *resource, const char *operation,
                const json_t *arguments, struct relay_answer *answer)
{
    const struct mcp_tool *tool =
        mcp_catalog_operation(call->catalog, resource->service, operation);
    struct relay_call route;

    if (!tool)
        return false; /* the service does not run */
    if (mcp_tool_request(call->request, tool, arguments, &route) ||
        relay(call->request, &route, answer)) {
        mcp_fault(call, MCP_INTERNAL_ERROR, call->request->problem.text);
        return false;
    }
    if (answer->status == 401)
        (void)mcp_is_admitted(call);
    return answer->status < 300;
}

static void write_item(struct json_writer *writer, const struct mcp_resource *resource,
                       const json_t *item)
{
    const char *id = json_string_value(json_object_get(item, resource->id));
    const char *label = json_string_value(json_object_get(item, resource->label));
    struct arena *arena = writer->out->arena;
    struct text uri;

    if (!id)
        return;
    text_start(&uri, arena, 4096);
    text_append_strings(&uri, (const char *const[]){MCP_SCHEME, resource->kind, "/", NULL});
    text_append_url(&uri, id);
    writer_open_object(writer);
    writer_key_string(writer, "uri", uri.bytes);
    writer_key_string(writer, "name", label ? label : id);
    writer_key_string(writer, "description", resource->about);
    writer_key_string(writer, "mimeType", "application/json");
    writer_close_object(writer);
}

const json_t *mcp_resource_items(struct mcp_call *call, const struct mcp_resource *resource)
{
    struct relay_answer answer;
    struct json_fault fault;
    json_t *document;

    if (!ask(call, resource, resource->list, NULL, &answer) ||
        json_read(call->request->arena, answer.body, answer.length, JSON_DEPTH_LIMIT, &document,
                  &fault))
        return NULL;
    return resource->member ? json_object_get(document, resource->member) : document;
}

static void write_items(struct mcp_call *call, struct json_writer *writer,
                        const struct mcp_resource *resource)
{
    json_t *list = (json_t *)(uintptr_t)mcp_resource_items(call, resource); /* not changed */
    json_t *item;
    size_t i;

    json_array_foreach(list, i, item) write_item(writer, resource, item);
}

/* One page for each kind of resource. */
void mcp_list_resources(struct mcp_call *call)
{
    struct json_writer writer;
    size_t at;

    if (!mcp_read_cursor(call, call->offer->resource_count, &at))
        return;
    writer_start(&writer, &call->result);
    writer_open_object(&writer);
    writer_key(&writer, "resources");
    writer_open_array(&writer);
    if (at < call->offer->resource_count)
        write_items(call, &writer, &call->offer->resources[at]);
    writer_close_array(&writer);
    if (at + 1 < call->offer->resource_count)
        writer_key_string(&writer, "nextCursor", arena_print(call->request->arena, "%zu", at + 1));
    writer_close_object(&writer);
}

void mcp_list_templates(struct mcp_call *call)
{
    struct json_writer writer;

    writer_start(&writer, &call->result);
    writer_open_object(&writer);
    writer_key(&writer, "resourceTemplates");
    writer_open_array(&writer);
    for (size_t i = 0; i < call->offer->resource_count; i++) {
        const struct mcp_resource *resource = &call->offer->resources[i];

        writer_open_object(&writer);
        writer_key_string(&writer, "uriTemplate",
                          arena_print(call->request->arena, MCP_SCHEME "%s/{id}", resource->kind));
        writer_key_string(&writer, "name", resource->name);
        writer_key_string(&writer, "description", resource->about);
        writer_key_string(&writer, "mimeType", "application/json");
        writer_close_object(&writer);
    }
    writer_close_array(&writer);
    writer_close_object(&writer);
}

/* The row that a URI belongs to, and the id at its end. */
static const struct mcp_resource *row_of(const struct mcp_call *call, const char *uri,
                                         const char **id)
{
    if (strncmp(uri, MCP_SCHEME, strlen(MCP_SCHEME)) != 0)
        return NULL;
    uri += strlen(MCP_SCHEME);
    for (size_t i = 0; i < call->offer->resource_count; i++) {
        size_t length = strlen(call->offer->resources[i].kind);

        if (strncmp(uri, call->offer->resources[i].kind, length) == 0 && uri[length] == '/' &&
            uri[length + 1]) {
            *id = uri + length + 1;
            return &call->offer->resources[i];
        }
    }
    return NULL;
}

static const char *path_argument(const struct mcp_tool *tool)
{
    for (size_t i = 0; tool && i < tool->argument_count; i++)
        if (tool->arguments[i].place == ARGUMENT_PATH)
            return tool->arguments[i].name;
    return "id";
}

static const json_t *arguments_for(struct mcp_call *call, const struct mcp_resource *resource,
                                   const char *id)
{
    const struct mcp_tool *tool =
        mcp_catalog_operation(call->catalog, resource->service, resource->read);
    struct json_writer writer;
    struct json_fault fault;
    json_t *arguments;
    struct text text;

    text_start(&text, call->request->arena, 65536);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    writer_key_string(&writer, path_argument(tool), id);
    writer_close_object(&writer);
    return json_read(call->request->arena, text.bytes, text.length, 2, &arguments, &fault)
               ? NULL
               : arguments;
}

static void write_contents(struct mcp_call *call, const char *uri,
                           const struct relay_answer *answer)
{
    size_t most = (size_t)call->request->server->policy.tools.fetched;
    size_t length = utf8_valid_prefix(answer->body, answer->length < most ? answer->length : most);
    struct json_writer writer;

    writer_start(&writer, &call->result);
    writer_open_object(&writer);
    writer_key(&writer, "contents");
    writer_open_array(&writer);
    writer_open_object(&writer);
    writer_key_string(&writer, "uri", uri);
    writer_key_string(&writer, "mimeType", "application/json");
    writer_key(&writer, "text");
    writer_bytes(&writer, answer->body, length);
    writer_close_object(&writer);
    writer_close_array(&writer);
    writer_close_object(&writer);
}

void mcp_read_resource(struct mcp_call *call)
{
    const char *uri = mcp_param(call, "uri"), *id = NULL;
    const struct mcp_resource *resource = uri ? row_of(call, uri, &id) : NULL;
    struct relay_answer answer = {0};

    if (resource && ask(call, resource, resource->read, arguments_for(call, resource, id), &answer))
        write_contents(call, uri, &answer);
    else if (!call->code)
        mcp_fault(call, call->modern ? MCP_INVALID_PARAMS : MCP_RESOURCE_NOT_FOUND,
                  answer.status == 403 ? "You may not read this resource"
                                       : "There is no such resource");
}
