/*
 * One vote of each of several models. Equal answers (by their embeddings, as in consensus) form
 * groups; the largest group is the verdict, of equal ones the first. Models are asked in their
 * order, in parallel as many as are needed to decide, and no more once no further vote can change
 * the verdict.
 */
#ifndef ASSAY_ORCHESTRATOR_RUNS_VOTING_H
#define ASSAY_ORCHESTRATOR_RUNS_VOTING_H

#include "orchestrator/runs/consensus.h"
#include "orchestrator/storage/vote_store.h"

struct vote_group {
    const char *answer;
    int64_t votes;
    struct string_list models;
};
SCHEMA_OF(vote_group_schema, struct vote_group);

/* What the agreement of several models is worth, by past questions. */
struct votes {
    int64_t models; /* whose answers were compared */
    double independent, error_correlation, error_rate, majority_error_rate;
    int learned_from; /* enum vote_scope */
    int64_t known_questions, unknown_questions;
    struct optional_boolean one_model_suffices; /* absent: too few past questions */
    int64_t asked;                              /* including those that failed */
    int64_t not_asked;                          /* because the verdict was decided */
    OBJECT_LIST(struct vote_group, answers);    /* the largest first */
};
SCHEMA_OF(votes_schema, struct votes);

/* Weighs the agreement of these models on the prompt; answers are not listed. */
MUST_CHECK enum error votes_weigh(struct pattern_run *run, const char *prompt,
                                  const struct string_list *models, struct votes *votes);

struct vote_options {
    double similarity_threshold;
    double target; /* sufficient share of the largest group */
    bool stop_early;
};

/* `models` are 2 to VOTERS_MAX different ones. Fills in the consensus and the votes, and stores the
 * votes for later questions; those of a dry run count for nothing. */
MUST_CHECK enum error votes_run(struct pattern_run *run, const char *prompt,
                                const struct model *const *models, size_t count,
                                const struct vote_options *wanted, struct consensus *consensus,
                                struct votes *votes);

#endif
