/* Private to common/support/answer: nodes of the graph that call a model. Each returns false when
 * no model answered (the fallbacks give the reasons); the embedded engine then runs. */
#ifndef ASSAY_SUPPORT_ANSWER_MODEL_NODES_H
#define ASSAY_SUPPORT_ANSWER_MODEL_NODES_H

#include "support/answer/graph_state.h"
#include "support/models/prompts.h"

enum { MODEL_CLAIMS_MAX = 10 };

bool model_classify(struct graph_state *state);

/* Writes a rewritten query into `*line`. `rewrites`: the first query found too little. */
bool model_search_words(struct graph_state *state, bool rewrites, const char **line);

/* A hypothetical answer to search with (HyDE); more than ten characters. */
bool model_hypothesis(struct graph_state *state, const char **text);

/* Keeps the graded chunks that a model finds relevant. */
bool model_grade(struct graph_state *state);

/* Writes an answer from `outcome->sources`, which is not empty, into `*text`; its markers refer
 * only to these sources. `*refused`: the model says that the documents do not contain the
 * answer. */
bool model_generate(struct graph_state *state, const char **text, bool *refused);

/* model_verify.c: checks the statements of the answer by one verdict, or by several with
 * FACT_VERIFY_CONSENSUS_ENABLED. */
bool model_verify(struct graph_state *state);
/* The same: quotes a model gives for statements, at most MODEL_CLAIMS_MAX; NULL where it finds no
 * support. False when no model answered. */
bool model_quotes(struct graph_state *state, const char *const *texts, size_t count,
                  const char **quotes);
bool model_evaluate(struct graph_state *state);
bool model_suggest(struct graph_state *state);

/* For the nodes: calls a model with a prompt and a message; false when no model answered. */
bool model_ask(struct graph_state *state, struct model_call *call, enum prompt prompt,
               const char *message, struct models_reply *reply);
/* A new empty message. */
struct text model_message(const struct graph_state *state);
/* Adds a source with its number. */
void model_add_source(const struct graph_state *state, struct text *text, size_t place,
                      size_t characters);

/* model_grounding.c: the answer after GENERATION_UNSUPPORTED, and the unsupported sentences of the
 * outcome; NULL when nothing of it is supported. The state's grounding is set. */
const char *model_ground(struct graph_state *state, const char *text);
/* Reads the sources of the outcome as the state's grounding. */
void model_read_sources(struct graph_state *state);
/* The percentage of an answer's sentences that the sources support, and the sentences as claims. */
int model_count_supported(struct graph_state *state, const char *text);

/* Forwards an answer sentence by sentence, up to the first one that is not supported by words. */
struct sentence_gate {
    const struct grounding *grounding;
    struct text held;
    size_t ready; /* bytes of it: checked, and waiting for a supported sentence */
    bool closed;
    bool (*pass)(const char *text, size_t length, void *context);
    void *context;
};
void sentence_gate_start(struct sentence_gate *gate, struct arena *arena,
                         const struct grounding *grounding);
bool sentence_gate_take(struct sentence_gate *gate, const char *text, size_t length);

/* model_gate.c: forwards the text of an answer while it arrives, without markers to unknown sources
 * and without leading and trailing blanks, so that the forwarded text equals the final answer. */
struct marker_gate {
    struct text held;  /* held back: blanks and a possible marker */
    struct text ready; /* the part of the current chunk to forward at once */
    int highest;       /* number of a marker */
    bool started;
    bool (*pass)(const char *text, size_t length, void *context);
    void *context;
};
void marker_gate_start(struct marker_gate *gate, struct arena *arena, int highest);
bool marker_gate_take(struct marker_gate *gate, const char *text, size_t length);

#endif
