/*
 * Client for language models with one interface for all protocols: OpenAI (and compatible servers),
 * Azure OpenAI, Anthropic, Gemini, Mistral and Ollama. A request holds messages (texts, images,
 * files, tool calls, tool results, thoughts), tools and limits; an answer holds text, tool calls,
 * thoughts and token usage, complete or streamed. Timeouts, retries, the address guard and the
 * circuit breaker are those of net/fetch.h. Does not depend on the content of requests or on
 * prices.
 */
#ifndef ASSAY_LLM_LLM_H
#define ASSAY_LLM_LLM_H

#include "base/json.h"
#include "net/fetch_set.h"

enum {
    LLM_TOOL_CALLS_MAX = 128, /* per choice; further ones are dropped */
    LLM_CHOICES_MAX = 16      /* per answer; further ones are dropped */
};

enum llm_protocol {
    LLM_OPENAI,
    LLM_ANTHROPIC,
    LLM_MISTRAL,
    LLM_OLLAMA,
    LLM_GEMINI,
    LLM_AZURE, /* OpenAI's protocol with other addresses and another header for the key */
    LLM_PROTOCOL__MAX
};

/* "openai", "anthropic", "mistral", "ollama", "gemini", "azure", NULL. */
extern const char *const llm_protocol_names[LLM_PROTOCOL__MAX + 1];

/* Address of a model, its limits and its retry policy. */
struct llm_provider {
    enum llm_protocol protocol;
    const char *base_url; /* URL up to the path, with or without a final slash */
    const char *path;     /* NULL = the protocol's: /chat/completions, /v1/messages, /api/chat */
    const char *version;  /* Azure: the version of its API with deployments in the path; NULL = the
                             one without */
    const char *model;    /* name of the model at the provider */
    const char *token;    /* NULL = no token is sent */
    int64_t max_tokens;   /* per answer when the request sets none; 0 = the protocol's default */
    bool knows_old_name;  /* an OpenAI-compatible server that may support only the old name of
                             max_tokens */
    struct fetch_policy policy;
    size_t answer_max; /* bytes of the answer body */
    bool private_too;
    struct shm_region *region; /* shared memory of the breaker, NULL = no breaker */
    uint32_t breaker_failures;
    double breaker_seconds;
};

struct llm_tool_call {
    const char *id;
    const char *name;
    const char *arguments; /* JSON, as the model wrote it */
};

enum llm_part_kind { LLM_PART_TEXT, LLM_PART_IMAGE, LLM_PART_FILE };

/* A part of a message. Images and files are base64 data or a URL. */
struct llm_part {
    enum llm_part_kind kind;
    const char *text;
    const char *media_type; /* "image/png", "application/pdf"; NULL = unknown, of a URL */
    const char *data;       /* base64; NULL = it is at `url` */
    const char *url;
    const char *name;   /* of a file; NULL */
    const json_t *more; /* further members, as below */
};

/* What a model has thought before it answered. Anthropic's models need it back, with its signature,
 * to continue after a tool call. */
struct llm_thought {
    const char *text;      /* NULL of a sealed one */
    const char *signature; /* NULL = none */
    const char *sealed;    /* a thought that only the provider can read; NULL */
};

struct llm_message {
    const char *role;             /* "system", "user", "assistant", "tool" */
    const char *content;          /* its text; NULL when there is none */
    const struct llm_part *parts; /* replace the content when there is more than text */
    size_t part_count;
    const struct llm_thought *thoughts; /* of the assistant */
    size_t thought_count;
    bool is_error; /* of a tool result: the tool has failed */
    const struct llm_tool_call *tool_calls;
    size_t tool_call_count;
    const char *tool_call_id; /* id of the call that a tool result belongs to */
    const json_t *more; /* further members in the form of the request's `form`; NULL = none, as
                           everywhere below */
};

struct llm_tool {
    const char *name;
    const char *description; /* NULL = none */
    const char *parameters;  /* JSON schema; must be valid JSON, is not validated as a schema */
    const json_t *more;      /* further members of the function */
    struct optional_boolean strict; /* arguments fit the parameters exactly */
};

struct llm_answer;

