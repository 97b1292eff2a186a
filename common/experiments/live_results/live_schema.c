/* Schemas of the live statistics. */
#include "experiments/live_results/live_schema.h"

#include "experiments/analyses/adjusted_analysis.h"
#include "experiments/analyses/bayes_analysis.h"
#include "experiments/design/calculation.h"
#include "experiments/live_results/clusters.h"

#define OWNER struct live_arm_statistic
static const struct field arm_fields[] = {
    INTEGER(OWNER, variation_index),
    INTEGER(OWNER, exposed_users),
    INTEGER(OWNER, converted_users, .help = "People with at least one event of the metric."),
    NULLABLE_NUMBER(OWNER, conversion_rate, ROUNDED(6), .help = "Binary metrics."),
    NULLABLE_NUMBER(OWNER, mean, ROUNDED(6), .help = "Continuous and count metrics, per person."),
    NULLABLE_NUMBER(OWNER, std, ROUNDED(6)),
    NULLABLE_NUMBER(OWNER, ratio, ROUNDED(6), .help = "Ratio metrics."),
};
#undef OWNER
SCHEMA(live_arm_schema, struct live_arm_statistic, "LiveArm", arm_fields);

#define OWNER struct live_always_valid
static const struct field always_valid_fields[] = {
    STRING(OWNER, status, .help = "ok or not_evaluable."),
    NULLABLE_NUMBER(OWNER, always_valid_p_value, ROUNDED(6)),
    NULLABLE_NUMBER(OWNER, confidence_level, ROUNDED(6)),
    NULLABLE_NUMBER(OWNER, ci_sequence_lower, ROUNDED(6),
                    .help = "In natural units: proportions, not percentage points."),
    NULLABLE_NUMBER(OWNER, ci_sequence_upper, ROUNDED(6)),
    NULLABLE_BOOLEAN(OWNER, is_significant),
    NULLABLE_NUMBER(OWNER, mixture_variance, ROUNDED(8)),
    STRING(OWNER, note, .nullable = true),
};
#undef OWNER
static SCHEMA(always_valid_schema, struct live_always_valid, "LiveAlwaysValid", always_valid_fields,
              .help = "Inference that holds however often it is looked at.");

#define OWNER struct live_stratum_srm
static const struct field stratum_srm_fields[] = {
    STRING(OWNER, stratum),
    INTEGERS(OWNER, observed_counts),
    NUMBER(OWNER, chi_square, ROUNDED(4)),
    NUMBER(OWNER, p_value, ROUNDED(6)),
    BOOLEAN(OWNER, is_srm, .help = "p is below 0.001 over the number of strata."),
};
#undef OWNER
static SCHEMA(stratum_srm_schema, struct live_stratum_srm, "LiveStratumSrm", stratum_srm_fields);

#define OWNER struct live_srm
static const struct field srm_fields[] = {
    STRING(OWNER, status, .help = "ok, srm_detected or insufficient_data."),
    NULLABLE_NUMBER(OWNER, chi_square, ROUNDED(4)),
    NULLABLE_NUMBER(OWNER, p_value, ROUNDED(6)),
    BOOLEAN(OWNER, is_srm),
    INTEGERS(OWNER, observed_counts),
    NUMBERS(OWNER, expected_counts, ROUNDED(4)),
    STRING(OWNER, verdict),
    NULLABLE_INTEGER(OWNER, deviating_arm,
                     .help =
                         "With a mismatch of three or more arms: the arm that is furthest off."),
    OBJECTS(OWNER, strata, stratum_srm_schema, .help = "The same check within each stratum."),
};
#undef OWNER
static SCHEMA(srm_schema, struct live_srm, "LiveSrm", srm_fields);

#define OWNER struct live_comparison
static const struct field comparison_fields[] = {
    INTEGER(OWNER, treatment_index),
    STRING(OWNER, status, .help = "ok or insufficient_data."),
    OBJECT(OWNER, control, live_arm_schema),
    OBJECT(OWNER, treatment, live_arm_schema),
    OBJECT(OWNER, analysis, results_reply_schema, .nullable = true),
    NULLABLE_NUMBER(OWNER, probability_treatment_beats_control, ROUNDED(3)),
    NULLABLE_BOOLEAN(OWNER, sequential_significant,
                     .help = "Beyond the group sequential boundary of now; null without one."),
    OBJECT(OWNER, always_valid, always_valid_schema, .nullable = true),
    STRING(OWNER, note, .nullable = true),
};
#undef OWNER
SCHEMA(live_comparison_schema, struct live_comparison, "LiveComparison", comparison_fields,
       .help = "A treatment against the control, arm 0.");

