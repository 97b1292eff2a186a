/* Private to common/support/answer: the running state of the graph and its JSON. */
#ifndef ASSAY_SUPPORT_ANSWER_GRAPH_STATE_H
#define ASSAY_SUPPORT_ANSWER_GRAPH_STATE_H

#include "shm/breaker.h"
#include "support/answer/graph.h"

struct graph_state {
    const struct graph_tools *tools;
    const struct graph_request *request;
    struct graph_outcome *outcome;
    struct arena *arena;
    struct knowledge knowledge;
    struct question question;
    struct question search;    /* what is searched for: the question, or other words for it */
    const char *meaning;       /* what is embedded: the question, or a model's words for it */
    const char *hypothesis;    /* an answer made up to search with, or NULL */
    struct found_chunk *found; /* in the order of their lexical scores */
    size_t found_count;
    bool by_meaning;            /* vectors were searched as well */
    struct found_chunk *graded; /* in the order of rank */
    size_t graded_count;
    struct answer answer;
    const char *grade_reason;
    struct models_run models;
    struct fetch_watch watch;
    struct model_usage usage; /* of the last node that used anything, and which that was */
    const char *usage_node;
    size_t calls_recorded; /* of models, in the steps of tools */
    bool written;          /* the answer is a model's */
    int64_t node_started;
    double step_milliseconds;
    bool scored; /* quality and relevance are set */
    const char *last_selection;
};

/* lookup_call.c: a call of an endpoint that retrieval can do without, within what is left of the
 * question's time and not while its breaker is open. */
struct lookup_call {
    double seconds; /* at most */
    struct breaker_rule rule;
    struct breaker_permit pass;
};
/* NULL, or why there is none to be made; gives the connection to the database back. */
const char *lookup_call_begin(struct graph_state *state, const char *breaker,
                              struct lookup_call *call);
void lookup_call_end(struct graph_state *state, struct lookup_call *call, bool failed);

/* reranking.c: what a cross-encoder says of the graded chunks becomes their relevance and order;
 * the best ones stay. Nothing changes where none is set or it has failed (then a fallback says so).
 */
void rerank_chunks(struct graph_state *state);

/* nearest.c: the chunks nearest to the question by meaning, in `hits`; how many. 0 where vectors
 * are not used, not there yet, or the endpoint has failed (then a fallback says so). */
size_t nearest_chunks(struct graph_state *state, struct search_hit *hits, size_t most);

/* graph.c, for the tools: looks documents up by these words, adds those to the sources that are not
 * there yet and notes the numbers of the best ones; how many. */
size_t graph_search(struct graph_state *state, const char *words, int *numbers, size_t most);
/* graph.c, for the tools: the embedded answer to these words, whose documents become the sources;
 * NULL when there is none. */
const char *graph_quote(struct graph_state *state, const char *words);
/* Writes a step of that name down. */
void graph_record(struct graph_state *state, const char *node);
/* Notes which sources the answer has markers to. */
void graph_mark_cited(struct graph_outcome *outcome);

/* The state as an object; documents stand as references into the trace's list. */
const char *graph_state_json(const struct graph_state *state);

#endif
