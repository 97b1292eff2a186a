/* Private to common/support/answer: the running state of the graph and its JSON. */
#ifndef ASSAY_SUPPORT_ANSWER_GRAPH_STATE_H
#define ASSAY_SUPPORT_ANSWER_GRAPH_STATE_H

#include "shm/breaker.h"
#include "support/answer/graph.h"
#include "support/answer/grounding.h"

struct graph_state {
    const struct graph_tools *tools;
    const struct graph_request *request;
    struct graph_outcome *outcome;
    struct arena *arena;
    struct knowledge knowledge;
    struct question question;
    struct question search;    /* search text: the question or its rewritten form */
    const char *meaning;       /* text to embed: the question or a model's rewritten form */
    const char *hypothesis;    /* a hypothetical answer to search with, or NULL */
    struct found_chunk *found; /* in the order of their lexical scores */
    size_t found_count;
    bool by_meaning;            /* a vector search was made as well */
    struct found_chunk *graded; /* in the order of rank */
    size_t graded_count;
    struct answer answer;
    bool followed; /* a name led to one of its documents */
    const char *grade_reason;
    struct models_run models;
    struct fetch_watch watch;
    struct model_usage usage; /* usage of the last node that called a model, and which node */
    const char *usage_node;
    size_t calls_recorded;       /* usage of models in the steps of tools */
    bool written;                /* the answer was written by a model */
    struct grounding *grounding; /* the documents that it was given; NULL = none yet */
    int64_t node_started;
    double step_milliseconds;
    bool scored; /* quality and relevance are set */
    const char *last_selection;
};

/* lookup_call.c: calls an endpoint that is optional for retrieval. The call must fit into the
 * question's remaining time, and the endpoint's breaker must be closed. */
struct lookup_call {
    double seconds; /* at most */
    struct breaker_rule rule;
    struct breaker_permit pass;
};
/* Returns NULL, or the reason why no call is possible; releases the connection to the database.
 * `url` is that of the endpoint; NULL = it is of this machine. */
const char *lookup_call_begin(struct graph_state *state, const char *breaker, const char *url,
                              struct lookup_call *call);
void lookup_call_end(struct graph_state *state, struct lookup_call *call, bool failed);

/* reranking.c: replaces relevance and order of the graded chunks by a cross-encoder's scores, and
 * keeps the best chunks. Changes nothing when no endpoint is configured or the call has failed
 * (then it adds a fallback). */
void rerank_chunks(struct graph_state *state);

/* retrieval.c: finds chunks by words, and by meaning where vectors are available, and reads the
 * best of both as `found`. */
enum error retrieve_chunks(struct graph_state *state);

/* follow.c: with the strategy `graph`, adds a passage of another document to the embedded answer,
 * about the words of the question that its own document leaves open. */
enum error follow_names(struct graph_state *state);

/* nearest.c: the vector of the question, packed; NULL when vectors are not used or not available,
 * or the endpoint has failed (then it adds a fallback). */
const uint8_t *question_vector(struct graph_state *state);

/* small_talk_node.c: answers outcome->small_talk. */
enum error small_talk_answer(struct graph_state *state);

/* graph.c, for the tools: searches documents with these words, adds new ones to the sources and
 * stores the numbers of the best ones; returns how many. */
size_t graph_search(struct graph_state *state, const char *words, int *numbers, size_t most);
/* graph.c, for the tools: the embedded answer for these words, whose documents become the sources;
 * NULL when there is none. */
const char *graph_quote(struct graph_state *state, const char *words);
/* Records a step with that name. */
void graph_record(struct graph_state *state, const char *node);
/* Sets which sources the answer has markers to. */
void graph_mark_cited(struct graph_outcome *outcome);

/* The state as an object; documents are references into the trace's list. */
const char *graph_state_json(const struct graph_state *state);

#endif