#define OWNER struct live_sequential
static const struct field sequential_fields[] = {
    STRING(OWNER, status, .help = "fixed_horizon, active or insufficient_data."),
    INTEGER(OWNER, n_looks),
    NULLABLE_INTEGER(OWNER, planned_sample_size_per_variant),
    INTEGER(OWNER, total_exposed),
    NULLABLE_NUMBER(OWNER, information_fraction, ROUNDED(4)),
    NULLABLE_NUMBER(OWNER, smallest_arm_fraction, ROUNDED(4),
                    .help = "The same of the arm that is furthest behind its share."),
    NULLABLE_NUMBER(OWNER, current_boundary_z, ROUNDED(4)),
    STRING(OWNER, note, .nullable = true),
    OBJECT(OWNER, planned_looks, live_planned_looks_schema, .nullable = true, .omit_if_null = true,
           .help = "Only where the design plans looks."),
    OBJECT(OWNER, hybrid, live_hybrid_schema, .nullable = true, .omit_if_null = true,
           .help = "Only where the design has hybrid readings."),
};
#undef OWNER
static SCHEMA(sequential_schema, struct live_sequential, "LiveSequential", sequential_fields);

#define OWNER struct live_covariate_slope
static const struct field slope_fields[] = {
    STRING(OWNER, name),
    NUMBER(OWNER, theta, ROUNDED(6)),
};
#undef OWNER
static SCHEMA(slope_schema, struct live_covariate_slope, "LiveCovariate", slope_fields);

#define OWNER struct live_ignored_covariate
static const struct field ignored_fields[] = {
    STRING(OWNER, name),
    INTEGER(OWNER, users),
    NUMBER(OWNER, coverage, ROUNDED(4)),
};
#undef OWNER
static SCHEMA(ignored_schema, struct live_ignored_covariate, "LiveIgnoredCovariate",
              ignored_fields);

#define OWNER struct live_cuped_arm
static const struct field cuped_arm_fields[] = {
    INTEGER(OWNER, variation_index),
    INTEGER(OWNER, covariate_users, .help = "People with every covariate."),
    INTEGER(OWNER, exposed_users),
    NULLABLE_NUMBER(OWNER, coverage, ROUNDED(4)),
    NULLABLE_NUMBER(OWNER, unadjusted_mean, ROUNDED(6)),
    NULLABLE_NUMBER(OWNER, adjusted_mean, ROUNDED(6)),
    NULLABLE_NUMBER(OWNER, adjusted_std, ROUNDED(6)),
};
#undef OWNER
static SCHEMA(cuped_arm_schema, struct live_cuped_arm, "LiveCupedArm", cuped_arm_fields);

#define OWNER struct live_cuped_comparison
static const struct field cuped_comparison_fields[] = {
    INTEGER(OWNER, treatment_index),
    STRING(OWNER, status, .help = "ok or insufficient_data."),
    OBJECT(OWNER, control, cuped_arm_schema),
    OBJECT(OWNER, treatment, cuped_arm_schema),
    OBJECT(OWNER, analysis, results_reply_schema, .nullable = true),
    NULLABLE_NUMBER(OWNER, variance_reduction_pct, ROUNDED(4)),
    STRING(OWNER, note, .nullable = true),
};
#undef OWNER
static SCHEMA(cuped_comparison_schema, struct live_cuped_comparison, "LiveCupedComparison",
              cuped_comparison_fields);

#define OWNER struct live_cuped
static const struct field cuped_fields[] = {
    STRING(OWNER, status, .help = "available, unavailable, too_many_covariates, not_applicable."),
    STRING(OWNER, note, .nullable = true),
    NULLABLE_NUMBER(OWNER, theta, ROUNDED(6), .help = "With one covariate."),
    NULLABLE_INTEGER(OWNER, num_covariates, .help = "Those that cover enough users."),
    OBJECTS(OWNER, covariates, slope_schema),
    OBJECTS(OWNER, ignored_covariates, ignored_schema,
            .help = "Names that cover less than 5 % of the exposed users."),
    NULLABLE_NUMBER(OWNER, variance_reduction_pct, ROUNDED(4)),
    NULLABLE_INTEGER(OWNER, covariate_users_total),
    NULLABLE_INTEGER(OWNER, exposed_users_total),
    NULLABLE_NUMBER(OWNER, coverage_total, ROUNDED(4)),
    STRING(OWNER, selection_caveat, .nullable = true),
    OBJECTS(OWNER, comparisons, cuped_comparison_schema),
};
#undef OWNER
static SCHEMA(cuped_schema, struct live_cuped, "LiveCuped", cuped_fields,
              .help = "Means adjusted by what was known of people before the experiment.");

