/* Messages, tools and limits of Anthropic's dialect, out of JSON. */
#include "orchestrator-streams/messages_body.h"

#include "orchestrator-streams/conversation.h"
#include "orchestrator-streams/parameters.h"

#include <string.h>

enum { MESSAGES_MAX = 10000, BLOCKS_MAX = 2000, TOOLS_MAX = 128, STOPS_MAX = 16 };
enum { TEXT_MAX = 8 << 20 };

#define OWNER struct messages_body
static const struct field fields[] = {
    STRING(OWNER, model, .required = true, .min_length = 1, .max_length = 200,
           .help = "A model of the catalog, `orch:smart` or `orch:consensus`."),
    JSON_VALUE(OWNER, messages, .required = true),
    INTEGER(OWNER, max_tokens, .required = true, .lower = AT_LEAST(1)),
    JSON_VALUE(OWNER, system, .nullable = true),
    NULLABLE_BOOLEAN(OWNER, stream),
    JSON_VALUE(OWNER, stop_sequences, .nullable = true),
    JSON_VALUE(OWNER, tools, .nullable = true),
    JSON_OBJECT(OWNER, tool_choice, .nullable = true),
    JSON_OBJECT(OWNER, thinking, .nullable = true),
    JSON_OBJECT(OWNER, metadata, .nullable = true),
    JSON_OBJECT(OWNER, output_format, .nullable = true),
    JSON_OBJECT(OWNER, output_config, .nullable = true),
    NULLABLE_NUMBER(OWNER, temperature, .lower = AT_LEAST(0), .upper = AT_MOST(1)),
    NULLABLE_NUMBER(OWNER, top_p, .lower = AT_LEAST(0), .upper = AT_MOST(1)),
    NULLABLE_INTEGER(OWNER, top_k, .lower = AT_LEAST(0)),
    STRING(OWNER, service_tier, .nullable = true, .min_length = 1, .max_length = 40),
};
#undef OWNER
SCHEMA(messages_body_schema, struct messages_body, "MessagesRequest", fields,
       .help = "Members beyond these are passed on to models of Anthropic's protocol.",
       .extra = EXTRA_KEEP, .document = offsetof(struct messages_body, document),
       .example = "{\"model\":\"orch:smart\",\"max_tokens\":1024,\"messages\":[{\"role\":\"user\","
                  "\"content\":\"Hi\"}]}");

/* The messages of a conversation while it is read: a message of Anthropic's may become several. */
struct reading {
    struct request *request;
    struct llm_message *messages;
    size_t count;
};

static const char *type_of(const json_t *block)
{
    const char *type = json_string_value(json_object_get(block, "type"));

    return type ? type : "";
}

/* The source of an image or a document: data, a URL, or text. */
static bool read_source(const json_t *source, struct llm_part *part)
{
    const char *type = type_of(source);
    const char *data = json_string_value(json_object_get(source, "data"));

    part->media_type = json_string_value(json_object_get(source, "media_type"));
    if (strcmp(type, "base64") == 0)
        part->data = data;
    else if (strcmp(type, "url") == 0)
        part->url = json_string_value(json_object_get(source, "url"));
    else if (strcmp(type, "text") == 0)
        part->text = data;
    return part->text || part->url || (part->data && part->media_type && *part->data);
}

static bool read_part(struct arena *arena, const json_t *block, struct llm_part *part)
{
    static const char *const of_text[] = {"type", "text", NULL};
    static const char *const of_source[] = {"type", "source", "title", NULL};
    const char *type = type_of(block);
    bool is_text = strcmp(type, "text") == 0;

    *part = (struct llm_part){.more = members_beyond(arena, block, is_text ? of_text : of_source)};
    if (is_text) {
        part->text = json_string_value(json_object_get(block, "text"));
        return part->text != NULL;
    }
    part->kind = strcmp(type, "image") == 0 ? LLM_PART_IMAGE : LLM_PART_FILE;
    part->name = json_string_value(json_object_get(block, "title"));
    return (part->kind == LLM_PART_IMAGE || strcmp(type, "document") == 0) &&
           read_source(json_object_get(block, "source"), part);
}

static bool is_block_of_call(const char *type)
{
    static const char *const types[] = {"tool_use", "tool_result", "thinking", "redacted_thinking"};

    for (size_t i = 0; i < COUNT_OF(types); i++)
        if (strcmp(type, types[i]) == 0)
            return true;
    return false;
}

