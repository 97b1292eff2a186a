/* Writes schemas of tools. */
#include "mcp/tool_schema.h"

#include "base/list.h"

#include <string.h>

enum { SCHEMA_MAX = 4 * 1024 * 1024 };
#define COMPONENT "#/components/schemas/"

/* A schema that is being written, and the components that it has referred to so far. */
struct writing {
    struct text text;
    struct json_writer writer;
    const json_t *schemas; /* the components of the document */
    struct {
        size_t count;
        const char **items;
    } names;
};

static void start(struct writing *writing, struct arena *arena, const json_t *document)
{
    *writing = (struct writing){0};
    text_start(&writing->text, arena, SCHEMA_MAX);
    writer_start(&writing->writer, &writing->text);
    writing->schemas = json_object_get(json_object_get(document, "components"), "schemas");
}

static const char *component_of(const json_t *schema)
{
    const char *reference = json_string_value(json_object_get(schema, "$ref"));

    return reference && strncmp(reference, COMPONENT, strlen(COMPONENT)) == 0
               ? reference + strlen(COMPONENT)
               : NULL;
}

const json_t *mcp_schema_resolve(const json_t *document, const json_t *schema)
{
    const char *name = component_of(schema);

    return name ? json_object_get(
                      json_object_get(json_object_get(document, "components"), "schemas"), name)
                : schema;
}

static void note(struct writing *writing, const char *name)
{
    for (size_t i = 0; i < writing->names.count; i++)
        if (strcmp(writing->names.items[i], name) == 0)
            return;
    *LIST_ADD(writing->text.arena, &writing->names) = name;
}

/* A copy of a schema whose references point into `$defs`. */
static void copy(struct writing *writing, const json_t *schema)
{
    struct json_writer *writer = &writing->writer;
    json_t *members = (json_t *)(uintptr_t)schema; /* iterated, not changed */
    const char *name = component_of(schema), *key;
    json_t *value;
    size_t i;

    if (name) {
        note(writing, name);
        writer_open_object(writer);
        writer_key_string(writer, "$ref", arena_print(writing->text.arena, "#/$defs/%s", name));
        writer_close_object(writer);
    } else if (json_is_object(schema)) {
        writer_open_object(writer);
        json_object_foreach(members, key, value)
        {
            writer_key(writer, key);
            copy(writing, value);
        }
        writer_close_object(writer);
    } else if (json_is_array(schema)) {
        writer_open_array(writer);
        json_array_foreach(members, i, value) copy(writing, value);
        writer_close_array(writer);
    } else {
        writer_value(writer, schema);
    }
}

/* What has been referred to, and what that refers to. */
static void copy_definitions(struct writing *writing)
{
    struct json_writer *writer = &writing->writer;

    if (!writing->names.count)
        return;
    writer_key(writer, "$defs");
    writer_open_object(writer);
    for (size_t i = 0; i < writing->names.count; i++) {
        const json_t *schema = json_object_get(writing->schemas, writing->names.items[i]);

        writer_key(writer, writing->names.items[i]);
        if (schema)
            copy(writing, schema);
        else
            writer_raw(writer, "{}");
    }
    writer_close_object(writer);
}

static const char *finish(struct writing *writing)
{
    copy_definitions(writing);
    writer_close_object(&writing->writer);
    return writing->text.overflowed ? "{\"type\":\"object\"}" : writing->text.bytes;
}

static const json_t *parameter_schema(const json_t *parameters,
                                      const struct tool_argument *argument)
{
    json_t *list = (json_t *)(uintptr_t)parameters, *parameter; /* iterated, not changed */
    size_t i;

    json_array_foreach(list, i, parameter)
    {
        const char *name = json_string_value(json_object_get(parameter, "name"));

        if (name && strcmp(name, argument->sent) == 0)
            return json_object_get(parameter, "schema");
    }
    return NULL;
}

static bool is_argument(const struct mcp_tool *tool, const char *name)
{
    for (size_t i = 0; i < tool->argument_count; i++)
        if (strcmp(tool->arguments[i].name, name) == 0)
            return true;
    return false;
}

static void write_members(struct writing *writing, const struct mcp_tool *tool, const json_t *body)
{
    json_t *properties = json_object_get(body, "properties"), *value;
    const char *key;

    json_object_foreach(properties, key, value)
    {
        if (is_argument(tool, key))
            continue;
        writer_key(&writing->writer, key);
        copy(writing, value);
    }
}

