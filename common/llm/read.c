/* Reads whole answers: text, thoughts, tool calls and usage of each protocol. */
#include "llm/compose_internal.h"

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
static void collect_calls(struct llm_collected *collected, struct choice_build *choice,
                          const json_t *calls)
{
    for (size_t i = 0; i < json_array_size(calls); i++) {
        const json_t *call = json_array_get(calls, i);
        const json_t *function = json_object_get(call, "function");

        collect_call(collected, choice, collect_tool(collected, choice),
                     json_object_get(call, "id"), json_object_get(function, "name"),
                     json_object_get(function, "arguments"));
    }
}

/* Mistral's thoughts are parts of the content: {"type":"thinking","thinking":[{"text":...}]}. */
static void read_thought_parts(struct llm_collected *collected, struct choice_build *choice,
                               const json_t *content)
{
    for (size_t i = 0; i < json_array_size(content); i++) {
        const json_t *texts = json_object_get(json_array_get(content, i), "thinking");

        for (size_t j = 0; j < json_array_size(texts); j++)
            collect_piece(collected, choice, LLM_DELTA_THOUGHT,
                          json_object_get(json_array_get(texts, j), "text"), NULL);
    }
}

/* Servers call the thoughts differently. */
static void read_thoughts(struct llm_collected *collected, struct choice_build *choice,
                          const json_t *message)
{
    static const char *const names[] = {"reasoning_content", "reasoning", "thinking"};

    for (size_t i = 0; i < sizeof names / sizeof names[0] && !choice->thought_count; i++)
        collect_piece(collected, choice, LLM_DELTA_THOUGHT, json_object_get(message, names[i]),
                      NULL);
    read_thought_parts(collected, choice, json_object_get(message, "content"));
}

/* A message may have no content; the finish reason then says why. */
static bool read_message(struct llm_collected *collected, struct choice_build *choice,
                         const json_t *message)
{
    const json_t *content = json_object_get(message, "content");

    collect_calls(collected, choice, json_object_get(message, "tool_calls"));
    read_thoughts(collected, choice, message);
    collect_piece(collected, choice, LLM_DELTA_REFUSAL, json_object_get(message, "refusal"), NULL);
    return collect_content(content, NULL, &choice->text) ||
           (json_is_object(message) && (!content || json_is_null(content)));
}

static bool read_openai(struct llm_collected *collected, const json_t *answer)
{
    const json_t *choices = json_object_get(answer, "choices");
    bool whole = json_array_size(choices) > 0;

    collect_usage(collected, json_object_get(answer, "usage"));
    for (size_t i = 0; i < json_array_size(choices); i++) {
        const json_t *told = json_array_get(choices, i);
        const json_t *index = json_object_get(told, "index");
        struct choice_build *choice = collect_choice(collected, index);

        if (!choice)
            continue;
        collect_words(collected, &choice->finish, json_object_get(told, "finish_reason"));
        collect_piece(collected, choice, LLM_DELTA_TEXT, NULL, json_object_get(told, "logprobs"));
        whole = read_message(collected, choice, json_object_get(told, "message")) && whole;
    }
    return whole;
}

static bool is_answer_tool(const struct llm_collected *collected, const json_t *name)
{
    return collected->has_answer_tool && json_is_string(name) &&
           strcmp(json_string_value(name), LLM_ANSWER_TOOL) == 0;
}

static void read_block(struct llm_collected *collected, struct choice_build *choice,
                       const json_t *block)
{
    const char *type = json_string_value(json_object_get(block, "type"));
    const json_t *name = json_object_get(block, "name");

    if (!type)
        return;
    if (strcmp(type, "tool_use") == 0 && is_answer_tool(collected, name)) {
        collect_json(&choice->text, json_object_get(block, "input"));
    } else if (strcmp(type, "tool_use") == 0) {
        collect_call(collected, choice, collect_tool(collected, choice),
                     json_object_get(block, "id"), name, json_object_get(block, "input"));
    } else if (strcmp(type, "thinking") == 0) {
        collect_piece(collected, choice, LLM_DELTA_THOUGHT, json_object_get(block, "thinking"),
                      NULL);
        collect_signature(collected, choice, json_object_get(block, "signature"));
    } else if (strcmp(type, "redacted_thinking") == 0) {
        collect_sealed(collected, choice, json_object_get(block, "data"));
    }
}

static bool read_anthropic(struct llm_collected *collected, const json_t *answer)
{
    const json_t *content = json_object_get(answer, "content");
    struct choice_build *choice = collected->choices[0];

    for (size_t i = 0; i < json_array_size(content); i++)
        read_block(collected, choice, json_array_get(content, i));
    collect_usage(collected, json_object_get(answer, "usage"));
    collect_words(collected, &choice->finish, json_object_get(answer, "stop_reason"));
    collect_words(collected, &choice->stopped_by, json_object_get(answer, "stop_sequence"));
    return collect_content(content, "text", &choice->text);
}

static bool read_ollama(struct llm_collected *collected, const json_t *answer)
{
    struct choice_build *choice = collected->choices[0];

    collect_usage(collected, answer);
    collect_words(collected, &choice->finish, json_object_get(answer, "done_reason"));
    return read_message(collected, choice, json_object_get(answer, "message"));
}

/* Vectors; they cost the tokens of the texts alone. */
static void read_vectors(struct llm_collected *collected, const struct llm_embedding *embedding,
                         bool is_json, const json_t *document, struct llm_answer *answer)
{
    bool whole = is_json && read_embedding(collected->arena, embedding, document, answer);

    if (whole) {
        collect_usage(collected, json_object_get(document, "usage"));
        collect_usage(collected, document); /* Ollama's */
        collected->usage.output_tokens = GIVEN_INTEGER(0);
        collect_words(collected, &collected->model, json_object_get(document, "model"));
    }
    collect_finish(collected, answer);
    answer->result = whole ? LLM_ANSWERED : LLM_MALFORMED;
}

void llm_read(struct arena *arena, enum llm_protocol protocol, const struct llm_request *request,
              const char *body, size_t length, struct llm_answer *answer)
{
    static bool (*const readers[LLM_PROTOCOL__MAX])(struct llm_collected *, const json_t *) = {
        [LLM_OPENAI] = read_openai, [LLM_ANTHROPIC] = read_anthropic, [LLM_MISTRAL] = read_openai,
        [LLM_OLLAMA] = read_ollama, [LLM_GEMINI] = take_gemini,       [LLM_AZURE] = read_openai,
    };
    struct llm_collected *collected = ARENA_NEW(arena, struct llm_collected);
    struct json_fault fault;
    json_t *document = NULL;
    bool whole;

    collect_start(collected, arena, protocol, request, length);
    whole = !json_read(arena, body, length, LLM_ANSWER_DEPTH_MAX, &document, &fault) &&
            json_is_object(document);
    if (request && request->embedding) {
        read_vectors(collected, request->embedding, whole, document, answer);
        return;
    }
    whole = whole && readers[protocol](collected, document);
    if (whole) {
        collect_words(collected, &collected->model, json_object_get(document, "model"));
        collect_words(collected, &collected->service_tier,
                      json_object_get(document, "service_tier"));
    }
    collect_finish(collected, answer);
    if (!whole)
        answer->result = LLM_MALFORMED;
}
