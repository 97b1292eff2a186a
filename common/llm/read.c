/* Reads whole answers: text, tool calls and usage of each protocol. */
#include "llm/llm_internal.h"

#include <string.h>

/* A string, or the texts of an array of parts, one per line. False when it is neither. `type`
 * selects the parts; NULL = all. */
static bool collect_content(const json_t *content, const char *type, struct text *out)
{
    if (json_is_string(content))
        text_append_string(out, json_string_value(content));
    for (size_t i = 0; i < json_array_size(content); i++) {
        const json_t *part = json_array_get(content, i);
        const char *text = json_string_value(json_object_get(part, "text"));
        const char *kind = json_string_value(json_object_get(part, "type"));

        if (!text || (type && (!kind || strcmp(kind, type) != 0)))
            continue;
        if (out->length)
            text_append_byte(out, '\n');
        text_append_string(out, text);
    }
    return json_is_string(content) || json_is_array(content);
}

/* Tool calls of OpenAI and of Ollama. Ollama's arguments are an object. */
static void collect_calls(struct llm_collected *collected, const json_t *calls)
{
    for (size_t i = 0; i < json_array_size(calls); i++) {
        const json_t *call = json_array_get(calls, i);
        const json_t *function = json_object_get(call, "function");
        const json_t *arguments = json_object_get(function, "arguments");
        struct tool_build *tool = collect_tool(collected);

        if (!tool)
            return;
        collect_name(collected, tool, json_object_get(call, "id"),
                     json_object_get(function, "name"));
        if (json_is_string(arguments))
            text_append_string(&tool->arguments, json_string_value(arguments));
        else if (arguments)
            collect_json(&tool->arguments, arguments);
    }
}

/* A message may have no content; the finish reason then says why. */
static bool read_message(struct llm_collected *collected, const json_t *message)
{
    const json_t *content = json_object_get(message, "content");
    const char *refusal = json_string_value(json_object_get(message, "refusal"));

    collect_calls(collected, json_object_get(message, "tool_calls"));
    if (refusal)
        text_append_string(&collected->refusal, refusal);
    return collect_content(content, NULL, &collected->text) ||
           (json_is_object(message) && (!content || json_is_null(content)));
}

static bool read_openai(struct llm_collected *collected, const json_t *answer)
{
    const json_t *choice = json_array_get(json_object_get(answer, "choices"), 0);

    collect_usage(collected, json_object_get(answer, "usage"));
    collect_words(collected, &collected->finish, json_object_get(choice, "finish_reason"));
    return read_message(collected, json_object_get(choice, "message"));
}

static bool read_anthropic(struct llm_collected *collected, const json_t *answer)
{
    const json_t *content = json_object_get(answer, "content");

    for (size_t i = 0; i < json_array_size(content); i++) {
        const json_t *block = json_array_get(content, i);
        const char *type = json_string_value(json_object_get(block, "type"));
        const json_t *input = json_object_get(block, "input");
        struct tool_build *tool;

        if (!type || strcmp(type, "tool_use") != 0)
            continue;
        tool = collect_tool(collected);
        if (!tool)
            break;
        collect_name(collected, tool, json_object_get(block, "id"), json_object_get(block, "name"));
        if (input)
            collect_json(&tool->arguments, input);
    }
    collect_usage(collected, json_object_get(answer, "usage"));
    collect_words(collected, &collected->finish, json_object_get(answer, "stop_reason"));
    return collect_content(content, "text", &collected->text);
}

static bool read_ollama(struct llm_collected *collected, const json_t *answer)
{
    collect_usage(collected, answer);
    collect_words(collected, &collected->finish, json_object_get(answer, "done_reason"));
    return read_message(collected, json_object_get(answer, "message"));
}

void llm_read(struct arena *arena, enum llm_protocol protocol, const char *body, size_t length,
              struct llm_answer *answer)
{
    static bool (*const readers[LLM_PROTOCOL__MAX])(struct llm_collected *, const json_t *) = {
        [LLM_OPENAI] = read_openai,
        [LLM_ANTHROPIC] = read_anthropic,
        [LLM_MISTRAL] = read_openai,
        [LLM_OLLAMA] = read_ollama,
    };
    struct llm_collected *collected = ARENA_NEW(arena, struct llm_collected);
    struct json_fault fault;
    json_t *document = NULL;
    bool whole;

    collect_start(collected, arena, length);
    whole = !json_read(arena, body, length, LLM_ANSWER_DEPTH_MAX, &document, &fault) &&
            json_is_object(document) && readers[protocol](collected, document);
    if (whole)
        collect_words(collected, &collected->model, json_object_get(document, "model"));
    collect_finish(collected, answer);
    if (!whole)
        answer->result = LLM_MALFORMED;
}
