/* Private to common/support/answer: the nodes of the graph as models serve them. Each returns false
 * when no model did (the fallbacks say why); the embedded engine is then asked. */
#ifndef ASSAY_SUPPORT_ANSWER_MODEL_NODES_H
#define ASSAY_SUPPORT_ANSWER_MODEL_NODES_H

#include "support/answer/graph_state.h"
#include "support/models/prompts.h"

enum { MODEL_CLAIMS_MAX = 10 };

bool model_classify(struct graph_state *state);

/* Other words to search for, into `*line`. `rewrites`: because the first ones found too little. */
bool model_search_words(struct graph_state *state, bool rewrites, const char **line);

/* An answer as a document might put it, to search with; of more than ten characters. */
bool model_hypothesis(struct graph_state *state, const char **text);

/* Keeps what a model finds relevant of the graded chunks. */
bool model_grade(struct graph_state *state);

/* An answer from `outcome->sources`, which are there; `*text` is it, with markers to nothing else.
 * `*refused`: the model says that the documents do not hold it. */
bool model_generate(struct graph_state *state, const char **text, bool *refused);

/* model_verify.c: the statements of the answer, checked by one verdict, or by several with
 * FACT_VERIFY_CONSENSUS_ENABLED. */
bool model_verify(struct graph_state *state);
bool model_evaluate(struct graph_state *state);
bool model_suggest(struct graph_state *state);

/* For the nodes: asks with a prompt and a message; false when no model answered. */
bool model_ask(struct graph_state *state, struct model_call *call, enum prompt prompt,
               const char *message, struct models_reply *reply);
/* An empty message. */
struct text model_message(const struct graph_state *state);
/* Adds a source under its number. */
void model_add_source(const struct graph_state *state, struct text *text, size_t place,
                      size_t characters);

/* model_gate.c: passes an answer's words on as they come, without markers that point nowhere and
 * without blanks round the whole, so that what was passed on is what the answer will be. */
struct marker_gate {
    struct text held;  /* blanks and what may be a marker */
    struct text ready; /* of the piece being taken, which goes on as one */
    int highest;       /* number of a marker */
    bool started;
    bool (*pass)(const char *text, size_t length, void *context);
    void *context;
};
void marker_gate_start(struct marker_gate *gate, struct arena *arena, int highest);
bool marker_gate_take(struct marker_gate *gate, const char *text, size_t length);

#endif
