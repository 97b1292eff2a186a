/* Private to common/llm: what the protocols share, and the reader of streams. */
#ifndef ASSAY_LLM_LLM_INTERNAL_H
#define ASSAY_LLM_LLM_INTERNAL_H

#include "base/json.h"
#include "llm/llm.h"

enum {
    LLM_ANSWER_DEPTH_MAX = 64,
    LLM_ARGUMENTS_MAX = 1 << 20, /* bytes of a tool call */
    LLM_REFUSAL_MAX = 1 << 20    /* bytes of what a model says instead of an answer */
};

/* Tool calls that are put together from pieces. */
struct tool_build {
    int64_t index; /* as the stream counts them */
    const char *id;
    const char *name;
    struct text arguments;
};

/* An answer as it grows. */
struct llm_collected {
    struct arena *arena;
    struct text text;
    struct tool_build tools[LLM_TOOL_CALLS_MAX];
    size_t tool_count;
    const char *finish;
    const char *model;
    const char *fault;
    struct text refusal;
    struct llm_usage usage; /* as told; collect_finish() makes sums of it */
    bool input_is_net;      /* what came from and went to the cache is told beside the input */
    struct optional_integer total_tokens;
};

void collect_start(struct llm_collected *collected, struct arena *arena, size_t maximum);

/* A new tool call; NULL when there are too many. */
struct tool_build *collect_tool(struct llm_collected *collected);

/* The tool call that a piece of a stream belongs to. A new id, or another name without one, is a
 * new call whatever the index says; `index` < 0 = none was told. */
struct tool_build *collect_tool_piece(struct llm_collected *collected, int64_t index,
                                      const json_t *id, const json_t *name);
void collect_name(struct llm_collected *collected, struct tool_build *tool, const json_t *id,
                  const json_t *name);

/* A value as text. */
void collect_json(struct text *out, const json_t *value);

/* Usage figures, whatever they are called; what is not there leaves what is known. */
void collect_usage(struct llm_collected *collected, const json_t *usage);
void collect_words(struct llm_collected *collected, const char **word, const json_t *value);

/* "end_turn", "tool_use"... as OpenAI would say it. */
const char *finish_name(const char *reason);

/* What the provider said went wrong: a string, or the message of an object. False when there is
 * nothing of the kind. */
bool collect_fault(struct llm_collected *collected, const json_t *error);

/* The same for a request that was refused: all that is said of it. */
struct llm_refusal collect_refusal(struct arena *arena, const json_t *document);

/* Members that a request adds in OpenAI's form, into an object that is open. */
void compose_more(struct json_writer *writer, const json_t *more);

/* Into the answer, with its result when nothing else is wrong: answered or empty. */
void collect_finish(struct llm_collected *collected, struct llm_answer *answer);

/* The reader of a stream: takes bytes, hands on words. */
struct llm_reader;
struct llm_reader *reader_create(struct arena *arena, enum llm_protocol protocol, size_t maximum,
                                 const struct llm_request *request);
/* False when the request's on_text has had enough, or the stream has told of a fault. */
bool reader_take(struct llm_reader *reader, const char *bytes, size_t length);
/* What came, into the answer; LLM_CUT without the mark that ends a stream of its protocol. */
void reader_finish(struct llm_reader *reader, struct llm_answer *answer);

#endif
