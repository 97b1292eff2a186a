/*
 * Language models: one way to speak to all of them. Messages, tools and limits go in; text, tool
 * calls and usage figures come out, whole or word by word, in the protocols of OpenAI (and of
 * everything that speaks it), Anthropic, Mistral and Ollama. Timeouts, retries, the address guard
 * and the breaker are those of net/fetch.h. It must not know what is asked, nor what it costs.
 */
#ifndef ASSAY_LLM_LLM_H
#define ASSAY_LLM_LLM_H

#include "base/json.h"
#include "net/fetch_set.h"

enum { LLM_TOOL_CALLS_MAX = 128 /* of one answer; further ones are dropped */ };

enum llm_protocol { LLM_OPENAI, LLM_ANTHROPIC, LLM_MISTRAL, LLM_OLLAMA, LLM_PROTOCOL__MAX };

/* "openai", "anthropic", "mistral", "ollama", NULL. */
extern const char *const llm_protocol_names[LLM_PROTOCOL__MAX + 1];

/* Where a model is, and how much is borne with it. */
struct llm_provider {
    enum llm_protocol protocol;
    const char *base_url; /* what comes before the path, with or without a slash at its end */
    const char *path;     /* NULL = the protocol's: /chat/completions, /v1/messages, /api/chat */
    const char *model;    /* as the provider calls it */
    const char *token;    /* NULL = none is sent */
    int64_t max_tokens;   /* of an answer where the request does not say; 0 = the protocol's own */
    bool knows_old_name;  /* a server of OpenAI's protocol that need not know the newer one */
    struct fetch_policy policy;
    size_t answer_max; /* bytes of the answer as it is sent */
    bool private_too;
    struct shm_region *region; /* of the breaker, NULL = none */
    uint32_t breaker_failures;
    double breaker_seconds;
};

struct llm_tool_call {
    const char *id;
    const char *name;
    const char *arguments; /* JSON, as the model wrote it */
};

struct llm_message {
    const char *role;    /* "system", "user", "assistant", "tool" */
    const char *content; /* NULL where there are only tool calls */
    const struct llm_tool_call *tool_calls;
    size_t tool_call_count;
    const char *tool_call_id; /* of a tool's result */
    const json_t *more; /* further members in OpenAI's form; NULL = none, as everywhere below */
};

struct llm_tool {
    const char *name;
    const char *description; /* NULL = none */
    const char *parameters;  /* JSON schema; must be JSON, it is not looked at */
    const json_t *more;      /* further members of the function */
};

struct llm_answer;

struct llm_request {
    const struct llm_message *messages;
    size_t message_count;
    const struct llm_tool *tools;
    size_t tool_count;
    /* JSON in OpenAI's form, said in that of each protocol; NULL = none. A format that a
     * protocol has no words for is asked for in the system's text; for other members that it has
     * none for see llm_find_unsupported(). */
    const char *tool_choice, *response_format;
    struct optional_number temperature, top_p, presence_penalty, frequency_penalty;
    struct optional_integer max_tokens, seed;
    bool by_old_name; /* max_tokens was told by its older name in OpenAI's form */
    struct string_list stop;
    struct optional_boolean parallel_tool_calls;
    const char *user;   /* who asks, for the provider's own rules; NULL = nobody in particular */
    const json_t *more; /* further members of the request */
    /* Whether an answer was what was wanted; false asks again where an attempt is left. NULL takes
     * all. Not asked of streams. */
    bool (*usable)(const struct llm_answer *answer, void *context);
    /* Words as they come; makes it a stream. False cancels the call. May allocate, must not make
     * calls. */
    bool (*on_text)(const char *text, size_t length, void *context);
    void *context;
};

