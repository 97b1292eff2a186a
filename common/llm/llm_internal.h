/* Private to common/llm: what the protocols share, and the stream reader. */
#ifndef ASSAY_LLM_LLM_INTERNAL_H
#define ASSAY_LLM_LLM_INTERNAL_H

#include "base/json.h"
#include "llm/llm.h"

enum {
    LLM_ANSWER_DEPTH_MAX = 64,
    LLM_ARGUMENTS_MAX = 1 << 20, /* bytes of one tool call */
    LLM_REFUSAL_MAX = 1 << 20,   /* bytes of a refusal text */
    LLM_THOUGHTS_MAX = 64,       /* per choice; further ones are dropped */
    LLM_LOGPROBS_MAX = 16 << 20  /* bytes per choice */
};

/* Where a protocol has no response format, the call of this tool is the answer. */
#define LLM_ANSWER_TOOL "answer_as_json"

/* A tool call, assembled from chunks. */
struct tool_build {
    int64_t index; /* index of the call in the stream */
    const char *id;
    const char *name;
    struct text arguments;
    size_t passed_on; /* bytes of the arguments */
    bool is_known;    /* to the receiver of the stream */
};

struct thought_build {
    struct text text;
    const char *signature, *sealed;
};

/* A choice under construction. */
struct choice_build {
    size_t position;
    struct text text, refusal, logprobs;
    struct tool_build *tools;
    size_t tool_count;
    struct thought_build *thoughts;
    size_t thought_count;
    const char *finish, *stopped_by;
};

/* An answer under construction. */
struct llm_collected {
    struct arena *arena;
    const struct llm_request *request; /* NULL = without tools and formats, and no stream */
    bool streams;                      /* pieces are passed on as they come */
    bool enough;                       /* the receiver has canceled the stream */
    bool has_answer_tool;              /* a call of LLM_ANSWER_TOOL is the answer */
    bool ends_calls_with_stop;         /* the protocol has no reason of its own for them */
    size_t maximum;                    /* bytes of one text */
    struct choice_build *choices[LLM_CHOICES_MAX]; /* the first one is always there */
    size_t choice_count;
    const char *model, *service_tier;
    const char *fault;
    struct llm_usage usage; /* as received; collect_finish() adds it up */
    bool input_is_net;      /* cached tokens are reported in addition to the input tokens */
    struct optional_integer total_tokens;
};

void collect_start(struct llm_collected *collected, struct arena *arena, enum llm_protocol protocol,
                   const struct llm_request *request, size_t maximum);

/* The choice at an index of the provider; NULL when there are too many. */
struct choice_build *collect_choice(struct llm_collected *collected, const json_t *index);

/* A piece of text, of a refusal or of the current thought, with the probabilities of its tokens. */
void collect_piece(struct llm_collected *collected, struct choice_build *choice,
                   enum llm_delta_kind kind, const json_t *value, const json_t *logprobs);

/* Begins a thought; NULL when there are too many. */
struct thought_build *collect_thought(struct llm_collected *collected, struct choice_build *choice);
/* The signature of the current thought, or a whole sealed thought. */
void collect_signature(struct llm_collected *collected, struct choice_build *choice,
                       const json_t *signature);
void collect_sealed(struct llm_collected *collected, struct choice_build *choice,
                    const json_t *sealed);

/* A new tool call; NULL when there are LLM_TOOL_CALLS_MAX. */
struct tool_build *collect_tool(struct llm_collected *collected, struct choice_build *choice);

/* The tool call that a stream chunk belongs to. A new id, or another name without an id, starts a
 * new call whatever the index is; `index` < 0 = the chunk has none. */
struct tool_build *collect_tool_piece(struct llm_collected *collected, struct choice_build *choice,
                                      int64_t index, const json_t *id, const json_t *name);

/* Id and name of a call where the piece has them, and a piece of its arguments: text, or JSON. */
void collect_call(struct llm_collected *collected, struct choice_build *choice,
                  struct tool_build *tool, const json_t *id, const json_t *name,
                  const json_t *arguments);

/* A value as text. */
void collect_json(struct text *out, const json_t *value);

/* Usage figures under any of their names; missing ones keep their known value. */
void collect_usage(struct llm_collected *collected, const json_t *usage);
/* The whole usage, parts added up where the provider counts them beside the totals. */
struct llm_usage collect_sum(const struct llm_collected *collected);

void collect_words(struct llm_collected *collected, const char **word, const json_t *value);

/* Translates "end_turn", "tool_use"... into OpenAI's values. */
const char *finish_name(const char *reason);

/* The provider's error message: a string, or the message of an object. False when there is none. */
bool collect_fault(struct llm_collected *collected, const json_t *error);

/* The same for a refused request: all members of the error. */
struct llm_refusal collect_refusal(struct arena *arena, const json_t *document);

/* Copies what was collected into the answer. Sets the result to answered or empty if no error is
 * set. */
void collect_finish(struct llm_collected *collected, struct llm_answer *answer);

/* Documents of Gemini, whole answers and stream chunks alike. False for what is none. */
bool take_gemini(struct llm_collected *collected, const json_t *document);

/* The stream reader: takes bytes and passes pieces on. */
struct llm_reader;
struct llm_reader *reader_create(struct arena *arena, enum llm_protocol protocol, size_t maximum,
                                 const struct llm_request *request);
/* False when the receiver returned false, or the stream reported an error. */
bool reader_take(struct llm_reader *reader, const char *bytes, size_t length);
/* Copies the received part into the answer; LLM_CUT if the protocol's end marker is missing. */
void reader_finish(struct llm_reader *reader, struct llm_answer *answer);

#endif
