/* Private to common/llm: what the protocols share, and the stream reader. */
#ifndef ASSAY_LLM_LLM_INTERNAL_H
#define ASSAY_LLM_LLM_INTERNAL_H

#include "base/json.h"
#include "llm/llm.h"

enum {
    LLM_ANSWER_DEPTH_MAX = 64,
    LLM_ARGUMENTS_MAX = 1 << 20, /* bytes of one tool call */
    LLM_REFUSAL_MAX = 1 << 20    /* bytes of a refusal text */
};

/* Tool calls, assembled from chunks. */
struct tool_build {
    int64_t index; /* index of the call in the stream */
    const char *id;
    const char *name;
    struct text arguments;
};

/* An answer under construction. */
struct llm_collected {
    struct arena *arena;
    struct text text;
    struct tool_build tools[LLM_TOOL_CALLS_MAX];
    size_t tool_count;
    const char *finish;
    const char *model;
    const char *fault;
    struct text refusal;
    struct llm_usage usage; /* as received; collect_finish() adds it up */
    bool input_is_net;      /* cached tokens are reported in addition to the input tokens */
    struct optional_integer total_tokens;
};

void collect_start(struct llm_collected *collected, struct arena *arena, size_t maximum);

/* A new tool call; NULL when there are LLM_TOOL_CALLS_MAX. */
struct tool_build *collect_tool(struct llm_collected *collected);

/* The tool call that a stream chunk belongs to. A new id, or another name without an id, starts a
 * new call whatever the index is; `index` < 0 = the chunk has none. */
struct tool_build *collect_tool_piece(struct llm_collected *collected, int64_t index,
                                      const json_t *id, const json_t *name);
void collect_name(struct llm_collected *collected, struct tool_build *tool, const json_t *id,
                  const json_t *name);

/* A value as text. */
void collect_json(struct text *out, const json_t *value);

/* Usage figures under any of their names; missing ones keep their known value. */
void collect_usage(struct llm_collected *collected, const json_t *usage);
void collect_words(struct llm_collected *collected, const char **word, const json_t *value);

/* Translates "end_turn", "tool_use"... into OpenAI's values. */
const char *finish_name(const char *reason);

/* The provider's error message: a string, or the message of an object. False when there is none. */
bool collect_fault(struct llm_collected *collected, const json_t *error);

/* The same for a refused request: all members of the error. */
struct llm_refusal collect_refusal(struct arena *arena, const json_t *document);

/* Writes the further members (OpenAI's form) of a request into the open object. */
void compose_more(struct json_writer *writer, const json_t *more);

/* Copies the text into the answer. Sets the result to answered or empty if no error is set. */
void collect_finish(struct llm_collected *collected, struct llm_answer *answer);

/* The stream reader: takes bytes and passes text on. */
struct llm_reader;
struct llm_reader *reader_create(struct arena *arena, enum llm_protocol protocol, size_t maximum,
                                 const struct llm_request *request);
/* False when on_text of the request returned false, or the stream reported an error. */
bool reader_take(struct llm_reader *reader, const char *bytes, size_t length);
/* Copies the received part into the answer; LLM_CUT if the protocol's end marker is missing. */
void reader_finish(struct llm_reader *reader, struct llm_answer *answer);

#endif
