/*
 * A request to the gateway on its way through the dispatcher, whatever the dialect. The exchange
 * asks the model or the pattern that the request names; the dialect reads the request before, and
 * writes the answer: as a whole, or piece by piece as it comes. A dialect knows nothing of
 * dispatching, and the exchange nothing of the form of an answer.
 */
#ifndef ASSAY_ORCHESTRATOR_STREAMS_EXCHANGE_H
#define ASSAY_ORCHESTRATOR_STREAMS_EXCHANGE_H

#include "orchestrator-streams/event_writer.h"
#include "orchestrator/dispatch/run.h"

struct exchange_call;

/* What a client asked for, read from its dialect. */
struct gateway_call {
    const char *model;
    bool streams;
    const json_t *metadata; /* stored with the task; NULL = none */
    struct llm_request request;
    const char *prompt;           /* the conversation as text, for the store */
    const char *template_version; /* identifies the template that it was made of; NULL = none */
};

/* The final answer of a model or of a pattern. */
struct final_answer {
    const struct run *run;
    const char *model_id;
    int status, failure_code;
    const char *failure_message;
    const char *text;                 /* of all models that spoke, one after the other */
    const struct llm_choice *choices; /* at least one */
    size_t choice_count;
    const struct result *result; /* with figures; NULL of a pattern */
    int splices;
    struct string_list models_used; /* of a pattern that calls several */
};

/* The name that a dialect has for a parameter. */
struct parameter_name {
    const char *ours, *theirs;
};

struct dialect {
    const char *route;                  /* of the stored task */
    const struct parameter_name *names; /* up to a row without a name; others have ours */
    /* The task is known, nothing was sent. */
    void (*accepted)(struct exchange_call *exchange);
    /* A piece of a streamed answer. False when the client has left. */
    bool (*send)(struct exchange_call *exchange, const struct llm_delta *delta);
    /* Another model goes on; NULL = not told. */
    void (*spliced)(struct exchange_call *exchange, const struct model *from,
                    const struct model *next, const char *code);
    /* The end of a stream, which is open: after an answer, and after a failure. */
    void (*end)(struct exchange_call *exchange, const struct final_answer *final);
    void (*fail)(struct exchange_call *exchange, const struct final_answer *final);
    /* Fills in the reply with a whole answer. */
    void (*answer)(struct exchange_call *exchange, const struct final_answer *final);
    /* Stores what belongs to the answer, before any of its end is sent; NULL = nothing. */
    enum error (*store)(struct exchange_call *exchange, const struct final_answer *final);
};

struct exchange_call {
    struct request *request;
    struct reply *reply;
    const struct dialect *dialect;
    const struct gateway_call *call;
    struct event_writer events;
    struct db *db;
    const struct run *run;
    int64_t created; /* Unix seconds */
    void *state;     /* of the dialect */
};

/* Runs a call and answers it. The reply or the stream is complete when there is no error. */
MUST_CHECK enum error exchange_run(struct exchange_call *exchange);

/* The id of a tool call: the provider's, or one made of the task's where it has none. */
const char *exchange_tool_id(const struct exchange_call *exchange, size_t choice, size_t index,
                             const char *id);

/* Tokens of the whole task. False when a provider sent no figures, or their sum overflows. */
struct exchange_usage {
    int64_t input, output, total;
    struct optional_integer cached, cache_write, reasoning;
};
bool exchange_usage(const struct final_answer *final, struct exchange_usage *usage);

/* The error of a failed task, for an event of a stream. */
const char *exchange_failure(const struct final_answer *final);

/* The question of a conversation and the whole of it as text. */
const char *conversation_text(struct arena *arena, const struct llm_request *request);

#endif