#define OWNER struct live_adjusted_claim
static const struct field claim_fields[] = {
    INTEGER(OWNER, treatment_index),
    NULLABLE_NUMBER(OWNER, p_value_adjusted, ROUNDED(6),
                    .help = "Holm's over all secondary metrics and treatments."),
    NULLABLE_BOOLEAN(OWNER, is_significant, .help = "By that p-value."),
};
#undef OWNER
static SCHEMA(claim_schema, struct live_adjusted_claim, "LiveAdjustedClaim", claim_fields);

#define OWNER struct live_adjusted_secondary
static const struct field adjusted_secondary_fields[] = {
    STRING(OWNER, metric),
    STRING(OWNER, status, .help = "available or insufficient_data."),
    OBJECT(OWNER, analysis, adjusted_reply_schema, .nullable = true,
           .help = "The mean per user; its own p-values are not corrected for the other metrics."),
    OBJECTS(OWNER, claims, claim_schema),
};
#undef OWNER
static SCHEMA(adjusted_secondary_schema, struct live_adjusted_secondary, "LiveAdjustedSecondary",
              adjusted_secondary_fields);

#define OWNER struct live_adjusted
static const struct field adjusted_fields[] = {
    STRING(OWNER, status,
           .help = "available, unavailable (nobody has every covariate in use), "
                   "insufficient_data or too_many_covariates."),
    STRING(OWNER, metric),
    OBJECT(OWNER, analysis, adjusted_reply_schema, .nullable = true),
    OBJECTS(OWNER, secondary, adjusted_secondary_schema,
            .help = "The secondary metrics, adjusted by the same covariates."),
};
#undef OWNER
static SCHEMA(adjusted_schema, struct live_adjusted, "LiveAdjusted", adjusted_fields,
              .help = "The effect adjusted by covariates over all users: those without every "
                      "covariate count with its mean and an indicator. For every kind of metric; "
                      "one residual variance per arm.");

#define OWNER struct live_stratum_effect
static const struct field stratum_fields[] = {
    STRING(OWNER, stratum),
    INTEGER(OWNER, users),
    INTEGER(OWNER, control_users),
    INTEGER(OWNER, treatment_users),
    NULLABLE_NUMBER(OWNER, effect, ROUNDED(6)),
};
#undef OWNER
static SCHEMA(stratum_schema, struct live_stratum_effect, "LiveStratum", stratum_fields);

#define OWNER struct live_stratified_comparison
static const struct field stratified_comparison_fields[] = {
    INTEGER(OWNER, treatment_index),
    STRING(OWNER, status, .help = "ok or insufficient_data."),
    NULLABLE_NUMBER(OWNER, effect, ROUNDED(6), .help = "In natural units."),
    NULLABLE_NUMBER(OWNER, pooled_effect, ROUNDED(6),
                    .help = "Of the same people without strata, in the same units."),
    NULLABLE_NUMBER(OWNER, standard_error, ROUNDED(6)),
    NULLABLE_NUMBER(OWNER, test_statistic, ROUNDED(6)),
    NULLABLE_NUMBER(OWNER, p_value, ROUNDED(6)),
    NULLABLE_NUMBER(OWNER, ci_lower, ROUNDED(6)),
    NULLABLE_NUMBER(OWNER, ci_upper, ROUNDED(6)),
    NULLABLE_NUMBER(OWNER, ci_level, ROUNDED(6)),
    NULLABLE_BOOLEAN(OWNER, is_significant),
    NULLABLE_NUMBER(OWNER, variance_reduction_pct, ROUNDED(4)),
    NULLABLE_INTEGER(OWNER, num_strata, .help = "Those that contribute."),
    OBJECTS(OWNER, strata, stratum_schema),
    STRING(OWNER, note, .nullable = true),
};
#undef OWNER
static SCHEMA(stratified_comparison_schema, struct live_stratified_comparison,
              "LiveStratifiedComparison", stratified_comparison_fields);

