/* The methods of prompts. */
#include "mcp/mcp_internal.h"

#include <string.h>

enum { PROMPT_MAX = 65536 };

static void write_arguments(struct json_writer *writer, const struct mcp_prompt *prompt)
{
    writer_key(writer, "arguments");
    writer_open_array(writer);
    for (size_t i = 0; i < MCP_ARGUMENTS_MAX && prompt->arguments[i].name; i++) {
        writer_open_object(writer);
        writer_key_string(writer, "name", prompt->arguments[i].name);
        writer_key_string(writer, "description", prompt->arguments[i].about);
        writer_key_boolean(writer, "required", prompt->arguments[i].required);
        writer_close_object(writer);
    }
    writer_close_array(writer);
}

void mcp_list_prompts(struct mcp_call *call)
{
    struct json_writer writer;

    writer_start(&writer, &call->result);
    writer_open_object(&writer);
    writer_key(&writer, "prompts");
    writer_open_array(&writer);
    for (size_t i = 0; i < call->offer->prompt_count; i++) {
        const struct mcp_prompt *prompt = &call->offer->prompts[i];

        writer_open_object(&writer);
        writer_key_string(&writer, "name", prompt->name);
        writer_key_string(&writer, "title", prompt->title);
        writer_key_string(&writer, "description", prompt->about);
        write_arguments(&writer, prompt);
        writer_close_object(&writer);
    }
    writer_close_array(&writer);
    writer_close_object(&writer);
}

static const char *given(const struct mcp_call *call, const char *name)
{
    return json_string_value(json_object_get(json_object_get(call->params, "arguments"), name));
}

/* The text with its arguments filled in. */
static const char *fill_in(struct mcp_call *call, const char *text)
{
    struct text out;

    text_start(&out, call->request->arena, PROMPT_MAX);
    while (*text) {
        size_t plain = strcspn(text, "{");
        const char *value;

        text_append(&out, text, plain);
        text += plain;
        if (!*text)
            break;
        plain = strcspn(text, "}");
        value = given(call, arena_copy(call->request->arena, text + 1, plain - 1));
        text_append_string(&out, value ? value : "(not given)");
        text += plain + 1;
    }
    if (out.overflowed)
        mcp_fault(call, MCP_INVALID_PARAMS, "The arguments are too long");
    return out.bytes;
}

static bool has_arguments(struct mcp_call *call, const struct mcp_prompt *prompt)
{
    for (size_t i = 0; i < MCP_ARGUMENTS_MAX && prompt->arguments[i].name; i++) {
        if (!prompt->arguments[i].required || given(call, prompt->arguments[i].name))
            continue;
        mcp_fault(call, MCP_INVALID_PARAMS,
                  arena_print(call->request->arena, "The argument %s is required",
                              prompt->arguments[i].name));
        return false;
    }
    return true;
}

static void write_prompt(struct mcp_call *call, const struct mcp_prompt *prompt)
{
    struct json_writer writer;

    writer_start(&writer, &call->result);
    writer_open_object(&writer);
    writer_key_string(&writer, "description", prompt->about);
    writer_key(&writer, "messages");
    writer_open_array(&writer);
    writer_open_object(&writer);
    writer_key_string(&writer, "role", "user");
    writer_key(&writer, "content");
    writer_open_object(&writer);
    writer_key_string(&writer, "type", "text");
    writer_key_string(&writer, "text", fill_in(call, prompt->text));
    writer_close_object(&writer);
    writer_close_object(&writer);
    writer_close_array(&writer);
    writer_close_object(&writer);
}

void mcp_get_prompt(struct mcp_call *call)
{
    const char *name = mcp_param(call, "name");

    for (size_t i = 0; name && i < call->offer->prompt_count; i++) {
        const struct mcp_prompt *prompt = &call->offer->prompts[i];

        if (strcmp(prompt->name, name) != 0)
            continue;
        if (has_arguments(call, prompt))
            write_prompt(call, prompt);
        return;
    }
    mcp_fault(call, MCP_INVALID_PARAMS, "There is no such prompt");
}
