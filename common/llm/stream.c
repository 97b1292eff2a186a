/*
 * Parses streams: server-sent events, or lines of JSON for Ollama. Chunks may end at any byte. Each
 * event is parsed in a memory block that the next event reuses.
 */
#include "llm/llm_internal.h"

#include <setjmp.h>
#include <string.h>

enum { SCRATCH_MAX = 16 * 1024 * 1024, LINE_MAX_BYTES = 4 * 1024 * 1024 };

/* What the current block of Anthropic's stream becomes. */
enum anthropic_block { BLOCK_OF_TEXT, BLOCK_OF_CALL, BLOCK_OF_ANSWER };

struct llm_reader {
    enum llm_protocol protocol;
    struct llm_collected collected;
    struct text line;      /* the part of the current line received so far */
    struct arena *scratch; /* memory for one event */
    enum anthropic_block block;
    bool complete; /* the protocol's end marker was received */
    bool malformed;
};

struct llm_reader *reader_create(struct arena *arena, enum llm_protocol protocol, size_t maximum,
                                 const struct llm_request *request)
{
    struct llm_reader *reader = ARENA_NEW(arena, struct llm_reader);

    reader->protocol = protocol;
    reader->scratch = arena_create_below(arena, SCRATCH_MAX);
    collect_start(&reader->collected, arena, protocol, request, maximum);
    reader->collected.streams = true;
    text_start(&reader->line, arena, LINE_MAX_BYTES);
    return reader;
}

static void take_call(struct llm_collected *collected, struct choice_build *choice,
                      const json_t *call)
{
    const json_t *index = json_object_get(call, "index"), *id = json_object_get(call, "id");
    const json_t *function = json_object_get(call, "function");
    const json_t *name = json_object_get(function, "name");

    collect_call(collected, choice,
                 collect_tool_piece(collected, choice,
                                    json_is_integer(index) ? json_integer_value(index) : -1, id,
                                    name),
                 id, name, json_object_get(function, "arguments"));
}

/* Servers call the thoughts differently; a piece that has two names is the same twice. */
static void take_thought(struct llm_collected *collected, struct choice_build *choice,
                         const json_t *delta)
{
    const json_t *thought = json_object_get(delta, "reasoning_content");

    collect_piece(collected, choice, LLM_DELTA_THOUGHT,
                  thought ? thought : json_object_get(delta, "reasoning"), NULL);
}

/* Mistral's content may be a list of parts with thoughts among them. */
static void take_parts(struct llm_collected *collected, struct choice_build *choice,
                       const json_t *parts)
{
    for (size_t i = 0; i < json_array_size(parts); i++) {
        const json_t *part = json_array_get(parts, i);
        const json_t *thoughts = json_object_get(part, "thinking");

        for (size_t j = 0; j < json_array_size(thoughts); j++)
            collect_piece(collected, choice, LLM_DELTA_THOUGHT,
                          json_object_get(json_array_get(thoughts, j), "text"), NULL);
        collect_piece(collected, choice, LLM_DELTA_TEXT, json_object_get(part, "text"), NULL);
    }
}

static void take_choice(struct llm_collected *collected, const json_t *told)
{
    const json_t *delta = json_object_get(told, "delta");
    const json_t *calls = json_object_get(delta, "tool_calls");
    struct choice_build *choice = collect_choice(collected, json_object_get(told, "index"));

    if (!choice)
        return;
    collect_words(collected, &choice->finish, json_object_get(told, "finish_reason"));
    take_thought(collected, choice, delta);
    for (size_t i = 0; i < json_array_size(calls); i++)
        take_call(collected, choice, json_array_get(calls, i));
    collect_piece(collected, choice, LLM_DELTA_REFUSAL, json_object_get(delta, "refusal"), NULL);
    collect_piece(collected, choice, LLM_DELTA_TEXT, json_object_get(delta, "content"),
                  json_object_get(told, "logprobs"));
    take_parts(collected, choice, json_object_get(delta, "content"));
}

static void take_openai(struct llm_reader *reader, const json_t *piece)
{
    const json_t *choices = json_object_get(piece, "choices");

    collect_usage(&reader->collected, json_object_get(piece, "usage"));
    collect_words(&reader->collected, &reader->collected.service_tier,
                  json_object_get(piece, "service_tier"));
    for (size_t i = 0; i < json_array_size(choices); i++)
        take_choice(&reader->collected, json_array_get(choices, i));
}

