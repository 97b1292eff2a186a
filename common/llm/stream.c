/*
 * Parses streams: server-sent events, or lines of JSON for Ollama. Chunks may end at any byte. Each
 * event is parsed in a memory block that the next event reuses.
 */
#include "llm/llm_internal.h"

#include <setjmp.h>
#include <string.h>

enum { SCRATCH_MAX = 16 * 1024 * 1024, LINE_MAX_BYTES = 4 * 1024 * 1024 };

struct llm_reader {
    enum llm_protocol protocol;
    const struct llm_request *request;
    struct llm_collected collected;
    struct text line; /* the part of the current line received so far */
    bool complete;    /* the protocol's end marker was received */
    bool malformed;
    bool enough; /* the caller canceled the stream */
};

/* Memory for one event, kept for the whole life of the process. */
static struct arena *scratch;

struct llm_reader *reader_create(struct arena *arena, enum llm_protocol protocol, size_t maximum,
                                 const struct llm_request *request)
{
    struct llm_reader *reader = ARENA_NEW(arena, struct llm_reader);

    reader->protocol = protocol;
    reader->request = request;
    collect_start(&reader->collected, arena, maximum);
    text_start(&reader->line, arena, LINE_MAX_BYTES);
    return reader;
}

static void take_words(struct llm_reader *reader, const json_t *value)
{
    const char *text = json_string_value(value);
    size_t length = json_string_length(value);

    if (!text || !length)
        return;
    text_append(&reader->collected.text, text, length);
    if (!reader->request->on_text(text, length, reader->request->context))
        reader->enough = true;
}

static void take_call(struct llm_reader *reader, const json_t *call)
{
    const json_t *index = json_object_get(call, "index"), *id = json_object_get(call, "id");
    const json_t *function = json_object_get(call, "function");
    const json_t *name = json_object_get(function, "name");
    const json_t *arguments = json_object_get(function, "arguments");
    struct tool_build *tool = collect_tool_piece(
        &reader->collected, json_is_integer(index) ? json_integer_value(index) : -1, id, name);

    if (!tool)
        return;
    collect_name(&reader->collected, tool, id, name);
    if (json_is_string(arguments))
        text_append_string(&tool->arguments, json_string_value(arguments));
    else if (json_is_object(arguments))
        collect_json(&tool->arguments, arguments);
}

static void take_openai(struct llm_reader *reader, const json_t *piece)
{
    const json_t *choice = json_array_get(json_object_get(piece, "choices"), 0);
    const json_t *delta = json_object_get(choice, "delta");
    const json_t *calls = json_object_get(delta, "tool_calls");

    collect_usage(&reader->collected, json_object_get(piece, "usage"));
    collect_words(&reader->collected, &reader->collected.finish,
                  json_object_get(choice, "finish_reason"));
    for (size_t i = 0; i < json_array_size(calls); i++)
        take_call(reader, json_array_get(calls, i));
    if (json_is_string(json_object_get(delta, "refusal")))
        text_append_string(&reader->collected.refusal,
                           json_string_value(json_object_get(delta, "refusal")));
    take_words(reader, json_object_get(delta, "content"));
}

/* Text and tool blocks share one index. A block is a tool block if it began as one. */
static void take_anthropic(struct llm_reader *reader, const json_t *piece)
{
    const char *type = json_string_value(json_object_get(piece, "type"));
    const json_t *delta = json_object_get(piece, "delta");
    const json_t *block = json_object_get(piece, "content_block");
    const json_t *message = json_object_get(piece, "message");
    const char *kind = json_string_value(json_object_get(block, "type"));
    struct llm_collected *collected = &reader->collected;

    collect_usage(collected, json_object_get(message, "usage"));
    collect_usage(collected, json_object_get(piece, "usage"));
    collect_words(collected, &collected->model, json_object_get(message, "model"));
    collect_words(collected, &collected->finish, json_object_get(delta, "stop_reason"));
    if (kind && strcmp(kind, "tool_use") == 0) {
        struct tool_build *tool = collect_tool(collected);

        if (tool)
            collect_name(collected, tool, json_object_get(block, "id"),
                         json_object_get(block, "name"));
    } else if (json_is_string(json_object_get(delta, "partial_json")) && collected->tool_count) {
        text_append_string(&collected->tools[collected->tool_count - 1].arguments,
                           json_string_value(json_object_get(delta, "partial_json")));
    }
    take_words(reader, json_object_get(delta, "text"));
    reader->complete = reader->complete || (type && strcmp(type, "message_stop") == 0);
}

static void take_ollama(struct llm_reader *reader, const json_t *piece)
{
    const json_t *message = json_object_get(piece, "message");

    collect_usage(&reader->collected, piece);
    collect_words(&reader->collected, &reader->collected.finish,
                  json_object_get(piece, "done_reason"));
    for (size_t i = 0; i < json_array_size(json_object_get(message, "tool_calls")); i++) {
        const json_t *call = json_array_get(json_object_get(message, "tool_calls"), i);
        const json_t *function = json_object_get(call, "function");
        const json_t *arguments = json_object_get(function, "arguments");
        struct tool_build *tool = collect_tool(&reader->collected);

        if (tool)
            collect_name(&reader->collected, tool, NULL, json_object_get(function, "name"));
        if (tool && arguments)
            collect_json(&tool->arguments, arguments);
    }
    take_words(reader, json_object_get(message, "content"));
    reader->complete = reader->complete || json_is_true(json_object_get(piece, "done"));
}

static void take_piece(struct llm_reader *reader, const json_t *piece)
{
    static void (*const takers[LLM_PROTOCOL__MAX])(struct llm_reader *, const json_t *) = {
        [LLM_OPENAI] = take_openai,
        [LLM_ANTHROPIC] = take_anthropic,
        [LLM_MISTRAL] = take_openai,
        [LLM_OLLAMA] = take_ollama,
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

    if (!scratch)
        scratch = arena_create(SCRATCH_MAX);
    if (!scratch || setjmp(recovery) != 0) {
        reader->malformed = true;
        return;
    }
    arena_reset(scratch);
    arena_on_exhausted(scratch, &recovery);
    if (json_read(scratch, bytes, length, LLM_ANSWER_DEPTH_MAX, &piece, &fault) ||
        !json_is_object(piece))
        reader->malformed = true;
    arena_on_exhausted(scratch, NULL);
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

static bool goes_on(const struct llm_reader *reader)
{
    return !reader->enough && !reader->malformed && !reader->collected.fault &&
           !reader->line.overflowed && !reader->collected.text.overflowed;
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
    else if (reader->malformed || reader->line.overflowed || reader->collected.text.overflowed)
        answer->result = LLM_MALFORMED;
    else if (!reader->complete)
        answer->result = LLM_CUT;
}
