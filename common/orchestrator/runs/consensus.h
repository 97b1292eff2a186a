/*
 * Sends one question to several models and finds the answer that most agree on, by their
 * embeddings. V1 iterates over different wordings until enough answers agree; V2 iterates over the
 * bare prompt and debates contested points. A single callable model is called several times, and
 * `models_used` shows it.
 */
#ifndef ASSAY_ORCHESTRATOR_RUNS_CONSENSUS_H
#define ASSAY_ORCHESTRATOR_RUNS_CONSENSUS_H

#include "orchestrator/measures/votes.h"
#include "orchestrator/runs/pattern_run.h"

struct consensus_options {
    double similarity_threshold;
    double target; /* sufficient share of the largest cluster */
    int max_rounds;
    int per_round;
    bool use_confidence; /* weights answers by their stated confidence */
};

struct dissent {
    const char *perspective; /* the first 500 code points */
    double support_ratio;
};

struct consensus {
    const char *best; /* NULL = no call returned an answer; `failure` has the reason */
    struct result failure;
    double score;
    size_t cluster_count;
    size_t top_size;
    struct optional_number weighted;
    int rounds;
    bool needs_debate;
    bool accepted;                  /* V2 */
    struct string_list models_used; /* the models whose answers were compared */
    size_t dissent_count;
    struct dissent *dissents;
};

/* Both need embeddings unless the run is dry: ERROR_UNAVAILABLE (`embeddings_unavailable`). */
MUST_CHECK enum error consensus_v1(struct pattern_run *run, const char *prompt,
                                   const struct consensus_options *wanted,
                                   struct consensus *consensus);

/* Calls that many models. With `peer_review` another model ranks the answers of the largest
 * cluster. */
MUST_CHECK enum error consensus_v2(struct pattern_run *run, const char *prompt, enum task_type type,
                                   size_t models, bool peer_review, struct consensus *consensus);

/* Challenges and defends an answer: two calls. The last result is the improved answer. If the
 * challenge fails, there is no defense, and both results are that failure. */
MUST_CHECK enum error debate_answer(struct pattern_run *run, const char *topic, const char *answer,
                                    const struct model *challenger, const struct model *defender,
                                    struct result *challenge, struct result *defense);

#endif
