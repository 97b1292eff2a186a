/* How interactions are shown. */
#include "experiments/interactions/interactions.h"

#define OWNER struct interaction_pair
static const struct field pair_fields[] = {
    INTEGER(OWNER, treatment_index),
    INTEGER(OWNER, other_treatment_index, .help = "Of the other experiment."),
    STRING(OWNER, status, .help = "ok, too_few_users, zero_variance or values_too_large."),
    INTEGER(OWNER, users, .help = "In the four combinations of these arms and the controls."),
    NULLABLE_NUMBER(OWNER, effect_beside_control, ROUNDED(6),
                    .help = "Of the treatment, among users of the other control."),
    NULLABLE_NUMBER(OWNER, effect_beside_treatment, ROUNDED(6)),
    NULLABLE_NUMBER(OWNER, difference, ROUNDED(6), .help = "The second less the first."),
    NULLABLE_NUMBER(OWNER, standard_error, ROUNDED(6), .help = "HC2."),
    NULLABLE_NUMBER(OWNER, degrees_of_freedom, ROUNDED(2), .help = "Satterthwaite."),
    NULLABLE_NUMBER(OWNER, ci_lower, ROUNDED(6), .help = "At confidence_level."),
    NULLABLE_NUMBER(OWNER, ci_upper, ROUNDED(6)),
    NULLABLE_NUMBER(OWNER, p_value, ROUNDED(6), .help = "Of one look at this pair alone."),
    NULLABLE_NUMBER(OWNER, p_value_adjusted, ROUNDED(6), .help = "For all pairs, by the rule."),
    NULLABLE_NUMBER(OWNER, p_value_always_valid, ROUNDED(6),
                    .help = "For all pairs and any number of looks; null with few users, and "
                            "in a sample."),
    BOOLEAN(OWNER, is_interaction,
            .help = "p_value_always_valid is at most alpha; in a sample, p_value_adjusted is."),
};
#undef OWNER
static SCHEMA(pair_schema, struct interaction_pair, "InteractionPair", pair_fields);

#define OWNER struct interaction_experiment
static const struct field experiment_fields[] = {
    STRING(OWNER, experiment_id),
    STRING(OWNER, project_name),
    STRING(OWNER, status,
           .help = "ok, no_shared_users, clusters (users do not come alone) or adaptive (shares "
                   "changed)."),
    INTEGER(OWNER, shared_users, .help = "Of those gone over."),
    NULLABLE_NUMBER(OWNER, shared_share, ROUNDED(6)),
    OBJECTS(OWNER, pairs, pair_schema),
};
#undef OWNER
static SCHEMA(experiment_schema, struct interaction_experiment, "InteractionExperiment",
              experiment_fields);

#define OWNER struct interactions
static const struct field interactions_fields[] = {
    STRING(OWNER, experiment_id),
    STRING(OWNER, status,
           .help = "ok, no_users, no_other_experiments, clusters, adaptive, or too_many_users (to "
                   "draw a sample in a request)."),
    STRING(OWNER, metric, .help = "The primary metric."),
    STRING(OWNER, unit, .help = "rate, mean or ratio."),
    STRING(OWNER, rule, .help = "holm, over all pairs that are looked at."),
    NUMBER(OWNER, alpha, .help = "Of the design."),
    NUMBER(OWNER, confidence_level, ROUNDED(6),
           .help = "Of each interval, so that all hold together (Bonferroni)."),
    INTEGER(OWNER, pairs),
    INTEGER(OWNER, users, .help = "That were gone over."),
    INTEGER(OWNER, people, .help = "In the arms."),
    BOOLEAN(OWNER, is_sample),
    OBJECTS(OWNER, experiments, experiment_schema),
};
#undef OWNER
SCHEMA(interactions_schema, struct interactions, "Interactions", interactions_fields,
       .help = "Effects among the users of other experiments.");