/* The texts of parts as one. */
static const char *text_of(struct arena *arena, const struct llm_part *parts, size_t count)
{
    struct text text;

    text_start(&text, arena, TEXT_MAX);
    for (size_t i = 0; i < count; i++) {
        if (!parts[i].text)
            continue;
        if (text.length)
            text_append_byte(&text, '\n');
        text_append_string(&text, parts[i].text);
    }
    return text.bytes;
}

/* The texts, images and documents of a list of blocks. False for blocks of other kinds. */
static bool read_parts(struct arena *arena, const json_t *blocks, struct llm_message *message)
{
    size_t total = json_array_size(blocks), count = 0;
    struct llm_part *parts = ARENA_ARRAY(arena, struct llm_part, total);

    for (size_t i = 0; i < total; i++) {
        const json_t *block = json_array_get(blocks, i);

        if (is_block_of_call(type_of(block)))
            continue;
        if (!read_part(arena, block, &parts[count++]))
            return false;
    }
    message->content = count ? text_of(arena, parts, count) : NULL;
    if (count == 1 && parts[0].kind == LLM_PART_TEXT && !parts[0].more)
        return true;
    message->parts = parts;
    message->part_count = count;
    return true;
}

static bool read_tool_use(struct arena *arena, const json_t *block, struct llm_tool_call *call)
{
    const json_t *input = json_object_get(block, "input");

    *call = (struct llm_tool_call){.id = json_string_value(json_object_get(block, "id")),
                                   .name = json_string_value(json_object_get(block, "name")),
                                   .arguments = input ? conversation_json(arena, input) : "{}"};
    return call->id && call->name;
}

/* Calls and thoughts of the assistant. */
static bool read_calls(struct arena *arena, const json_t *blocks, struct llm_message *message)
{
    size_t count = json_array_size(blocks);
    struct llm_tool_call *calls = ARENA_ARRAY(arena, struct llm_tool_call, count);
    struct llm_thought *thoughts = ARENA_ARRAY(arena, struct llm_thought, count);

    message->tool_calls = calls;
    message->thoughts = thoughts;
    for (size_t i = 0; i < count; i++) {
        const json_t *block = json_array_get(blocks, i);
        const char *type = type_of(block);

        if (strcmp(type, "tool_use") == 0 &&
            !read_tool_use(arena, block, &calls[message->tool_call_count++]))
            return false;
        if (strcmp(type, "thinking") == 0 || strcmp(type, "redacted_thinking") == 0)
            thoughts[message->thought_count++] = (struct llm_thought){
                .text = json_string_value(json_object_get(block, "thinking")),
                .signature = json_string_value(json_object_get(block, "signature")),
                .sealed = json_string_value(json_object_get(block, "data"))};
    }
    return true;
}

/* Each result of a tool is a message of its own, before the rest of the user's message. */
static bool read_result(struct reading *reading, const json_t *block)
{
    static const char *const members[] = {"type", "tool_use_id", "content", "is_error", NULL};
    struct arena *arena = reading->request->arena;
    struct llm_message *message = &reading->messages[reading->count++];
    const json_t *content = json_object_get(block, "content");

    *message = (struct llm_message){.role = "tool",
                                    .content = json_string_value(content),
                                    .tool_call_id =
                                        json_string_value(json_object_get(block, "tool_use_id")),
                                    .is_error = json_is_true(json_object_get(block, "is_error")),
                                    .more = members_beyond(arena, block, members)};
    if (json_is_array(content) && !read_parts(arena, content, message))
        return false;
    if (!message->content)
        message->content = "";
    return message->tool_call_id != NULL;
}

static bool read_blocks(struct reading *reading, const char *role, const json_t *blocks)
{
    struct arena *arena = reading->request->arena;
    struct llm_message message = {.role = role};

    for (size_t i = 0; i < json_array_size(blocks); i++)
        if (strcmp(type_of(json_array_get(blocks, i)), "tool_result") == 0 &&
            !read_result(reading, json_array_get(blocks, i)))
            return false;
    if (!read_parts(arena, blocks, &message) || !read_calls(arena, blocks, &message))
        return false;
    if (message.content || message.part_count || message.tool_call_count || message.thought_count)
        reading->messages[reading->count++] = message;
    return true;
}

