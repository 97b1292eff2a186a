/*
 * Calls of language models for the nodes of the answer graph: which provider is called, in which
 * order, with what timeouts and cost limits. A call that fails is recorded as a fallback with its
 * reason; when every provider fails, the caller serves the node without a model. Must not know what
 * the messages say.
 */
#ifndef ASSAY_SUPPORT_MODELS_MODELS_H
#define ASSAY_SUPPORT_MODELS_MODELS_H

#include "db/db.h"
#include "support/models/registry.h"

enum { MODELS_FALLBACKS_MAX = 32, MODELS_CALLS_MAX = 64 };

struct models;

/* The registry of these settings, kept for as long as the worker lives. After ERROR_INVALID, as of
 * registry_load(), *models is there all the same: it serves no node until its file is mended. The
 * caller owns *models until models_close(); it is NULL after ERROR_SYSTEM alone. */
MUST_CHECK enum error models_open(const struct support_settings *settings, struct models **models,
                                  struct problem *problem);
void models_close(struct models *models);

/* Reads the registry's file again when it has changed; one that has become invalid is logged and
 * the old registry kept. To be called before a question, never within one: names of the old one
 * end. */
void models_refresh(struct models *models);

/* NULL while it is invalid. */
const struct registry *models_registry(const struct models *models);

/* From whom to whom a node went, and why. */
struct model_fallback {
    const char *node, *from_provider, *to_provider, *reason;
    bool rejected; /* there was an answer, and it was of no use */
};

/* A circuit breaker that changed: to "open", "half_open", "closed". */
struct model_transition {
    const char *provider, *to;
};

/* What one call used. */
struct model_usage {
    const char *provider, *model; /* NULL = no model was asked */
    int64_t input_tokens, output_tokens;
    double cost; /* dollars */
};

/* All that one question asks of models. Zeroed but for the members before `fallbacks`. */
struct models_run {
    struct models *models;                  /* NULL = no node has one */
    const struct registry_profile *profile; /* of its registry; NULL = the active one */
    struct db *db;
    struct arena *arena;
    struct shm_region *region; /* of breakers and limits; NULL = none */
    int64_t deadline;          /* of the question, monotonic microseconds; 0 = none */
    const struct fetch_watch *watch;

    struct model_fallback fallbacks[MODELS_FALLBACKS_MAX];
    size_t fallback_count;
    struct model_transition transitions[MODELS_FALLBACKS_MAX];
    size_t transition_count;
    struct model_usage calls[MODELS_CALLS_MAX]; /* that were answered, or paid for */
    size_t call_count;
    int64_t asked;     /* when the first call went out; 0 = none has */
    int64_t tokens;    /* of all calls */
    double cost;       /* the same */
    double booked;     /* of that, what spend_today() knows already */
    unsigned attempts; /* requests that went out, and how the calls ended */
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
    /* Words as they come; NULL = the whole at once. False ends the call. */
    bool (*on_text)(const char *text, size_t length, void *context);
    /* What came so far is void: another provider begins anew. */
    void (*on_restart)(void *context);
    void *context;
};

struct models_reply {
    const char *text; /* trimmed, never blank unless there are tool calls */
    const struct llm_tool_call *tool_calls;
    size_t tool_call_count;
    const char *provider, *model;
    bool truncated; /* the time was up while it was written, or it is overlong */
    bool overlong;  /* the provider ignored the limit of tokens; the text is what fits */
};

/* Whether a node asks a model at all: by the profile and LLM_NODES. */
bool models_serve(const struct models_run *run, enum model_node node);

/* Whether a node asks a model that can use tools. */
bool models_use_tools(const struct models_run *run, enum model_node node);

/* The paid providers that a question may ask, by their ids; "" = none. */
const char *models_paid(const struct models_run *run);

/* ERROR_BUSY daily_cost_limit when there are any and DAILY_COST_LIMIT_USD is spent, or whatever
 * keeps from knowing. */
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

/* Adds to the costs of the day what the calls of a run cost that is written down as no trace. */
MUST_CHECK enum error models_book(struct models_run *run, const char *purpose,
                                  struct problem *problem);

/* Something else stood in, for what is not a node of models. Texts are borrowed. */
void models_note(struct models_run *run, const char *node, const char *from, const char *to,
                 const char *reason);

/* The caller could not use what was answered: a fallback to the embedded engine. */
void models_reject(struct models_run *run, enum model_node node, const struct models_reply *reply,
                   const char *reason);

/* The tokens that a text counts as without usage figures: its code points by four, rounded up; 0
 * when blank. */
int models_estimate_tokens(const char *text);

/* Dollars, six decimals. */
double models_cost(const struct registry_model *model, int64_t input_tokens, int64_t output_tokens);

/* The name of a provider's circuit breaker. */
const char *models_breaker_name(struct arena *arena, const char *provider);
/* The same of the mark that another one is asked in its place for a while. */
const char *models_failover_name(struct arena *arena, const char *provider);

#endif
