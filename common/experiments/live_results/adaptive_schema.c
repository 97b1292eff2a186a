/* The fields of the block of adaptive experiments. */
#include "experiments/live_results/adaptive_schema.h"

#define OWNER struct live_adaptive_arm
static const struct field arm_fields[] = {
    INTEGER(OWNER, variation_index),
    NUMBER(OWNER, share, .help = "The probability of the arm in the newest round."),
    INTEGER(OWNER, exposed_users),
    NULLABLE_NUMBER(OWNER, exposed_share, ROUNDED(6)),
    NULLABLE_NUMBER(OWNER, mean, ROUNDED(6),
                    .help = "Where each round counts with all its users; a rate is a share."),
};
#undef OWNER
static SCHEMA(arm_schema, struct live_adaptive_arm, "LiveAdaptiveArm", arm_fields);

#define OWNER struct live_adaptive_comparison
static const struct field comparison_fields[] = {
    INTEGER(OWNER, treatment_index),
    STRING(OWNER, status, .help = "ok or insufficient_data."),
    NULLABLE_NUMBER(OWNER, effect, ROUNDED(6),
                    .help = "Weighted by the logged probabilities; of rates a share."),
    NULLABLE_NUMBER(OWNER, effect_relative, ROUNDED(6)),
    NULLABLE_NUMBER(OWNER, standard_error, ROUNDED(6)),
    NULLABLE_NUMBER(OWNER, always_valid_p_value, ROUNDED(6)),
    NULLABLE_NUMBER(OWNER, confidence_level, ROUNDED(6)),
    NULLABLE_NUMBER(OWNER, ci_sequence_lower, ROUNDED(6)),
    NULLABLE_NUMBER(OWNER, ci_sequence_upper, ROUNDED(6)),
    NULLABLE_BOOLEAN(OWNER, is_significant),
};
#undef OWNER
static SCHEMA(comparison_schema, struct live_adaptive_comparison, "LiveAdaptiveComparison",
              comparison_fields);

#define OWNER struct live_adaptive
static const struct field fields[] = {
    STRING(OWNER, status, .help = "running, paused, or final (there are no more rounds)."),
    INTEGER(OWNER, round, .help = "The newest round, from 1."),
    NUMBER(OWNER, floor, .help = "The least share of every arm."),
    INTEGER(OWNER, users_without_round,
            .help = "Exposed without a round: their probability is not known, and they are in no "
                    "comparison."),
    OBJECTS(OWNER, arms, arm_schema),
    OBJECTS(OWNER, comparisons, comparison_schema),
    STRING(OWNER, note, .nullable = true),
};
#undef OWNER
SCHEMA(live_adaptive_schema, struct live_adaptive, "LiveAdaptive", fields,
       .help = "The arms of an adaptive experiment, whose shares follow what was seen.");