enum llm_result {
    LLM_ANSWERED,   /* with text or tool calls */
    LLM_EMPTY,      /* the answer has its shape, but no text; `finish` may say why */
    LLM_MALFORMED,  /* it has not */
    LLM_CUT,        /* the stream ended, or fell silent, before its end; `text` is what came */
    LLM_FAULT,      /* the stream said that something went wrong */
    LLM_REFUSED,    /* a status that is no success: `status` */
    LLM_UNANSWERED, /* no answer: `outcome` */
    LLM_RESULT__MAX
};

/* "answered", "empty"... for logs. */
const char *llm_result_name(enum llm_result result);

/* All tokens of each side; the others are parts of them. */
struct llm_usage {
    struct optional_integer input_tokens, output_tokens;
    struct optional_integer cached_tokens;           /* of the input: read from the cache */
    struct optional_integer cache_write_tokens;      /* of the input: written to it */
    struct optional_integer cache_write_hour_tokens; /* of those: for an hour, not for minutes */
    struct optional_integer reasoning_tokens;        /* of the output */
};

/* What a provider says of a request that it refuses; each NULL when it does not. */
struct llm_refusal {
    const char *message, *type, *code, *param;
};

/* Everything comes from the arena, and what the provider said is as untrusted as ever. */
struct llm_answer {
    enum llm_result result;
    enum fetch_outcome outcome;
    int status;
    const char *text; /* "" when there is none */
    size_t length;
    const struct llm_tool_call *tool_calls;
    size_t tool_call_count;
    const char *finish; /* "stop", "length", "tool_calls", or what the provider says; NULL */
    const char *model;  /* as the provider names it; NULL */
    const char *fault;  /* what the provider said went wrong; NULL */
    struct llm_refusal refused; /* of LLM_REFUSED */
    const char *refusal;        /* what the model says instead of an answer; NULL */
    struct llm_usage usage;
    uint32_t attempts;
    double retry_after;
};

/* Asks, and waits for the end. Always fills in the answer. `watch` may be NULL. */
void llm_complete(struct arena *arena, const struct llm_provider *provider,
                  const struct llm_request *request, const struct fetch_watch *watch,
                  struct llm_answer *answer);

/* One of many: zeroed, with provider and request set. It must stay until it has ended. */
struct llm_call {
    const struct llm_provider *provider;
    const struct llm_request *request;
    struct llm_answer answer; /* complete when the call has been told */
    struct fetch_request http_request;
    struct fetch_answer http_answer;
    struct llm_reader *reader; /* of a stream */
    struct arena *arena;
};

/* For those who drive a set of calls themselves: puts one into it; fetch_set_wait() tells of its
 * end, llm_call_ended() fills in the answer and says whose it is. */
void llm_call_begin(struct arena *arena, struct fetch_set *set, struct llm_call *call);
struct llm_call *llm_call_ended(struct fetch_answer *ended);

/* Ends a call before its time; what came of a stream is in its answer (LLM_UNANSWERED, cancelled).
 */
void llm_call_cancel(struct fetch_set *set, struct llm_call *call);

/* Asks all at once. `enough` (or NULL) is asked after each end; true cancels those that still run,
 * and so does the watch (or NULL). */
void llm_complete_all(struct arena *arena, struct llm_call *calls, size_t count,
                      bool (*enough)(const struct llm_call *calls, size_t count, void *context),
                      void *context, const struct fetch_watch *watch);

/* The first member of a request that a protocol has no words for ("seed", "messages.2.name"), NULL
 * when all can be sent. LLM_PROTOCOL__MAX stands for a prompt alone. */
const char *llm_find_unsupported(struct arena *arena, enum llm_protocol protocol,
                                 const struct llm_request *request);

/* The two halves, for those who make the call themselves: url, method, headers and body of a
 * request; and what the body of a 2xx answer says. */
void llm_compose(struct arena *arena, const struct llm_provider *provider,
                 const struct llm_request *request, struct fetch_request *http);
void llm_read(struct arena *arena, enum llm_protocol protocol, const char *body, size_t length,
              struct llm_answer *answer);

#endif