static void take_block(struct llm_reader *reader, const json_t *block)
{
    const char *kind = json_string_value(json_object_get(block, "type"));
    const char *name = json_string_value(json_object_get(block, "name"));
    struct llm_collected *collected = &reader->collected;
    struct choice_build *choice = collected->choices[0];

    if (!kind)
        return;
    reader->block = BLOCK_OF_TEXT;
    if (strcmp(kind, "redacted_thinking") == 0)
        collect_sealed(collected, choice, json_object_get(block, "data"));
    if (strcmp(kind, "thinking") == 0)
        (void)collect_thought(collected, choice);
    if (strcmp(kind, "tool_use") != 0)
        return;
    if (collected->has_answer_tool && name && strcmp(name, LLM_ANSWER_TOOL) == 0) {
        reader->block = BLOCK_OF_ANSWER;
        return;
    }
    reader->block = BLOCK_OF_CALL;
    collect_call(collected, choice, collect_tool(collected, choice), json_object_get(block, "id"),
                 json_object_get(block, "name"), NULL);
}

static void take_block_piece(struct llm_reader *reader, const json_t *delta)
{
    struct llm_collected *collected = &reader->collected;
    struct choice_build *choice = collected->choices[0];
    const json_t *json = json_object_get(delta, "partial_json");

    if (json && reader->block == BLOCK_OF_ANSWER)
        collect_piece(collected, choice, LLM_DELTA_TEXT, json, NULL);
    else if (json_is_string(json) && reader->block == BLOCK_OF_CALL && choice->tool_count)
        collect_call(collected, choice, &choice->tools[choice->tool_count - 1], NULL, NULL, json);
    collect_piece(collected, choice, LLM_DELTA_THOUGHT, json_object_get(delta, "thinking"), NULL);
    collect_signature(collected, choice, json_object_get(delta, "signature"));
    collect_piece(collected, choice, LLM_DELTA_TEXT, json_object_get(delta, "text"), NULL);
}

/* Blocks come one after the other; a block is what it began as. */
static void take_anthropic(struct llm_reader *reader, const json_t *piece)
{
    const char *type = json_string_value(json_object_get(piece, "type"));
    const json_t *delta = json_object_get(piece, "delta");
    const json_t *message = json_object_get(piece, "message");
    struct llm_collected *collected = &reader->collected;
    struct choice_build *choice = collected->choices[0];

    collect_usage(collected, json_object_get(message, "usage"));
    collect_usage(collected, json_object_get(piece, "usage"));
    collect_words(collected, &collected->model, json_object_get(message, "model"));
    collect_words(collected, &choice->finish, json_object_get(delta, "stop_reason"));
    collect_words(collected, &choice->stopped_by, json_object_get(delta, "stop_sequence"));
    take_block(reader, json_object_get(piece, "content_block"));
    take_block_piece(reader, delta);
    reader->complete = reader->complete || (type && strcmp(type, "message_stop") == 0);
}

static void take_ollama(struct llm_reader *reader, const json_t *piece)
{
    const json_t *message = json_object_get(piece, "message");
    const json_t *calls = json_object_get(message, "tool_calls");
    struct llm_collected *collected = &reader->collected;
    struct choice_build *choice = collected->choices[0];

    collect_usage(collected, piece);
    collect_words(collected, &choice->finish, json_object_get(piece, "done_reason"));
    collect_piece(collected, choice, LLM_DELTA_THOUGHT, json_object_get(message, "thinking"), NULL);
    for (size_t i = 0; i < json_array_size(calls); i++) {
        const json_t *function = json_object_get(json_array_get(calls, i), "function");

        collect_call(collected, choice, collect_tool(collected, choice), NULL,
                     json_object_get(function, "name"), json_object_get(function, "arguments"));
    }
    collect_piece(collected, choice, LLM_DELTA_TEXT, json_object_get(message, "content"), NULL);
    reader->complete = reader->complete || json_is_true(json_object_get(piece, "done"));
}

