/* The parameters of /v1/responses, out of JSON. */
#include "orchestrator-streams/response_body.h"

#include "orchestrator-streams/conversation.h"
#include "orchestrator-streams/parameters.h"
#include "orchestrator-streams/response_input.h"

#include <string.h>

enum { TOOLS_MAX = 128 };

#define OWNER struct response_body
static const struct field fields[] = {
    STRING(OWNER, model, .required = true, .min_length = 1, .max_length = 200,
           .help = "A model of the catalog, `orch:smart` or `orch:consensus`."),
    JSON_VALUE(OWNER, input, .nullable = true, .help = "Required without a prompt."),
    JSON_OBJECT(OWNER, prompt, .nullable = true,
                .help = "A stored template, whose messages come before the input: id, version "
                        "(without it the one in production), and variables."),
    STRING(OWNER, instructions, .nullable = true),
    STRING(OWNER, previous_response_id, .nullable = true, .min_length = 1, .max_length = 200,
           .help = "An own stored answer that this one continues."),
    NULLABLE_BOOLEAN(OWNER, store, .help = "false: the answer is not stored."),
    NULLABLE_BOOLEAN(OWNER, stream),
    JSON_OBJECT(OWNER, stream_options, .nullable = true),
    JSON_VALUE(OWNER, tools, .nullable = true),
    JSON_VALUE(OWNER, tool_choice, .nullable = true),
    NULLABLE_BOOLEAN(OWNER, parallel_tool_calls),
    JSON_OBJECT(OWNER, text, .nullable = true),
    JSON_OBJECT(OWNER, reasoning, .nullable = true),
    JSON_OBJECT(OWNER, metadata, .nullable = true),
    JSON_VALUE(OWNER, include, .nullable = true),
    NULLABLE_NUMBER(OWNER, temperature, .lower = AT_LEAST(0), .upper = AT_MOST(2)),
    NULLABLE_NUMBER(OWNER, top_p, .lower = AT_LEAST(0), .upper = AT_MOST(1)),
    NULLABLE_INTEGER(OWNER, max_output_tokens, .lower = AT_LEAST(1)),
    NULLABLE_INTEGER(OWNER, top_logprobs, .lower = AT_LEAST(0), .upper = AT_MOST(20)),
    STRING(OWNER, user, .nullable = true),
    STRING(OWNER, service_tier, .nullable = true, .min_length = 1, .max_length = 40),
    STRING(OWNER, truncation, .nullable = true, .max_length = 40),
    NULLABLE_BOOLEAN(OWNER, background),
};
#undef OWNER
SCHEMA(response_body_schema, struct response_body, "ResponseRequest", fields,
       .help = "Members beyond these are passed on to models of OpenAI's protocol, or refused.",
       .extra = EXTRA_KEEP, .document = offsetof(struct response_body, document),
       .example = "{\"model\":\"orch:smart\",\"input\":\"Hi\"}");

static enum error refuse(struct request *request, const char *name, const char *message)
{
    return request_fault(request, "body", name, "value_error", message);
}

static enum error read_tools(struct request *request, const json_t *list,
                             struct llm_request *conversation)
{
    static const char *const members[] = {"type",       "name",   "description",
                                          "parameters", "strict", NULL};
    size_t count = json_array_size(list);
    struct llm_tool *tools = ARENA_ARRAY(request->arena, struct llm_tool, count);

    conversation->tools = tools;
    conversation->tool_count = count;
    for (size_t i = 0; i < count; i++) {
        const json_t *tool = json_array_get(list, i);
        const json_t *parameters = json_object_get(tool, "parameters");
        const json_t *strict = json_object_get(tool, "strict");
        const char *type = json_string_value(json_object_get(tool, "type"));

        tools[i] = (struct llm_tool){
            .name = json_string_value(json_object_get(tool, "name")),
            .description = json_string_value(json_object_get(tool, "description")),
            .parameters = json_is_object(parameters) ? conversation_json(request->arena, parameters)
                                                     : "{\"type\":\"object\"}",
            .strict = {json_is_boolean(strict), json_is_true(strict)}};
        if (!type || strcmp(type, "function") != 0 || !tools[i].name ||
            first_beyond(tool, members) || count > TOOLS_MAX)
            return refuse(
                request, arena_print(request->arena, "tools.%zu", i),
                "each of at most 128 tools should be of type function, with a name; tools "
                "of the provider itself are not supported");
    }
    return ERROR_NONE;
}

/* A word, or the name of a function. */
static enum error read_choice(struct request *request, const json_t *choice,
                              struct llm_request *conversation)
{
    const char *type = json_string_value(json_object_get(choice, "type"));
    const json_t *name = json_object_get(choice, "name");

    if (!choice || json_is_null(choice))
        return ERROR_NONE;
    if (json_is_string(choice)) {
        conversation->tool_choice = conversation_json(request->arena, choice);
        return ERROR_NONE;
    }
    if (!type || strcmp(type, "function") != 0 || !json_is_string(name))
        return refuse(request, "tool_choice", "this should be a word, or name a function");
    conversation->tool_choice =
        arena_print(request->arena, "{\"type\":\"function\",\"function\":{\"name\":%s}}",
                    conversation_json(request->arena, name));
    return ERROR_NONE;
}

