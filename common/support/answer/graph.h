/*
 * The answer graph: from a question to an answer in steps that are recorded one by one.
 *
 *   classify_complexity -> transform_query -> retrieve -> grade_docs -> generate -> verify_facts
 *   -> evaluate -> route_or_retry -> suggest_questions -> log
 *
 * A weak answer is tried again with other words (rewrite_query, then retrieve again) a bounded
 * number of times. What fails inside ends in handle_error, never in a missing answer.
 */
#ifndef ASSAY_SUPPORT_ANSWER_GRAPH_H
#define ASSAY_SUPPORT_ANSWER_GRAPH_H

#include "base/optional.h"
#include "support/answer/answer.h"
#include "support/answer/knowledge.h"
#include "support/models/models.h"

enum { GRAPH_STEPS_MAX = 64, GRAPH_HISTORY_MAX = 40, GRAPH_CLAIMS_MAX = 24, SUMMARY_MAX = 500 };

enum route_kind {
    ROUTE_NONE,
    ROUTE_AUTO,
    ROUTE_HUMAN,
    ROUTE_AGENTIC,
    ROUTE_ERROR_ESCALATION,
    ROUTE_TIMEOUT,
    ROUTE__MAX
};
extern const char *const route_kind_names[ROUTE__MAX]; /* "" for the first */

struct graph_message {
    const char *role; /* user or assistant */
    const char *content;
};

struct graph_request {
    const char *question;
    const char *trace_id, *session_id, *user_id, *request_id;
    const struct graph_message *history; /* oldest first */
    size_t history_count;
    bool (*is_cancelled)(void *context); /* asked between nodes and while models are waited for;
                                          * NULL = never */
    /* Words of an answer that a model is writing; NULL = not wanted. False ends the call. What came
     * so far is void when `on_answer_void` is called, or when it is not the answer in the end. */
    bool (*on_answer)(const char *text, size_t length, void *context);
    void (*on_answer_void)(void *context);
    void *context;
    int64_t deadline; /* monotonic microseconds; 0 = none */
    /* With RAG_AGENTIC_MODE: what the answer before asked to confirm, and what was said to that. */
    const char *pending_ticket; /* NULL = nothing */
    struct optional_boolean confirm;
};

/* One executed node: its name, the state after it as JSON, when it ended, what it used (of no
 * provider: nothing was asked). */
struct graph_step {
    const char *node;
    const char *state;
    const char *ts;
    struct model_usage usage;
};

struct graph_source {
    const char *source, *doc_id, *title, *text, *excerpt, *metadata;
    double relevance;
    bool expanded;
    bool cited; /* the answer has a marker to it */
};

/* What several verdicts on the statements of an answer came to. */
struct graph_consensus {
    const char *level; /* of FACT_VERIFY_RELIABILITY_LEVEL; NULL = there was one verdict, or none */
    const char *verdict; /* supported, partly or unsupported */
    int64_t votes;
    double agreement; /* share of the statements on which all were of one mind */
};

struct graph_outcome {
    const char *answer;
    int quality; /* 0 to 100 */
    double relevance;
    enum route_kind route;
    struct graph_source sources[ANSWER_DOCUMENTS_MAX];
    size_t source_count; /* what the answer stands on, in the order of its markers */
    struct graph_source
        found[ANSWER_DOCUMENTS_MAX]; /* what was retrieved, for trace and evaluation */
    size_t found_count;
    const char *suggestions[SUGGESTIONS_MAX];
    size_t suggestion_count;
    struct claim claims[GRAPH_CLAIMS_MAX];
    size_t claim_count;
    int factuality;
    struct graph_consensus consensus;
    bool verification_skipped;
    bool refused, knowledge_gap, error;
    bool cached;                /* given before, and given again */
    bool requires_confirmation; /* of `pending_ticket`, which `action_summary` tells */
    const char *action_summary;
    const char *pending_ticket; /* what is to be remembered until it is confirmed; NULL = nothing */
    const char *create_ticket;  /* what was confirmed and is to be done; NULL = nothing */
    const char *error_node, *error_message;
    const char *complexity;
    const char *search_query;
    const char *quality_source; /* embedded, llm, fixed, heuristic */
    enum text_language language;
    int iteration;
    int64_t kb_version;
    double evidence;
    const struct models_run *models; /* what models were asked */
    double cost;                     /* dollars */
    struct graph_step steps[GRAPH_STEPS_MAX];
    size_t step_count;
};

struct graph_tools {
    struct knowledge_cache *cache;
    const struct document_call *call;
    const struct support_settings *settings;
    const struct synonyms *synonyms;
    struct models *models;                  /* NULL = none */
    const struct registry_profile *profile; /* NULL = the active one, of the registry read anew */
    struct shm_region *region;              /* of what workers know of models; may be NULL */
    const char *const *prompts;             /* by enum prompt; NULL = the built-in ones */
    const char *experiment_id;              /* in force; NULL = none */
    const char *mark; /* tells these settings and prompts from others; NULL = "" */
};

/* Answers. Never fails: what goes wrong inside is the outcome's route error_escalation. Everything
 * is the arena's of `tools->call`. */
void graph_run(const struct graph_tools *tools, const struct graph_request *request,
               struct graph_outcome *outcome);

/* simple, complex or global, by the words of the question. */
const char *graph_complexity(const char *question);

/* Where an answer of that quality goes: auto, human, or again (ROUTE_NONE). */
enum route_kind graph_route(int quality, double relevance, bool verification_skipped,
                            int factuality, int iteration, const struct support_settings *settings);

/* "Handed to an operator", in the language of the question. */
const char *graph_apology(enum text_language language);

#endif
