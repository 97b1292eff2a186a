/* The method that proposes what a person may be typing: ids of resources in their addresses, and
 * names of them in arguments of prompts. Proposed is only what the person may list. */
#include "mcp/mcp_internal.h"

#include <string.h>
#include <strings.h>

enum { VALUES_MAX = 100 }; /* of the protocol */

/* The kind of resource of a prompt's argument; NULL = nothing is proposed. False when there is no
 * such prompt, or argument. */
static bool of_prompt(const struct mcp_call *call, const char *name, const char *argument,
                      const char **kind)
{
    for (size_t i = 0; name && i < call->offer->prompt_count; i++) {
        const struct mcp_prompt *prompt = &call->offer->prompts[i];

        for (size_t at = 0; at < MCP_ARGUMENTS_MAX && prompt->arguments[at].name; at++)
            if (strcmp(prompt->name, name) == 0 &&
                strcmp(prompt->arguments[at].name, argument) == 0) {
                *kind = prompt->arguments[at].kind;
                return true;
            }
    }
    return false;
}

static const struct mcp_resource *of_kind(const struct mcp_call *call, const char *kind)
{
    for (size_t i = 0; kind && i < call->offer->resource_count; i++)
        if (strcmp(call->offer->resources[i].kind, kind) == 0)
            return &call->offer->resources[i];
    return NULL;
}

/* "assay://KIND/{id}" */
static const struct mcp_resource *of_template(const struct mcp_call *call, const char *uri)
{
    for (size_t i = 0; uri && i < call->offer->resource_count; i++)
        if (strcmp(uri, arena_print(call->request->arena, MCP_SCHEME "%s/{id}",
                                    call->offer->resources[i].kind)) == 0)
            return &call->offer->resources[i];
    return NULL;
}

static void write_values(struct mcp_call *call, const struct mcp_resource *resource,
                         const char *member, const char *typed)
{
    json_t *list = NULL, *item;
    struct json_writer writer;
    size_t i, count = 0;

    if (resource)
        list = (json_t *)(uintptr_t)mcp_resource_items(call, resource); /* not changed */
    writer_start(&writer, &call->result);
    writer_open_object(&writer);
    writer_key(&writer, "completion");
    writer_open_object(&writer);
    writer_key(&writer, "values");
    writer_open_array(&writer);
    json_array_foreach(list, i, item)
    {
        const char *value = json_string_value(json_object_get(item, member));

        if (value && strncasecmp(value, typed, strlen(typed)) == 0 && count++ < VALUES_MAX)
            writer_string(&writer, value);
    }
    writer_close_array(&writer);
    writer_key_boolean(&writer, "hasMore", count > VALUES_MAX);
    writer_close_object(&writer);
    writer_close_object(&writer);
}

void mcp_complete(struct mcp_call *call)
{
    const json_t *reference = json_object_get(call->params, "ref");
    const json_t *argument = json_object_get(call->params, "argument");
    const char *type = json_string_value(json_object_get(reference, "type"));
    const char *name = json_string_value(json_object_get(argument, "name"));
    const char *typed = json_string_value(json_object_get(argument, "value")), *kind = NULL;
    const struct mcp_resource *resource;

    if (type && name && typed && strcmp(type, "ref/prompt") == 0 &&
        of_prompt(call, json_string_value(json_object_get(reference, "name")), name, &kind)) {
        resource = of_kind(call, kind);
        write_values(call, resource, resource ? resource->label : NULL, typed);
        return;
    }
    resource = of_template(call, json_string_value(json_object_get(reference, "uri")));
    if (resource && type && name && typed && strcmp(type, "ref/resource") == 0 &&
        strcmp(name, "id") == 0)
        write_values(call, resource, resource->id, typed);
    else
        mcp_fault(call, MCP_INVALID_PARAMS, "There is no such prompt, resource or argument");
}
