/* Gemini's protocol: its request bodies, and its answers, whose stream chunks have the form of
 * whole answers. */
#include "llm/compose_internal.h"

#include <string.h>

/* The signature of a thought comes with the part after it. Sent back with a call's id, because
 * other protocols have no place for it. */
static const char signature_mark[] = "__thought__";

static void take_part(struct llm_collected *collected, struct choice_build *choice,
                      const json_t *part)
{
    const json_t *call = json_object_get(part, "functionCall");
    const json_t *signature = json_object_get(part, "thoughtSignature");
    const json_t *text = json_object_get(part, "text");
    struct tool_build *tool;

    if (call) {
        const json_t *arguments = json_object_get(call, "args");
        const char *id = json_string_value(json_object_get(call, "id"));

        tool = collect_tool(collected, choice);
        if (!tool)
            return;
        if (json_string_length(signature))
            tool->id =
                arena_print(collected->arena, "%s%s%s",
                            id ? id : arena_print(collected->arena, "%zu", choice->tool_count),
                            signature_mark, json_string_value(signature));
        else if (id)
            tool->id = arena_copy_string(collected->arena, id);
        collect_call(collected, choice, tool, NULL, json_object_get(call, "name"), arguments);
        if (!arguments)
            text_append_string(&tool->arguments, "{}");
        return;
    }
    collect_piece(collected, choice,
                  json_is_true(json_object_get(part, "thought")) ? LLM_DELTA_THOUGHT
                                                                 : LLM_DELTA_TEXT,
                  text, NULL);
}

bool take_gemini(struct llm_collected *collected, const json_t *document)
{
    const json_t *candidates = json_object_get(document, "candidates");
    const json_t *blocked =
        json_object_get(json_object_get(document, "promptFeedback"), "blockReason");

    collect_usage(collected, json_object_get(document, "usageMetadata"));
    collect_words(collected, &collected->model, json_object_get(document, "modelVersion"));
    if (blocked)
        collected->choices[0]->finish = "content_filter";
    for (size_t i = 0; i < json_array_size(candidates); i++) {
        const json_t *candidate = json_array_get(candidates, i);
        const json_t *parts = json_object_get(json_object_get(candidate, "content"), "parts");
        struct choice_build *choice =
            collect_choice(collected, json_object_get(candidate, "index"));

        for (size_t j = 0; choice && j < json_array_size(parts); j++)
            take_part(collected, choice, json_array_get(parts, j));
        if (choice)
            collect_words(collected, &choice->finish, json_object_get(candidate, "finishReason"));
    }
    return blocked || json_array_size(candidates) > 0;
}

static void write_text_part(struct json_writer *writer, const char *text)
{
    writer_open_object(writer);
    writer_key_string(writer, "text", text);
    writer_close_object(writer);
}

static void write_part(struct json_writer *writer, const struct llm_part *part)
{
    if (part->kind == LLM_PART_TEXT) {
        write_text_part(writer, part->text);
        return;
    }
    writer_open_object(writer);
    writer_key(writer, part->data ? "inlineData" : "fileData");
    writer_open_object(writer);
    if (part->media_type)
        writer_key_string(writer, "mimeType", part->media_type);
    writer_key_string(writer, part->data ? "data" : "fileUri", part->data ? part->data : part->url);
    writer_close_object(writer);
    writer_close_object(writer);
}

/* The name of the tool that a result belongs to: Gemini wants it instead of the id. */
static const char *tool_name_of(const struct llm_request *request, const char *id)
{
    for (size_t i = 0; i < request->message_count; i++)
        for (size_t j = 0; j < request->messages[i].tool_call_count; j++)
            if (strcmp(request->messages[i].tool_calls[j].id, id) == 0)
                return request->messages[i].tool_calls[j].name;
    return id;
}

/* A result is an object: JSON objects as they are, anything else as {"result": text}. */
static void write_result(const struct composition *composition, const struct llm_message *message)
{
    struct json_writer *writer = composition->writer;
    const json_t *result = compose_read_json(composition->arena, message->content);

    writer_open_object(writer);
    writer_key(writer, "functionResponse");
    writer_open_object(writer);
    writer_key_string(writer, "name", tool_name_of(composition->request, message->tool_call_id));
    writer_key(writer, "response");
    if (json_is_object(result) && !message->is_error) {
        writer_value(writer, result);
    } else {
        writer_open_object(writer);
        writer_key_string(writer, message->is_error ? "error" : "result",
                          message->content ? message->content : "");
        writer_close_object(writer);
    }
    writer_close_object(writer);
    writer_close_object(writer);
}

static void write_calls(const struct composition *composition, const struct llm_message *message)
{
    struct json_writer *writer = composition->writer;

    for (size_t i = 0; i < message->tool_call_count; i++) {
        const char *signature = strstr(message->tool_calls[i].id, signature_mark);

        writer_open_object(writer);
        writer_key(writer, "functionCall");
        writer_open_object(writer);
        writer_key_string(writer, "name", message->tool_calls[i].name);
        writer_key(writer, "args");
        compose_json(composition, message->tool_calls[i].arguments);
        writer_close_object(writer);
        if (signature)
            writer_key_string(writer, "thoughtSignature", signature + sizeof signature_mark - 1);
        writer_close_object(writer);
    }
}

static void write_message(const struct composition *composition, const struct llm_message *message)
{
    struct json_writer *writer = composition->writer;

    if (message->tool_call_id) {
        write_result(composition, message);
        return;
    }
    for (size_t i = 0; i < message->part_count; i++)
        write_part(writer, &message->parts[i]);
    if (!message->part_count && message->content && *message->content)
        write_text_part(writer, message->content);
    write_calls(composition, message);
}