#define OWNER struct live_stratified
static const struct field stratified_fields[] = {
    STRING(OWNER, status, .help = "available, unavailable or too_many_strata."),
    STRING(OWNER, note, .nullable = true),
    NULLABLE_INTEGER(OWNER, num_strata),
    NULLABLE_INTEGER(OWNER, stratified_users_total),
    NULLABLE_INTEGER(OWNER, exposed_users_total),
    OBJECTS(OWNER, comparisons, stratified_comparison_schema),
};
#undef OWNER
static SCHEMA(stratified_schema, struct live_stratified, "LiveStratified", stratified_fields);

#define OWNER struct live_guardrail_arm
static const struct field guardrail_arm_fields[] = {
    INTEGER(OWNER, variation_index),
    INTEGER(OWNER, exposed_users),
    NULLABLE_NUMBER(OWNER, point_estimate, ROUNDED(6)),
};
#undef OWNER
static SCHEMA(guardrail_arm_schema, struct live_guardrail_arm, "LiveGuardrailArm",
              guardrail_arm_fields);

#define OWNER struct live_guardrail_comparison
static const struct field guardrail_comparison_fields[] = {
    INTEGER(OWNER, treatment_index),
    STRING(OWNER, status, .help = "ok, warning, breached or insufficient_data."),
    OBJECT(OWNER, control, guardrail_arm_schema),
    OBJECT(OWNER, treatment, guardrail_arm_schema),
    NULLABLE_NUMBER(OWNER, effect, ROUNDED(6)),
    NULLABLE_NUMBER(OWNER, harm, ROUNDED(6), .help = "The effect in the bad direction."),
    NULLABLE_NUMBER(OWNER, harm_lower_bound, ROUNDED(6), .help = "One-sided."),
    NULLABLE_NUMBER(OWNER, harm_upper_bound, ROUNDED(6), .help = "One-sided."),
    NUMBER(OWNER, margin, ROUNDED(8), .help = "The harm that is put up with."),
    NULLABLE_NUMBER(OWNER, p_value, ROUNDED(6), .help = "Of harm above the margin."),
    BOOLEAN(OWNER, is_breached),
    NULLABLE_BOOLEAN(OWNER, is_non_inferior,
                     .help = "Harm below the margin is proven; null without a margin."),
    NULLABLE_NUMBER(OWNER, p_value_non_inferior, ROUNDED(6)),
    STRING(OWNER, note, .nullable = true),
};
#undef OWNER
static SCHEMA(guardrail_comparison_schema, struct live_guardrail_comparison,
              "LiveGuardrailComparison", guardrail_comparison_fields);

#define OWNER struct live_guardrail_metric
static const struct field guardrail_metric_fields[] = {
    STRING(OWNER, name),
    STRING(OWNER, metric_type),
    STRING(OWNER, direction),
    NULLABLE_NUMBER(OWNER, margin_pct),
    STRING(OWNER, status, .help = "The worst of its comparisons."),
    NULLABLE_BOOLEAN(OWNER, is_non_inferior, .help = "All of its comparisons are."),
    OBJECTS(OWNER, comparisons, guardrail_comparison_schema),
};
#undef OWNER
static SCHEMA(guardrail_metric_schema, struct live_guardrail_metric, "LiveGuardrailMetric",
              guardrail_metric_fields);

#define OWNER struct live_guardrail
static const struct field guardrail_fields[] = {
    STRING(OWNER, status, .help = "ok, warning, breached or unavailable."),
    STRING(OWNER, note, .nullable = true),
    BOOLEAN(OWNER, any_breached),
    OBJECTS(OWNER, metrics, guardrail_metric_schema),
};
#undef OWNER
static SCHEMA(guardrail_schema, struct live_guardrail, "LiveGuardrail", guardrail_fields);

#define OWNER struct live_holdout_side
static const struct field holdout_side_fields[] = {
    STRING(OWNER, label),
    INTEGER(OWNER, exposed_users),
    INTEGER(OWNER, converted_users),
    NULLABLE_NUMBER(OWNER, conversion_rate, ROUNDED(6)),
    NULLABLE_NUMBER(OWNER, mean, ROUNDED(6)),
    NULLABLE_NUMBER(OWNER, std, ROUNDED(6)),
};
#undef OWNER
static SCHEMA(holdout_side_schema, struct live_holdout_side, "LiveHoldoutSide",
              holdout_side_fields);