/* The stream has no end marker; each choice has a reason for its end. */
static void take_gemini_piece(struct llm_reader *reader, const json_t *piece)
{
    (void)take_gemini(&reader->collected, piece);
    reader->complete = reader->collected.choices[0]->finish != NULL;
}

static void take_piece(struct llm_reader *reader, const json_t *piece)
{
    static void (*const takers[LLM_PROTOCOL__MAX])(struct llm_reader *, const json_t *) = {
        [LLM_OPENAI] = take_openai, [LLM_ANTHROPIC] = take_anthropic, [LLM_MISTRAL] = take_openai,
        [LLM_OLLAMA] = take_ollama, [LLM_GEMINI] = take_gemini_piece, [LLM_AZURE] = take_openai,
    };

    if (collect_fault(&reader->collected, json_object_get(piece, "error")))
        return;
    if (!reader->collected.model)
        collect_words(&reader->collected, &reader->collected.model,
                      json_object_get(piece, "model"));
    takers[reader->protocol](reader, piece);
}

/* One JSON event. An event that does not fit into the memory block is malformed, like invalid JSON.
 * The longjmp() skips only frames of Jansson, which allocates from that block. */
static void read_piece(struct llm_reader *reader, const char *bytes, size_t length)
{
    struct json_fault fault;
    json_t *piece = NULL;
    jmp_buf recovery;

    arena_reset(reader->scratch);
    if (setjmp(recovery) != 0) {
        arena_on_exhausted(reader->scratch, NULL);
        reader->malformed = true;
        return;
    }
    arena_on_exhausted(reader->scratch, &recovery);
    if (json_read(reader->scratch, bytes, length, LLM_ANSWER_DEPTH_MAX, &piece, &fault) ||
        !json_is_object(piece))
        reader->malformed = true;
    arena_on_exhausted(reader->scratch, NULL);
    if (!reader->malformed)
        take_piece(reader, piece);
}

/* Server-sent events: only the data lines count; the data also contain the event name. */
static void read_line(struct llm_reader *reader, const char *line, size_t length)
{
    if (length && line[length - 1] == '\r')
        length--;
    if (reader->protocol != LLM_OLLAMA) {
        if (length < 5 || memcmp(line, "data:", 5) != 0)
            return;
        line += 5;
        length -= 5;
    }
    while (length && *line == ' ') {
        line++;
        length--;
    }
    if (length == 6 && memcmp(line, "[DONE]", 6) == 0)
        reader->complete = true;
    else if (length)
        read_piece(reader, line, length);
}

static bool is_too_long(const struct llm_reader *reader)
{
    const struct llm_collected *collected = &reader->collected;
    bool overflowed = reader->line.overflowed;

    for (size_t i = 0; i < collected->choice_count; i++)
        overflowed = overflowed || collected->choices[i]->text.overflowed;
    return overflowed;
}

static bool goes_on(const struct llm_reader *reader)
{
    return !reader->collected.enough && !reader->malformed && !reader->collected.fault &&
           !is_too_long(reader);
}

bool reader_take(struct llm_reader *reader, const char *bytes, size_t length)
{
    const char *end = bytes + length, *stop;

    while (bytes < end && goes_on(reader) && (stop = memchr(bytes, '\n', (size_t)(end - bytes)))) {
        if (reader->line.length) {
            text_append(&reader->line, bytes, (size_t)(stop - bytes));
            read_line(reader, reader->line.bytes, reader->line.length);
            text_cut(&reader->line, 0);
        } else {
            read_line(reader, bytes, (size_t)(stop - bytes));
        }
        bytes = stop + 1;
    }
    if (goes_on(reader) && bytes < end)
        text_append(&reader->line, bytes, (size_t)(end - bytes));
    return goes_on(reader);
}

void reader_finish(struct llm_reader *reader, struct llm_answer *answer)
{
    if (goes_on(reader) && reader->line.length)
        read_line(reader, reader->line.bytes, reader->line.length);
    collect_finish(&reader->collected, answer);
    if (answer->fault)
        answer->result = LLM_FAULT;
    else if (reader->malformed || is_too_long(reader))
        answer->result = LLM_MALFORMED;
    else if (!reader->complete)
        answer->result = LLM_CUT;
}
