/*
 * The answer graph: answers a question in steps, each of which is recorded.
 *
 *   classify_complexity -> transform_query -> retrieve -> grade_docs -> generate -> verify_facts
 *   -> evaluate -> route_or_retry -> suggest_questions -> log
 *
 * For a weak answer, the graph rewrites the query (rewrite_query, then retrieve again) a limited
 * number of times. An internal error ends in handle_error, never in a missing answer.
 */
#ifndef ASSAY_SUPPORT_ANSWER_GRAPH_H
#define ASSAY_SUPPORT_ANSWER_GRAPH_H

#include "base/optional.h"
#include "support/answer/answer.h"
#include "support/answer/knowledge.h"
#include "support/models/models.h"
#include "support/questions/small_talk.h"

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
extern const char *const route_kind_names[ROUTE__MAX]; /* "" for the first message */

struct graph_message {
    const char *role; /* user or assistant */
    const char *content;
};

struct graph_request {
    const char *question;
    const char *trace_id, *session_id, *user_id, *request_id;
    const struct graph_message *history; /* oldest first */
    size_t history_count;
    bool (*is_cancelled)(
        void *context); /* checked between nodes and during calls of models; NULL = never */
    /* Receives the text of an answer while a model writes it; NULL = no streaming. False cancels
     * the call. The text so far is void when `on_answer_void` is called, or when the final answer
     * differs. */
    bool (*on_answer)(const char *text, size_t length, void *context);
    void (*on_answer_void)(void *context);
    void *context;
    int64_t deadline; /* monotonic microseconds; 0 = none */
    /* With RAG_AGENTIC_MODE: the action that the previous answer asked to confirm, and the user's
     * reply. */
    const char *pending_ticket; /* NULL = nothing */
    struct optional_boolean confirm;
};

/* One executed node: its name, the state after it as JSON, its end time and its usage (no provider:
 * no model was called). */
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
    bool cited; /* the answer has a marker to this source */
};

/* Summary of several verdicts on the statements of an answer. */
struct graph_consensus {
    const char *level;   /* of FACT_VERIFY_RELIABILITY_LEVEL; NULL = at most one verdict */
    const char *verdict; /* supported, partly or unsupported */
    int64_t votes;
    double agreement; /* share of the statements on which all verdicts agree */
};

/* A sentence that a model has written and the documents do not support. */
struct unsupported_sentence {
    const char *text, *reason;
};

struct graph_outcome {
    const char *answer;
    int quality; /* 0 to 100 */
    double relevance;
    enum route_kind route;
    struct graph_source sources[ANSWER_DOCUMENTS_MAX];
    size_t source_count; /* sources of the answer, in the order of their markers */
    struct graph_source
        found[ANSWER_DOCUMENTS_MAX]; /* retrieved chunks, for trace and evaluation */
    size_t found_count;
    struct string_list used; /* ids of the documents of all searches: any may be in the texts */
    const char *suggestions[SUGGESTIONS_MAX];
    size_t suggestion_count;
    struct claim claims[GRAPH_CLAIMS_MAX];
    size_t claim_count;
    struct unsupported_sentence unsupported[GRAPH_CLAIMS_MAX]; /* of the model's last answer */
    size_t unsupported_count;
    int factuality;
    struct graph_consensus consensus;
    bool verification_skipped;
    bool refused, knowledge_gap, error;
    enum small_talk small_talk; /* the message was no question: not cached, counted or evaluated */
    bool cached;                /* from the answer cache */
    bool requires_confirmation; /* of `pending_ticket`, which `action_summary` describes */
    const char *action_summary;
    const char *pending_ticket; /* action to store until it is confirmed; NULL = none */
    const char *create_ticket;  /* confirmed action to perform; NULL = none */
    const char *error_node, *error_message;
    const char *complexity;
    const char *search_query;
    const char *quality_source; /* embedded, llm, fixed, heuristic */
    enum text_language language;
    int iteration;
    int64_t kb_version;
    double evidence;
    const struct models_run *models; /* usage of models */
    double cost;                     /* US dollars */
    struct graph_step steps[GRAPH_STEPS_MAX];
    size_t step_count;
};

struct graph_tools {
    struct knowledge_cache *cache;
    const struct document_call *call;
    const struct support_settings *settings;
    const struct synonyms *synonyms;
    struct models *models;                  /* NULL = none */
    const struct registry_profile *profile; /* NULL = the active one, of the newly read registry */
    struct shm_region *region;              /* models' state shared by the workers; may be NULL */
    const char *const *prompts;             /* by enum prompt; NULL = the built-in prompts */
    const char *experiment_id;              /* overrides in force; NULL = none */
    const char *mark;                       /* identifies these settings and prompts; NULL = "" */
};

/* Answers a question. Never fails: after an internal error, the outcome has the route
 * error_escalation. All memory is from the arena of `tools->call`. */
void graph_run(const struct graph_tools *tools, const struct graph_request *request,
               struct graph_outcome *outcome);

/* The kind of a message that the graph answers without documents. A pending confirmation, and a
 * wish for a person where tools create tickets, are not among them. */
enum small_talk graph_small_talk(const struct graph_tools *tools,
                                 const struct graph_request *request, enum text_language *language);

/* simple, complex or global, by the words of the question. */
const char *graph_complexity(const char *question);

/* The route of an answer with that quality: auto, human, or retry (ROUTE_NONE). */
enum route_kind graph_route(int quality, double relevance, bool verification_skipped,
                            int factuality, int iteration, const struct support_settings *settings);

/* "Handed to an operator", in the language of the question. */
const char *graph_apology(enum text_language language);

#endif