#define OWNER struct live_holdout
static const struct field holdout_fields[] = {
    STRING(OWNER, status, .help = "ok, unavailable or insufficient_data."),
    STRING(OWNER, note, .nullable = true),
    OBJECT(OWNER, treated, holdout_side_schema, .nullable = true,
           .help = "All treatments together, without the control."),
    OBJECT(OWNER, holdout, holdout_side_schema, .nullable = true),
    OBJECT(OWNER, analysis, results_reply_schema, .nullable = true),
    NULLABLE_NUMBER(OWNER, probability_treated_beats_holdout, ROUNDED(3)),
    OBJECT(OWNER, always_valid, always_valid_schema, .nullable = true),
    NULLABLE_INTEGER(OWNER, treated_users_total),
    NULLABLE_INTEGER(OWNER, holdout_users_total),
};
#undef OWNER
static SCHEMA(holdout_schema, struct live_holdout, "LiveHoldout", holdout_fields);

#define OWNER struct live_event_timing
static const struct field timing_fields[] = {
    STRING(OWNER, status),
    STRING(OWNER, metric),
    NUMBER(OWNER, horizon_days),
    INTEGER(OWNER, in_window),
    INTEGER(OWNER, late, .help = "Later than the horizon after the exposure."),
    INTEGER(OWNER, out_of_order, .help = "Before the exposure."),
    INTEGER(OWNER, total),
    STRING(OWNER, conversion_window,
           .help = "Of the design: all, or after_exposure; then events before the exposure and "
                   "after the window are listed here and count for nothing else."),
    NULLABLE_NUMBER(OWNER, conversion_window_days),
};
#undef OWNER
static SCHEMA(timing_schema, struct live_event_timing, "LiveEventTiming", timing_fields);

#define OWNER struct live_identity_resolution
static const struct field identity_fields[] = {
    STRING(OWNER, status, .help = "active or inactive."),
    INTEGER(OWNER, linked_identities),
    NULLABLE_INTEGER(OWNER, canonicalized_events),
    NULLABLE_INTEGER(OWNER, merged_users),
};
#undef OWNER
static SCHEMA(identity_schema, struct live_identity_resolution, "LiveIdentityResolution",
              identity_fields);

#define OWNER struct live_exclusions
static const struct field exclusion_fields[] = {
    STRING(OWNER, status, .help = "active or inactive."),
    INTEGER(OWNER, total_filtered),
    NULLABLE_INTEGER(OWNER, manual_filtered),
    NULLABLE_INTEGER(OWNER, rate_spike_filtered),
};
#undef OWNER
static SCHEMA(exclusions_schema, struct live_exclusions, "LiveExclusions", exclusion_fields);

#define OWNER struct live_population
static const struct field population_fields[] = {
    STRING(OWNER, status),
    STRING(OWNER, policy_version),
    STRING(OWNER, fingerprint),
    INTEGER(OWNER, treated_users, .help = "In any arm, the control included."),
    INTEGER(OWNER, holdout_users),
    INTEGER(OWNER, excluded_users),
    INTEGER(OWNER, manual_excluded),
    INTEGER(OWNER, rate_spike_excluded),
    INTEGER(OWNER, linked_identities),
    BOOLEAN(OWNER, policy_aligned),
    INTEGER(OWNER, multiple_exposure_users,
            .help =
                "Included users who were sent in more than one arm; the first exposure counts."),
    NUMBER(OWNER, multiple_exposure_share, ROUNDED(6)),
};
#undef OWNER
static SCHEMA(population_schema, struct live_population, "LivePopulation", population_fields,
              .help = "Whom all blocks are about.");

