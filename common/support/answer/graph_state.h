/* Private to common/support/answer: the running state of the graph and its JSON. */
#ifndef ASSAY_SUPPORT_ANSWER_GRAPH_STATE_H
#define ASSAY_SUPPORT_ANSWER_GRAPH_STATE_H

#include "support/answer/graph.h"

struct graph_state {
    const struct graph_tools *tools;
    const struct graph_request *request;
    struct graph_outcome *outcome;
    struct arena *arena;
    struct knowledge knowledge;
    struct question question;
    struct question search;    /* what is searched for: the question, or other words for it */
    struct found_chunk *found; /* in the order of the search */
    size_t found_count;
    struct found_chunk *graded; /* in the order of rank */
    size_t graded_count;
    struct answer answer;
    const char *grade_reason;
    struct models_run models;
    struct fetch_watch watch;
    struct model_usage usage; /* of the last node that used anything, and which that was */
    const char *usage_node;
    bool written; /* the answer is a model's */
    int64_t node_started;
    double step_milliseconds;
    bool scored; /* quality and relevance are set */
    const char *last_selection;
};

/* The state as an object; documents stand as references into the trace's list. */
const char *graph_state_json(const struct graph_state *state);

#endif