static void write_common_arguments(struct json_writer *writer, const struct mcp_tool *tool)
{
    writer_key(writer, tool->reads ? TOOL_ANSWER_FROM : TOOL_CONFIRM);
    writer_raw(
        writer,
        tool->reads
            ? "{\"type\":\"integer\",\"minimum\":0,\"description\":\"Where a long answer "
              "goes on: next_from of the part before. Leave it out at first.\"}"
            : "{\"type\":\"boolean\",\"description\":\"Must be true: this changes something. "
              "Ask the person first unless told to go ahead.\"}");
}

static void write_properties(struct writing *writing, const struct mcp_tool *tool,
                             const json_t *parameters, const json_t *body)
{
    struct json_writer *writer = &writing->writer;

    writer_key(writer, "properties");
    writer_open_object(writer);
    for (size_t i = 0; i < tool->argument_count; i++) {
        const json_t *schema = parameter_schema(parameters, &tool->arguments[i]);

        writer_key(writer, tool->arguments[i].name);
        copy(writing, schema);
    }
    if (tool->body == BODY_MEMBERS)
        write_members(writing, tool, body);
    else if (tool->body == BODY_WHOLE || tool->body == BODY_TEXT) {
        writer_key(writer, TOOL_BODY);
        copy(writing, body);
    }
    write_common_arguments(writer, tool);
    writer_close_object(writer);
}

static void write_required(struct json_writer *writer, const struct mcp_tool *tool,
                           const json_t *body)
{
    json_t *required = json_object_get(body, "required"), *name;
    size_t i;

    writer_key(writer, "required");
    writer_open_array(writer);
    for (size_t j = 0; j < tool->argument_count; j++)
        if (tool->arguments[j].required)
            writer_string(writer, tool->arguments[j].name);
    if (tool->body == BODY_MEMBERS && tool->body_required)
        json_array_foreach(required, i, name) if (!is_argument(tool, json_string_value(name)))
            writer_value(writer, name);
    if ((tool->body == BODY_WHOLE || tool->body == BODY_TEXT) && tool->body_required)
        writer_string(writer, TOOL_BODY);
    writer_close_array(writer);
}

const char *mcp_input_schema(struct arena *arena, const json_t *document,
                             const struct mcp_tool *tool, const json_t *parameters,
                             const json_t *body)
{
    struct writing writing;

    start(&writing, arena, document);
    writer_open_object(&writing.writer);
    writer_key_string(&writing.writer, "type", "object");
    write_properties(&writing, tool, parameters, body);
    write_required(&writing.writer, tool, body);
    writer_key_boolean(&writing.writer, "additionalProperties", false);
    return finish(&writing);
}

/* What stands for an answer that was cut. */
static void write_part(struct json_writer *writer)
{
    writer_raw(writer,
               "{\"title\":\"Part of a long answer\",\"type\":\"object\",\"properties\":{"
               "\"cut\":{\"const\":true},\"text\":{\"type\":\"string\"},\"from\":{\"type\":"
               "\"integer\"},\"next_from\":{\"type\":[\"integer\",\"null\"]},\"total_bytes\":{"
               "\"type\":\"integer\"}},\"required\":[\"cut\",\"text\",\"from\",\"next_from\","
               "\"total_bytes\"]}");
}

const char *mcp_output_schema(struct arena *arena, const json_t *document,
                              const struct mcp_tool *tool, const json_t *answer)
{
    struct writing writing;
    struct json_writer *writer = &writing.writer;

    start(&writing, arena, document);
    writer_open_object(writer);
    writer_key_string(writer, "type", "object");
    writer_key(writer, "anyOf");
    writer_open_array(writer);
    if (tool->answers_list) {
        writer_open_object(writer);
        writer_key(writer, "properties");
        writer_open_object(writer);
        writer_key(writer, "items");
        copy(&writing, answer);
        writer_close_object(writer);
        writer_key(writer, "required");
        writer_raw(writer, "[\"items\"]");
        writer_close_object(writer);
    } else {
        copy(&writing, answer);
    }
    if (tool->reads)
        write_part(writer);
    writer_close_array(writer);
    return finish(&writing);
}
