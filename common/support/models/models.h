/*
 * Calls language models for the nodes of the answer graph: selects providers, their order, timeouts
 * and cost limits. A failed call is recorded as a fallback with its reason; when every provider
 * fails, the node runs without a model. Does not depend on the content of the messages.
 */
#ifndef ASSAY_SUPPORT_MODELS_MODELS_H
#define ASSAY_SUPPORT_MODELS_MODELS_H

#include "db/db.h"
#include "support/models/registry.h"

enum { MODELS_FALLBACKS_MAX = 32, MODELS_CALLS_MAX = 64 };

struct models;

/* The registry of these settings, kept for the lifetime of the worker. After ERROR_INVALID (see
 * registry_load()) *models exists, but serves no node until the file is corrected. The caller owns
 * *models until models_close(); only after ERROR_SYSTEM it is NULL. */
MUST_CHECK enum error models_open(const struct support_settings *settings, struct models **models,
                                  struct problem *problem);
void models_close(struct models *models);

/* Reads the registry file again if it has changed; an invalid file is logged and the old registry
 * kept. It invalidates names of the old registry, unless a question holds it. */
void models_refresh(struct models *models);

/* NULL while it is invalid. */
const struct registry *models_registry(const struct models *models);

/* Which provider replaced which for a node, and the reason. */
struct model_fallback {
    const char *node, *from_provider, *to_provider, *reason;
    bool rejected; /* there was an answer, but it was unusable */
};

/* A state change of a circuit breaker: to "open", "half_open", "closed". */
struct model_transition {
    const char *provider, *to;
};

/* Usage of one call. */
struct model_usage {
    const char *provider, *model; /* NULL = no model was called */
    int64_t input_tokens, output_tokens;
    double cost; /* US dollars */
};

/* State of all model calls for one question. Zeroed except for the members before `fallbacks`. */
struct models_run {
    struct models *models;                  /* NULL = models are disabled */
    const struct registry_profile *profile; /* a profile of its registry; NULL = the active one */
    struct db *db;
    struct arena *arena;
    struct shm_region *region; /* shared memory of breakers and limits; NULL = none */
    int64_t deadline;          /* deadline of the question, monotonic microseconds; 0 = none */
    const struct fetch_watch *watch;
    const struct registry *registry; /* models_hold() sets it; NULL = the newest */

    struct model_fallback fallbacks[MODELS_FALLBACKS_MAX];
    size_t fallback_count;
    struct model_transition transitions[MODELS_FALLBACKS_MAX];
    size_t transition_count;
    struct model_usage calls[MODELS_CALLS_MAX]; /* calls that were answered, or billed */
    size_t call_count;
    int64_t asked;     /* time of the first call; 0 = none yet */
    int64_t tokens;    /* sum over all calls */
    double cost;       /* the same */
    double booked;     /* part of the cost already counted by model_spend_today() */
    unsigned attempts; /* requests sent, and how the calls ended */
    unsigned retries, succeeded, exhausted;
};

struct model_call {
    enum model_node node;
    bool fast;
    const struct llm_message *messages;
    size_t message_count;
    const struct llm_tool *tools;
    size_t tool_count;
    int64_t max_tokens; /* 0 = the setting */
    /* Receives text while it arrives; NULL = no streaming. False cancels the call. */
    bool (*on_text)(const char *text, size_t length, void *context);
    /* The text so far is void: another provider starts again. */
    void (*on_restart)(void *context);
    void *context;
};

struct models_reply {
    const char *text; /* trimmed, not blank unless there are tool calls */
    const struct llm_tool_call *tool_calls;
    size_t tool_call_count;
    const char *provider, *model;
    bool truncated; /* cut off by the timeout, or too long */
    bool overlong;  /* the provider ignored the token limit; the text is truncated to it */
};

/* The run keeps the newest registry, also while others read a newer one, until its arena is
 * reset. */
void models_hold(struct models_run *run);

/* Whether a node calls a model at all: by the profile and LLM_NODES. */
bool models_serve(const struct models_run *run, enum model_node node);

/* Whether a node's model supports tools. */
bool models_use_tools(const struct models_run *run, enum model_node node);

/* The ids of the paid providers that a question may call; "" = none. */
const char *models_paid(const struct models_run *run);

/* ERROR_BUSY daily_cost_limit when there are any and DAILY_COST_LIMIT_USD is reached; also errors
 * of reading the costs. */
MUST_CHECK enum error models_check_day(const struct models_run *run, struct problem *problem);

/* Calls the models of the node in turn. False when none answered: the fallbacks say why, and the
 * embedded engine does the node. */
bool models_ask(struct models_run *run, const struct model_call *model_call,
                struct models_reply *reply);

/* Makes calls of one node side by side, each with its chain of models, none a stream, in the time
 * of one question. The text of a reply is NULL if no model answered; no fallback is noted for it.
 */
void models_ask_all(struct models_run *run, const struct model_call *model_calls, size_t count,
                    struct models_reply *replies);

/* Adds costs of a run's calls that no trace contains to the costs of the day. */
MUST_CHECK enum error models_book(struct models_run *run, const char *purpose,
                                  struct problem *problem);

/* Adds a fallback for something other than a model node. Texts are borrowed. */
void models_note(struct models_run *run, const char *node, const char *from, const char *to,
                 const char *reason);

/* The caller could not use the answer: adds a fallback to the embedded engine. */
void models_reject(struct models_run *run, enum model_node node, const struct models_reply *reply,
                   const char *reason);

/* The tokens that a text counts as without usage figures: its code points by four, rounded up; 0
 * when blank. */
int models_estimate_tokens(const char *text);

/* US dollars, six decimals. */
double models_cost(const struct registry_model *model, int64_t input_tokens, int64_t output_tokens);

/* The name of a provider's circuit breaker. */
const char *models_breaker_name(struct arena *arena, const char *provider);
/* The name of the mark that another provider temporarily replaces this one. */
const char *models_failover_name(struct arena *arena, const char *provider);

#endif
