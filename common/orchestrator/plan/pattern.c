/* The tables of patterns and levels. */
#include "orchestrator/plan/pattern.h"

#define BIT(role) (1U << (role))

static const struct pattern_row {
    int models;
    bool reasoning;
    enum merge_strategy merge;
    int quorum;
    bool consensus, roles, iterative;
} patterns[EXECUTION_PATTERN__MAX] = {
    [PATTERN_SONAR] = {1, false, MERGE_FIRST_SUCCESS, 1, false, false, false},
    [PATTERN_SINGLE] = {1, true, MERGE_FIRST_SUCCESS, 1, false, false, false},
    [PATTERN_DUAL] = {2, true, MERGE_CONCAT, 2, false, false, false},
    [PATTERN_FIVE_MODELS] = {5, true, MERGE_CONCAT, 3, false, false, false},
    [PATTERN_FIVE_MODELS_COMPARE] = {5, true, MERGE_FIRST_SUCCESS, 3, false, true, false},
    [PATTERN_CONSENSUS] = {3, true, MERGE_FIRST_SUCCESS, 3, true, true, false},
    [PATTERN_MAXIMUM] = {5, true, MERGE_FIRST_SUCCESS, 5, true, true, true},
};

static const struct level_row {
    bool consensus;
    double threshold;
    bool decompose;
    int rounds;
    bool peer_review, confidence;
    enum execution_pattern pattern;
    unsigned roles;
} levels[RELIABILITY_LEVEL__MAX] = {
    [RELIABILITY_QUICK] = {false, 0, false, 0, false, false, PATTERN_SINGLE,
                           BIT(ROLE_FACT_VERIFIER)},
    [RELIABILITY_STANDARD] = {false, 0, false, 0, false, true, PATTERN_DUAL,
                              BIT(ROLE_JUDGE) | BIT(ROLE_SYNTHESIZER)},
    [RELIABILITY_HIGH] = {true, 0.85, true, 1, false, true, PATTERN_CONSENSUS,
                          BIT(ROLE_VERIFIER) | BIT(ROLE_JUDGE) | BIT(ROLE_DEVIL_ADVOCATE) |
                              BIT(ROLE_SYNTHESIZER)},
    [RELIABILITY_MAXIMUM] = {true, 0.95, true, 5, true, true, PATTERN_MAXIMUM,
                             BIT(ROLE_VERIFIER) | BIT(ROLE_JUDGE) | BIT(ROLE_DEVIL_ADVOCATE) |
                                 BIT(ROLE_FACT_VERIFIER) | BIT(ROLE_SYNTHESIZER) |
                                 BIT(ROLE_DECOMPOSER)},
};

static struct treatment combine(enum execution_pattern pattern, enum reliability_level level)
{
    const struct pattern_row *row = &patterns[pattern];
    const struct level_row *care = &levels[level];

    return (struct treatment){.pattern = pattern,
                              .level = level,
                              .model_count = row->models,
                              .reasoning = row->reasoning,
                              .merge = row->merge,
                              .quorum = row->quorum,
                              .use_consensus = row->consensus,
                              .iterative = row->iterative,
                              .use_decomposition = care->decompose,
                              .peer_review = care->peer_review,
                              .confidence = care->confidence,
                              .threshold = care->threshold,
                              .rounds = care->rounds,
                              .roles = care->roles};
}

struct treatment treatment_of_pattern(enum execution_pattern pattern)
{
    const struct pattern_row *row = &patterns[pattern];

    if (row->iterative)
        return combine(pattern, RELIABILITY_MAXIMUM);
    if (row->consensus)
        return combine(pattern, RELIABILITY_HIGH);
    return combine(pattern, row->models >= 2 ? RELIABILITY_STANDARD : RELIABILITY_QUICK);
}

struct treatment treatment_of_level(enum reliability_level level)
{
    struct treatment treatment = combine(levels[level].pattern, level);

    treatment.use_consensus = levels[level].consensus;
    return treatment;
}

struct treatment treatment_of_prompt(const struct complexity *complexity)
{
    if (complexity->should_decompose)
        return treatment_of_level(RELIABILITY_HIGH);
    return treatment_of_level(complexity->level == LEVEL_COMPLEX ? RELIABILITY_STANDARD
                                                                 : RELIABILITY_QUICK);
}