/* A piece of a streamed answer. It is valid during the call only. */
enum llm_delta_kind {
    LLM_DELTA_TEXT,
    LLM_DELTA_THOUGHT,
    LLM_DELTA_SIGNATURE, /* of the thought before it */
    LLM_DELTA_SEALED,    /* a sealed thought */
    LLM_DELTA_REFUSAL,
    LLM_DELTA_TOOL_CALL /* `text` is a piece of its arguments */
};
struct llm_delta {
    enum llm_delta_kind kind;
    size_t choice; /* from 0 */
    const char *text;
    size_t length;
    size_t tool_index;               /* position of the tool call in its choice */
    const char *tool_id, *tool_name; /* as far as they are known; "" = not yet, or none */
    const json_t *logprobs;          /* of this piece, in OpenAI's form; NULL */
};

/* Texts to be turned into vectors. */
struct llm_embedding {
    const json_t *input; /* a text, a list of texts, or token numbers in OpenAI's form */
    struct optional_integer dimensions;
};

struct llm_request {
    const struct llm_embedding *embedding; /* NULL = the messages ask for an answer */
    const struct llm_message *messages;
    size_t message_count;
    const struct llm_tool *tools;
    size_t tool_count;
    /* JSON in OpenAI's form, translated for each protocol; NULL = none. If a protocol has no
     * response format, the call of a tool stands for it, or the system prompt asks for it. For
     * other members that a protocol does not support see llm_find_unsupported(). */
    const char *tool_choice, *response_format;
    enum llm_protocol form;    /* whose form `more` has everywhere: OpenAI's or Anthropic's */
    const char *reasoning;     /* effort: "none", "minimal", "low", "medium", "high"...; NULL */
    const json_t *thinking;    /* the same in Anthropic's form */
    struct optional_integer n; /* choices */
    struct optional_integer top_k;
    struct optional_boolean logprobs;
    struct optional_integer top_logprobs;
    const char *service_tier;
    struct optional_number temperature, top_p, presence_penalty, frequency_penalty;
    struct optional_integer max_tokens, seed;
    bool by_old_name; /* the client sent max_tokens by its older name in OpenAI's form */
    struct string_list stop;
    struct optional_boolean parallel_tool_calls;
    const char *user;   /* id of the end user, for the provider's abuse rules; NULL = none */
    const json_t *more; /* further members of the request */
    /* Whether the answer is acceptable; false retries if an attempt is left. NULL accepts all
     * answers. Not called for streams. */
    bool (*usable)(const struct llm_answer *answer, void *context);
    /* Receives text as it arrives and makes the call a stream. False cancels the call. May
     * allocate, must not make calls. */
    bool (*on_text)(const char *text, size_t length, void *context);
    /* The same with every piece of the answer, instead of `on_text`. */
    bool (*on_delta)(const struct llm_delta *delta, void *context);
    void *context;
};

enum llm_result {
    LLM_ANSWERED,   /* with text or tool calls */
    LLM_EMPTY,      /* well-formed answer without text; `finish` may give the reason */
    LLM_MALFORMED,  /* the answer does not have the protocol's form */
    LLM_CUT,        /* the stream ended or stalled before its end; `text` is the part received */
    LLM_FAULT,      /* the stream reported an error */
    LLM_REFUSED,    /* the HTTP status is not 2xx: `status` */
    LLM_UNANSWERED, /* no HTTP answer: `outcome` */
    LLM_RESULT__MAX
};

/* Total tokens of input and output; the other counts are parts of them. */
struct llm_usage {
    struct optional_integer input_tokens, output_tokens;
    struct optional_integer cached_tokens;      /* of the input: read from the cache */
    struct optional_integer cache_write_tokens; /* of the input: written to it */
    struct optional_integer
        cache_write_hour_tokens;              /* of those: written for an hour instead of minutes */
    struct optional_integer reasoning_tokens; /* of the output */
};

/* The provider's error for a refused request; each member NULL when it is missing. */
struct llm_refusal {
    const char *message, *type, *code, *param;
};

/* One of the answers to a request with `n`. */
struct llm_choice {
    const char *text; /* "" when there is none */
    size_t length;
    const struct llm_tool_call *tool_calls;
    size_t tool_call_count;
    const char *finish;     /* "stop", "length", "tool_calls", or the provider's own value; NULL */
    const char *stopped_by; /* the stop text that ended it, where the provider names it; NULL */
    const char *refusal;    /* the model's refusal text instead of an answer; NULL */
    const struct llm_thought *thoughts;
    size_t thought_count;
    const char *logprobs; /* JSON in OpenAI's form; NULL */
};