#define OWNER struct live_metric_comparison
static const struct field metric_comparison_fields[] = {
    INTEGER(OWNER, treatment_index),
    STRING(OWNER, status, .help = "ok or insufficient_data."),
    NULLABLE_NUMBER(OWNER, control_value, ROUNDED(6)),
    NULLABLE_NUMBER(OWNER, treatment_value, ROUNDED(6)),
    NULLABLE_NUMBER(OWNER, effect, ROUNDED(6)),
    NULLABLE_NUMBER(OWNER, effect_relative, ROUNDED(2), .help = "Percent of the control value."),
    NULLABLE_NUMBER(OWNER, ci_lower, ROUNDED(6)),
    NULLABLE_NUMBER(OWNER, ci_upper, ROUNDED(6)),
    NULLABLE_NUMBER(OWNER, p_value, ROUNDED(6), .help = "Two-sided, of this metric alone."),
    NULLABLE_NUMBER(OWNER, p_value_adjusted, ROUNDED(6),
                    .help = "Of secondary metrics: Holm's, over all of them and all treatments."),
    NULLABLE_BOOLEAN(OWNER, is_significant,
                     .help = "Of secondary metrics: by the adjusted p-value."),
    NULLABLE_BOOLEAN(OWNER, is_improvement,
                     .help = "The effect has the direction of the metric; null without an effect."),
    NULLABLE_NUMBER(OWNER, always_valid_p_value, ROUNDED(6),
                    .help = "Of quantiles, valid at every look."),
    NULLABLE_NUMBER(OWNER, always_valid_lower, ROUNDED(6),
                    .help = "The interval that goes with it; null while it has no such end."),
    NULLABLE_NUMBER(OWNER, always_valid_upper, ROUNDED(6)),
};
#undef OWNER
static SCHEMA(metric_comparison_schema, struct live_metric_comparison, "LiveMetricComparison",
              metric_comparison_fields);

#define OWNER struct live_metric
static const struct field metric_fields[] = {
    STRING(OWNER, name),
    STRING(OWNER, role, .help = "goal, guardrail or secondary."),
    STRING(OWNER, unit,
           .help = "rate (share of people with an event), mean (per person), ratio, capped_mean, "
                   "winsorized_mean or quantile."),
    STRING(OWNER, direction, .help = "increase or decrease: where the metric should go."),
    NULLABLE_NUMBER(OWNER, at, .help = "Of the last three: the cap, or the percentile."),
    NULLABLE_NUMBER(OWNER, cap,
                    .help = "Of capped and winsorized means: larger values count as this."),
    STRING(OWNER, reason, .nullable = true,
           .help =
               "Why a robust metric is not compared: no_values, cap_not_positive (the percentile "
               "of all values is 0 or less: ignore_zeros or a higher one helps), "
               "values_too_large."),
    OBJECTS(OWNER, comparisons, metric_comparison_schema),
};
#undef OWNER
static SCHEMA(metric_schema, struct live_metric, "LiveMetric", metric_fields,
              .help = "A metric of the design, beside the others.");

#define OWNER struct live_forecast
static const struct field forecast_fields[] = {
    STRING(OWNER, status,
           .help = "running, complete, or insufficient_data: no plan, or less than an hour or ten "
                   "people to measure the pace by."),
    NULLABLE_INTEGER(OWNER, people_needed, .help = "In all arms, by the plan."),
    NULLABLE_INTEGER(OWNER, people_left),
    NULLABLE_NUMBER(OWNER, people_per_day, ROUNDED(2),
                    .help = "From the first to the last exposure that was sent."),
    NULLABLE_NUMBER(OWNER, days_observed, ROUNDED(4)),
    NULLABLE_NUMBER(OWNER, days_left, ROUNDED(2)),
    NULLABLE_NUMBER(OWNER, days_left_lower, ROUNDED(2),
                    .help =
                        "95 % interval: the pace so far is that of a Poisson process, and so is "
                        "what is to come. Weekdays and fading interest are not in it."),
    NULLABLE_NUMBER(OWNER, days_left_upper, ROUNDED(2)),
};
#undef OWNER
static SCHEMA(forecast_schema, struct live_forecast, "LiveForecast", forecast_fields);

#define OWNER struct live_slice
static const struct field slice_fields[] = {
    STRING(OWNER, value),
    INTEGER(OWNER, people),
    OBJECTS(OWNER, comparisons, metric_comparison_schema),
};
#undef OWNER
static SCHEMA(slice_schema, struct live_slice, "LiveSlice", slice_fields);

#define OWNER struct live_drill_down
static const struct field drill_down_fields[] = {
    STRING(OWNER, status,
           .help =
               "available, unavailable (nothing was sent, or a ratio metric), too_many_values."),
    STRING(OWNER, dimension),
    STRING(OWNER, unit, .nullable = true),
    OBJECTS(OWNER, slices, slice_schema,
            .help = "p_value_adjusted is Holm's over all values and treatments."),
};
#undef OWNER
static SCHEMA(drill_down_schema, struct live_drill_down, "LiveDrillDown", drill_down_fields);