static const char *role_of(const struct llm_message *message)
{
    return strcmp(message->role, "assistant") == 0 ? "model" : "user";
}

/* Messages of one role in a row are one content: results of parallel calls belong together. */
static void write_contents(const struct composition *composition)
{
    const struct llm_request *request = composition->request;
    struct json_writer *writer = composition->writer;
    const char *open = NULL;

    writer_key(writer, "contents");
    writer_open_array(writer);
    for (size_t i = 0; i < request->message_count; i++) {
        const struct llm_message *message = &request->messages[i];
        const char *role = role_of(message);

        if (compose_is_system(message))
            continue;
        if (open && strcmp(open, role) != 0) {
            writer_close_array(writer);
            writer_close_object(writer);
            open = NULL;
        }
        if (!open) {
            writer_open_object(writer);
            writer_key_string(writer, "role", role);
            writer_key(writer, "parts");
            writer_open_array(writer);
            open = role;
        }
        write_message(composition, message);
    }
    if (open) {
        writer_close_array(writer);
        writer_close_object(writer);
    }
    writer_close_array(writer);
}

static void write_system(const struct composition *composition)
{
    const char *system = compose_system(composition);

    if (!system)
        return;
    writer_key(composition->writer, "systemInstruction");
    writer_open_object(composition->writer);
    writer_key(composition->writer, "parts");
    writer_open_array(composition->writer);
    write_text_part(composition->writer, system);
    writer_close_array(composition->writer);
    writer_close_object(composition->writer);
}

static void write_tools(const struct composition *composition)
{
    const struct llm_request *request = composition->request;
    struct json_writer *writer = composition->writer;

    if (!request->tool_count)
        return;
    writer_key(writer, "tools");
    writer_open_array(writer);
    writer_open_object(writer);
    writer_key(writer, "functionDeclarations");
    writer_open_array(writer);
    for (size_t i = 0; i < request->tool_count; i++) {
        writer_open_object(writer);
        writer_key_string(writer, "name", request->tools[i].name);
        if (request->tools[i].description)
            writer_key_string(writer, "description", request->tools[i].description);
        writer_key(writer, "parametersJsonSchema");
        writer_raw(writer, request->tools[i].parameters);
        writer_close_object(writer);
    }
    writer_close_array(writer);
    writer_close_object(writer);
    writer_close_array(writer);
}

static void write_choice(const struct composition *composition)
{
    struct json_writer *writer = composition->writer;
    const char *word, *function;

    compose_tool_choice(composition->arena, composition->request, &word, &function);
    if (!word && !function)
        return;
    writer_key(writer, "toolConfig");
    writer_open_object(writer);
    writer_key(writer, "functionCallingConfig");
    writer_open_object(writer);
    writer_key_string(writer, "mode",
                      function || strcmp(word, "required") == 0 ? "ANY"
                      : strcmp(word, "none") == 0               ? "NONE"
                                                                : "AUTO");
    if (function) {
        writer_key(writer, "allowedFunctionNames");
        writer_strings(writer, &function, 1);
    }
    writer_close_object(writer);
    writer_close_object(writer);
}

static void write_number(struct json_writer *writer, const char *name, struct optional_number value)
{
    if (value.given)
        writer_key_number(writer, name, value.value);
}

static void write_integer(struct json_writer *writer, const char *name,
                          struct optional_integer value)
{
    if (value.given)
        writer_key_integer(writer, name, value.value);
}

static void write_format(const struct composition *composition)
{
    struct json_writer *writer = composition->writer;
    bool is_json;
    const json_t *schema = compose_format(composition->arena, composition->request, &is_json);

    if (!is_json)
        return;
    writer_key_string(writer, "responseMimeType", "application/json");
    if (!schema)
        return;
    writer_key(writer, "responseJsonSchema");
    writer_value(writer, schema);
}

static void write_thinking(struct json_writer *writer, const struct llm_request *request)
{
    int64_t budget = compose_thinking_budget(request);

    if (budget < 0)
        return;
    writer_key(writer, "thinkingConfig");
    writer_open_object(writer);
    writer_key_integer(writer, "thinkingBudget", budget);
    if (budget > 0)
        writer_key_boolean(writer, "includeThoughts", true);
    writer_close_object(writer);
}

static void write_generation(const struct composition *composition)
{
    const struct llm_request *request = composition->request;
    struct json_writer *writer = composition->writer;
    int64_t most =
        request->max_tokens.given ? request->max_tokens.value : composition->provider->max_tokens;

    writer_key(writer, "generationConfig");
    writer_open_object(writer);
    if (most)
        writer_key_integer(writer, "maxOutputTokens", most);
    write_number(writer, "temperature", request->temperature);
    write_number(writer, "topP", request->top_p);
    write_number(writer, "presencePenalty", request->presence_penalty);
    write_number(writer, "frequencyPenalty", request->frequency_penalty);
    write_integer(writer, "topK", request->top_k);
    write_integer(writer, "seed", request->seed);
    if (request->n.given && request->n.value != 1)
        write_integer(writer, "candidateCount", request->n);
    if (request->stop.count) {
        writer_key(writer, "stopSequences");
        writer_strings(writer, request->stop.items, request->stop.count);
    }
    write_format(composition);
    write_thinking(writer, request);
    writer_close_object(writer);
}

void compose_gemini(const struct composition *composition)
{
    write_system(composition);
    write_contents(composition);
    write_tools(composition);
    if (composition->request->tool_count)
        write_choice(composition);
    write_generation(composition);
}
