/* Effort for an answer: patterns that a caller names, and levels of reliability. */
#ifndef ASSAY_ORCHESTRATOR_PLAN_PATTERN_H
#define ASSAY_ORCHESTRATOR_PLAN_PATTERN_H

#include "orchestrator/plan/assess.h"

enum role {
    ROLE_VERIFIER,
    ROLE_SYNTHESIZER,
    ROLE_JUDGE,
    ROLE_DEVIL_ADVOCATE,
    ROLE_FACT_VERIFIER,
    ROLE_DECOMPOSER,
    ROLE__MAX
};

/* One resolved strategy. */
struct treatment {
    enum execution_pattern pattern;
    enum reliability_level level;
    int model_count;
    bool reasoning;
    enum merge_strategy merge;
    int quorum;
    bool use_consensus, use_decomposition, peer_review, confidence, iterative;
    double threshold; /* of agreement */
    int rounds;       /* of consensus */
    unsigned roles;   /* bits of enum role */
};

struct treatment treatment_of_pattern(enum execution_pattern pattern);
struct treatment treatment_of_level(enum reliability_level level);

/* If neither is given: by the assessment of the prompt. */
struct treatment treatment_of_prompt(const struct complexity *complexity);

#endif