#define OWNER struct live_unknown_metric
static const struct field unknown_metric_fields[] = {
    STRING(OWNER, name),
    INTEGER(OWNER, events),
};
#undef OWNER
static SCHEMA(unknown_metric_schema, struct live_unknown_metric, "LiveUnknownMetric",
              unknown_metric_fields);

#define OWNER struct live_unknown_metrics
static const struct field unknown_fields[] = {
    INTEGER(OWNER, names_total),
    INTEGER(OWNER, events_total),
    OBJECTS(OWNER, metrics, unknown_metric_schema, .help = "At most 20, those with most events."),
};
#undef OWNER
static SCHEMA(unknown_schema, struct live_unknown_metrics, "LiveUnknownMetrics", unknown_fields,
              .help = "Events under names that the design does not have.");

#define OWNER struct live_bayes
static const struct field bayes_fields[] = {
    STRING(OWNER, status,
           .help = "ok; insufficient_data: no proper posterior yet; not_applicable: a ratio, "
                   "clusters, or adaptive shares."),
    OBJECT(OWNER, analysis, bayes_reply_schema, .nullable = true),
};
#undef OWNER
static SCHEMA(bayes_schema, struct live_bayes, "LiveBayes", bayes_fields,
              .help = "The primary metric by posteriors, with the prior of the design.");

#define OWNER struct live_stats
static const struct field stats_fields[] = {
    STRING(OWNER, experiment_id),
    STRING(OWNER, metric_type),
    STRING(OWNER, primary_metric_name),
    STRING(OWNER, direction,
           .help = "increase or decrease: where the primary metric should go. The probabilities to "
                   "beat the control follow it; effects keep their sign."),
    INTEGER(OWNER, exposures_total, .help = "People in the arms of the design."),
    INTEGER(OWNER, conversions_total, .help = "People of them with the primary metric."),
    STRING(OWNER, disclaimer),
    OBJECT(OWNER, srm, srm_schema),
    OBJECTS(OWNER, comparisons, live_comparison_schema),
    OBJECT(OWNER, sequential, sequential_schema),
    OBJECT(OWNER, cuped, cuped_schema),
    OBJECT(OWNER, adjusted, adjusted_schema),
    OBJECT(OWNER, stratified, stratified_schema),
    OBJECT(OWNER, guardrail, guardrail_schema),
    OBJECT(OWNER, holdout, holdout_schema),
    OBJECT(OWNER, event_timing, timing_schema),
    OBJECT(OWNER, identity_resolution, identity_schema),
    OBJECT(OWNER, exclusions, exclusions_schema),
    OBJECT(OWNER, population, population_schema),
    OBJECTS(OWNER, metrics, metric_schema, .help = "All metrics of the design, by role."),
    OBJECT(OWNER, forecast, forecast_schema),
    OBJECT(OWNER, drill_down, drill_down_schema, .nullable = true,
           .help = "By the dimension asked for; null without one."),
    OBJECT(OWNER, unknown_metrics, unknown_schema),
    OBJECT(OWNER, adaptive, live_adaptive_schema, .nullable = true, .omit_if_null = true),
    OBJECT(OWNER, clusters, live_clusters_schema, .nullable = true, .omit_if_null = true,
           .help = "Where the design has clusters."),
    OBJECTS(OWNER, warnings, calculation_warning_schema,
            .help = "MULTIPLE_EXPOSURE above 0.1 % of users, EVENTS_BEFORE_EXPOSURE above 1 % of "
                    "events, UNKNOWN_METRICS, IGNORED_COVARIATES, ALARM_RAISED, ALARM_STALE."),
    OBJECT(OWNER, goals, live_goals_schema, .nullable = true, .omit_if_null = true,
           .help = "Of a design with several goals."),
    OBJECT(OWNER, bayes, bayes_schema, .nullable = true, .omit_if_null = true,
           .help = "Of a design with settings for posteriors; the decision does not use it."),
    OBJECT(OWNER, livedata, live_source_schema, .nullable = true, .omit_if_null = true),
};
#undef OWNER
SCHEMA(live_stats_schema, struct live_stats, "LiveStats", stats_fields,
       .help = "What an experiment shows so far.");