/* In the form of chats the schema stands in an object of its own. */
static enum error read_text(struct request *request, const json_t *text,
                            struct llm_request *conversation)
{
    static const char *const members[] = {"format", "verbosity", NULL};
    static const char *const outer[] = {"type", NULL};
    const json_t *format = json_object_get(text, "format");
    const char *type = json_string_value(json_object_get(format, "type"));
    const char *other = first_beyond(text, members);
    const json_t *schema;

    if (other)
        return refuse(request, arena_print(request->arena, "text.%s", other),
                      "this is not supported");
    if (!format || json_is_null(format) || (type && strcmp(type, "text") == 0))
        return ERROR_NONE;
    if (!type)
        return refuse(request, "text.format", "this has no type");
    schema = members_beyond(request->arena, format, outer);
    conversation->response_format =
        strcmp(type, "json_schema") == 0 && schema
            ? arena_print(request->arena, "{\"type\":\"json_schema\",\"json_schema\":%s}",
                          conversation_json(request->arena, schema))
            : conversation_json(request->arena, format);
    return ERROR_NONE;
}

static enum error read_reasoning(struct request *request, const json_t *reasoning,
                                 struct llm_request *conversation)
{
    static const char *const members[] = {"effort", "summary", "generate_summary", NULL};
    const char *other = first_beyond(reasoning, members);

    conversation->reasoning = json_string_value(json_object_get(reasoning, "effort"));
    return other ? refuse(request, arena_print(request->arena, "reasoning.%s", other),
                          "this is not supported")
                 : ERROR_NONE;
}

/* What an answer always has is granted; logprobs must be asked for. */
static enum error read_include(struct request *request, const json_t *include,
                               struct llm_request *conversation)
{
    for (size_t i = 0; i < json_array_size(include); i++) {
        const char *name = json_string_value(json_array_get(include, i));

        if (name && strcmp(name, "message.output_text.logprobs") == 0)
            conversation->logprobs = (struct optional_boolean){true, true};
        else if (!name || strcmp(name, "reasoning.encrypted_content") != 0)
            return refuse(request, arena_print(request->arena, "include.%zu", i),
                          "this is not supported");
    }
    if (conversation->top_logprobs.given && conversation->top_logprobs.value > 0)
        conversation->logprobs = (struct optional_boolean){true, true};
    return ERROR_NONE;
}

/* Members that chats call otherwise, and those that need more than an answer. */
static enum error read_more(struct request *request, const struct response_body *body,
                            struct llm_request *conversation)
{
    static const char *const refused[] = {"conversation", "max_tool_calls", NULL};
    const json_t *verbosity = json_object_get(body->text, "verbosity");
    const char *own[COUNT_OF(fields) + 1];

    for (size_t i = 0; refused[i]; i++)
        if (json_object_get(body->document, refused[i]) &&
            !json_is_null(json_object_get(body->document, refused[i])))
            return refuse(request, refused[i], "this is not supported");
    if (body->background.value)
        return refuse(request, "background", "this is not supported");
    if (body->truncation && strcmp(body->truncation, "disabled") != 0)
        return refuse(request, "truncation", "only disabled is supported");
    for (size_t i = 0; i < COUNT_OF(fields); i++)
        own[i] = fields[i].name;
    own[COUNT_OF(fields)] = NULL;
    conversation->more = members_beyond(request->arena, body->document, own);
    if (json_is_string(verbosity))
        conversation->more =
            member_added(request->arena, conversation->more, "verbosity", verbosity);
    return ERROR_NONE;
}

static enum error read_parameters(struct request *request, const struct response_body *body,
                                  struct llm_request *conversation)
{
    enum error error = read_tools(request, body->tools, conversation);

    if (!error)
        error = read_choice(request, body->tool_choice, conversation);
    if (!error)
        error = read_text(request, body->text, conversation);
    if (!error)
        error = read_reasoning(request, body->reasoning, conversation);
    if (!error)
        error = read_include(request, body->include, conversation);
    return error ? error : read_more(request, body, conversation);
}

enum error response_read(struct request *request, const char *owner, struct gateway_call *call)
{
    const struct response_body *body = request->body;
    struct llm_request *conversation = &call->request;
    enum error error;

    *call = (struct gateway_call){
        .model = body->model, .streams = body->stream.value, .metadata = body->metadata};
    *conversation = (struct llm_request){.temperature = body->temperature,
                                         .top_p = body->top_p,
                                         .max_tokens = body->max_output_tokens,
                                         .parallel_tool_calls = body->parallel_tool_calls,
                                         .top_logprobs = body->top_logprobs,
                                         .user = body->user,
                                         .service_tier = body->service_tier};
    error = read_parameters(request, body, conversation);
    if (!error)
        error = response_read_items(request, owner, call);
    if (!error)
        call->prompt = conversation_text(request->arena, conversation);
    return error;
}