static enum error read_message(struct reading *reading, const json_t *json, size_t position)
{
    static const char *const members[] = {"role", "content", NULL};
    struct request *request = reading->request;
    const char *role = json_string_value(json_object_get(json, "role"));
    const json_t *content = json_object_get(json, "content");
    const char *field = arena_print(request->arena, "messages.%zu", position);

    if (!role || (strcmp(role, "user") != 0 && strcmp(role, "assistant") != 0))
        return request_fault(request, "body", field, "value_error",
                             "role should be user or assistant");
    if (json_is_string(content)) {
        reading->messages[reading->count++] =
            (struct llm_message){.role = role, .content = json_string_value(content)};
    } else if (!json_is_array(content) || json_array_size(content) > BLOCKS_MAX ||
               first_beyond(json, members) || !read_blocks(reading, role, content)) {
        return request_fault(request, "body", field, "value_error",
                             "content should be text, or a list of blocks of text, image, "
                             "document, tool_use, tool_result and thinking");
    }
    return ERROR_NONE;
}

/* How many messages a list may become. */
static size_t count_messages(const json_t *list)
{
    size_t count = 1;

    for (size_t i = 0; i < json_array_size(list); i++)
        count += 1 + json_array_size(json_object_get(json_array_get(list, i), "content"));
    return count;
}

static enum error read_messages(struct request *request, const struct messages_body *body,
                                struct llm_request *conversation)
{
    struct reading reading = {.request = request};
    enum error error = ERROR_NONE;

    if (!json_array_size(body->messages) || json_array_size(body->messages) > MESSAGES_MAX)
        return request_fault(request, "body", "messages", "value_error",
                             "messages should be a list of 1 to 10000 messages");
    reading.messages =
        ARENA_ARRAY(request->arena, struct llm_message, count_messages(body->messages));
    if (json_is_string(body->system) || json_array_size(body->system)) {
        struct llm_message *system = &reading.messages[reading.count++];

        *system =
            (struct llm_message){.role = "system", .content = json_string_value(body->system)};
        if (!system->content && !read_parts(request->arena, body->system, system))
            return request_fault(request, "body", "system", "value_error",
                                 "system should be text, or a list of blocks of text");
    }
    for (size_t i = 0; !error && i < json_array_size(body->messages); i++)
        error = read_message(&reading, json_array_get(body->messages, i), i);
    conversation->messages = reading.messages;
    conversation->message_count = reading.count;
    return error;
}

static enum error read_tools(struct request *request, const json_t *list,
                             struct llm_request *conversation)
{
    static const char *const members[] = {"name", "description", "input_schema",
                                          "type", "strict",      NULL};
    size_t count = json_array_size(list);
    struct llm_tool *tools = ARENA_ARRAY(request->arena, struct llm_tool, count);

    conversation->tools = tools;
    conversation->tool_count = count;
    for (size_t i = 0; i < count; i++) {
        const json_t *tool = json_array_get(list, i);
        const json_t *schema = json_object_get(tool, "input_schema");
        const char *type = type_of(tool);

        tools[i] = (struct llm_tool){.name = json_string_value(json_object_get(tool, "name")),
                                     .description =
                                         json_string_value(json_object_get(tool, "description")),
                                     .more = members_beyond(request->arena, tool, members),
                                     .strict = {json_is_boolean(json_object_get(tool, "strict")),
                                                json_is_true(json_object_get(tool, "strict"))}};
        if (!tools[i].name || !json_is_object(schema) || (*type && strcmp(type, "custom") != 0) ||
            count > TOOLS_MAX)
            return request_fault(
                request, "body", arena_print(request->arena, "tools.%zu", i), "value_error",
                "each of at most 128 tools should have a name and an input_schema; "
                "tools of the provider itself are not supported");
        tools[i].parameters = conversation_json(request->arena, schema);
    }
    return ERROR_NONE;
}

static enum error read_choice(struct request *request, const json_t *choice,
                              struct llm_request *conversation)
{
    static const char *const names[][2] = {
        {"auto", "\"auto\""}, {"any", "\"required\""}, {"none", "\"none\""}};
    const char *type = type_of(choice);
    const json_t *alone = json_object_get(choice, "disable_parallel_tool_use");
    const json_t *name = json_object_get(choice, "name");