struct llm_vector {
    size_t count;
    const double *values;
};

/* All memory is from the arena. All strings of the provider are untrusted. */
struct llm_answer {
    enum llm_result result;
    enum fetch_outcome outcome;
    int status;
    const char *text; /* of the first choice, as up to `finish`: "" when there is none */
    size_t length;
    const struct llm_tool_call *tool_calls;
    size_t tool_call_count;
    const char *finish;
    const struct llm_choice *choices; /* all of them, the first one included */
    size_t choice_count;              /* at least 1 */
    const char *model;                /* name of the model at the provider; NULL */
    const char *fault;                /* error message of the provider; NULL */
    struct llm_refusal refused;       /* of LLM_REFUSED */
    const char *refusal;              /* of the first choice */
    const char *service_tier;         /* the tier that served it; NULL */
    const struct llm_vector *vectors; /* of an embedding: one for each text */
    size_t vector_count;
    struct llm_usage usage;
    uint32_t attempts;
    double retry_after;
    const char *trace;            /* of the span of the call, for its caller to tell (base/cause.h);
                                     "" = none */
    int64_t started_at, ended_at; /* monotonic microseconds */
};

/* Sends the request and waits for the end. Always fills in the answer. `watch` may be NULL. */
void llm_complete(struct arena *arena, const struct llm_provider *provider,
                  const struct llm_request *request, const struct fetch_watch *watch,
                  struct llm_answer *answer);

/* One call of a set: zeroed, with provider and request set. It must stay valid until it has
 * ended. */
struct llm_call {
    const struct llm_provider *provider;
    const struct llm_request *request;
    struct llm_answer answer; /* complete after llm_call_ended() returned the call */
    struct fetch_request http_request;
    struct fetch_answer http_answer;
    struct llm_reader *reader; /* of a stream */
    struct arena *arena;
    bool told_by_caller;     /* who makes the spans of the attempts (net/fetch.h) */
    char trace[CAUSE_TRACE]; /* of the span above them */
    int64_t started_at;
};

/* For callers that run a fetch set themselves. llm_call_begin() adds a call to the set;
 * fetch_set_wait() reports its end; llm_call_ended() fills in the answer and returns the call. */
void llm_call_begin(struct arena *arena, struct fetch_set *set, struct llm_call *call);
struct llm_call *llm_call_ended(struct fetch_answer *ended);

/* Cancels a call. Its answer holds the streamed text so far (LLM_UNANSWERED, canceled). */
void llm_call_cancel(struct fetch_set *set, struct llm_call *call);

/* Makes all calls in parallel. `enough` (may be NULL) is called after each call ends; if it returns
 * true, the other calls are canceled. The watch (may be NULL) can cancel them too. */
void llm_complete_all(struct arena *arena, struct llm_call *calls, size_t count,
                      bool (*enough)(const struct llm_call *calls, size_t count, void *context),
                      void *context, const struct fetch_watch *watch);

/* The first member of a request that a protocol does not support ("seed", "messages.2.name"), NULL
 * when all are supported. LLM_PROTOCOL__MAX means a provider that accepts a prompt only. */
const char *llm_find_unsupported(struct arena *arena, enum llm_protocol protocol,
                                 const struct llm_request *request);

/* For callers that make the HTTP call themselves: llm_compose() sets url, method, headers and body
 * of a request; llm_read() reads the body of a 2xx answer to it (`request` NULL = to a request
 * without tools and formats). */
void llm_compose(struct arena *arena, const struct llm_provider *provider,
                 const struct llm_request *request, struct fetch_request *http);
void llm_read(struct arena *arena, enum llm_protocol protocol, const struct llm_request *request,
              const char *body, size_t length, struct llm_answer *answer);

/* A URL below a provider's address, and the header with its key: for calls of its other routes. */
const char *llm_url(struct arena *arena, const struct llm_provider *provider, const char *path);
void llm_add_token(struct arena *arena, const struct llm_provider *provider,
                   struct fetch_request *http);

/* Tokens that a request adds to a limit of the answer that it does not set: for thoughts. */
int64_t llm_added_tokens(enum llm_protocol protocol, const struct llm_request *request);

#endif