    if (!choice)
        return ERROR_NONE;
    if (json_is_boolean(alone))
        conversation->parallel_tool_calls = (struct optional_boolean){true, json_is_false(alone)};
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (strcmp(type, names[i][0]) == 0)
            conversation->tool_choice = names[i][1];
    if (strcmp(type, "tool") == 0 && json_is_string(name))
        conversation->tool_choice =
            arena_print(request->arena, "{\"type\":\"function\",\"function\":{\"name\":%s}}",
                        conversation_json(request->arena, name));
    return conversation->tool_choice
               ? ERROR_NONE
               : request_fault(request, "body", "tool_choice", "value_error",
                               "type should be auto, any, tool (with a name) or none");
}

/* The format of the answer, under its older and its newer name, and the effort. */
static enum error read_output(struct request *request, const struct messages_body *body,
                              struct llm_request *conversation)
{
    static const char *const members[] = {"format", "effort", NULL};
    const json_t *format =
        body->output_format ? body->output_format : json_object_get(body->output_config, "format");
    const json_t *schema = json_object_get(format, "schema");
    const char *other = first_beyond(body->output_config, members);

    conversation->reasoning = json_string_value(json_object_get(body->output_config, "effort"));
    if (other)
        return request_fault(request, "body",
                             arena_print(request->arena, "output_config.%s", other), "value_error",
                             "this is not supported");
    if (!format || json_is_null(format))
        return ERROR_NONE;
    if (strcmp(type_of(format), "json_schema") != 0 || !json_is_object(schema))
        return request_fault(request, "body", "output_format", "value_error",
                             "type should be json_schema, with a schema");
    conversation->response_format =
        arena_print(request->arena,
                    "{\"type\":\"json_schema\",\"json_schema\":{\"name\":\"answer\",\"strict\":"
                    "true,\"schema\":%s}}",
                    conversation_json(request->arena, schema));
    return ERROR_NONE;
}

static enum error read_metadata(struct request *request, const struct messages_body *body,
                                struct llm_request *conversation)
{
    static const char *const members[] = {"user_id", NULL};
    const char *other = first_beyond(body->metadata, members);

    conversation->user = json_string_value(json_object_get(body->metadata, "user_id"));
    return other ? request_fault(request, "body", arena_print(request->arena, "metadata.%s", other),
                                 "value_error", "this is not supported")
                 : ERROR_NONE;
}

static const char *tier_of(const char *tier)
{
    return tier && strcmp(tier, "standard_only") == 0 ? "default" : tier;
}

static const json_t *more_of(struct arena *arena, const struct messages_body *body)
{
    const char *own[COUNT_OF(fields) + 1];

    for (size_t i = 0; i < COUNT_OF(fields); i++)
        own[i] = fields[i].name;
    own[COUNT_OF(fields)] = NULL;
    return members_beyond(arena, body->document, own);
}

enum error messages_read(struct request *request, struct gateway_call *call)
{
    const struct messages_body *body = request->body;
    struct llm_request *conversation = &call->request;
    enum error error;

    *call = (struct gateway_call){.model = body->model, .streams = body->stream.value};
    *conversation = (struct llm_request){.form = LLM_ANTHROPIC,
                                         .max_tokens = GIVEN_INTEGER(body->max_tokens),
                                         .temperature = body->temperature,
                                         .top_p = body->top_p,
                                         .top_k = body->top_k,
                                         .thinking = body->thinking,
                                         .by_old_name = true,
                                         .service_tier = tier_of(body->service_tier)};
    error = read_messages(request, body, conversation);
    if (!error)
        error = read_tools(request, body->tools, conversation);
    if (!error)
        error = read_choice(request, body->tool_choice, conversation);
    if (!error)
        error = read_output(request, body, conversation);
    if (!error)
        error = read_metadata(request, body, conversation);
    if (!error && !conversation_read_stop(request->arena, body->stop_sequences, STOPS_MAX,
                                          &conversation->stop))
        error = request_fault(request, "body", "stop_sequences", "value_error",
                              "stop_sequences should be a list of at most 16 texts");
    if (error)
        return error;
    conversation->more = more_of(request->arena, body);
    call->prompt = conversation_text(request->arena, conversation);
    return ERROR_NONE;
}
