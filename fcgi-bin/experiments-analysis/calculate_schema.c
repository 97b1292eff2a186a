/* The schema of a sizing request and the rules that span its fields. */
#include "experiments-analysis/calculate.h"
#include "experiments/design/sizing_rules.h"
#include "experiments/design/srm.h"

#define OWNER struct sizing_request

static const struct field request_fields[] = {
    CHOICE(OWNER, metric_type, metric_type_names, .choice_count = METRIC__MAX, .required = true,
           .help = "What is measured per user."),
    NUMBER(OWNER, baseline_value, .required = true,
           .help = "Value of the metric today: a rate in (0, 1) for binary, a positive mean, ratio "
                   "or event rate otherwise."),
    NULLABLE_NUMBER(OWNER, std_dev, .help = "Standard deviation per user; continuous and ratio."),
    NULLABLE_NUMBER(OWNER, exposure_per_user, .lower = ABOVE(0),
                    .help = "Units of exposure a user contributes; count only, 1 when absent."),
    NULLABLE_NUMBER(OWNER, cuped_pre_experiment_std, .lower = ABOVE(0),
                    .help = "Standard deviation of the pre-experiment covariate."),
    NULLABLE_NUMBER(OWNER, cuped_correlation, .lower = ABOVE(-1), .upper = BELOW(1),
                    .help = "Correlation of the covariate with the metric."),
    NUMBER(OWNER, mde_pct, .required = true,
           .help = "Minimum detectable effect, percent of the baseline. Negative only with "
                   "direction decrease; the size is that of its absolute value."),
    CHOICE(OWNER, direction, goal_direction_names, .choice_count = GOAL__MAX,
           .help = "Where the metric should go; verified figures are for an effect that way."),
    CHOICE(OWNER, planned_test, planned_test_names, .choice_count = PLAN_POISSON_RATE,
           .nullable = true,
           .help = "Test the analysis will use. Binary: z_test, fisher_exact; continuous: z_test, "
                   "mann_whitney, tost; ratio: z_test; count: none."),
    NULLABLE_NUMBER(OWNER, equivalence_margin_pct, .lower = ABOVE(0),
                    .help = "Equivalence margin, percent of the baseline; required for tost."),
    NUMBER(OWNER, alpha, .required = true, .lower = ABOVE(0), .upper = BELOW(1),
           .help = "Two-sided significance level, before any correction."),
    NUMBER(OWNER, power, .required = true, .lower = ABOVE(0), .upper = BELOW(1),
           .help = "Probability of detecting the effect when it is there."),
    INTEGER(OWNER, expected_daily_traffic, .required = true, .lower = ABOVE(0),
            .help = "Users a day before any share is taken."),
    NUMBER(OWNER, audience_share_in_test, .required = true, .lower = ABOVE(0), .upper = AT_MOST(1),
           .help = "Share of that traffic that can enter the test."),
    NUMBERS(OWNER, traffic_split, .required = true, .min_length = 2,
            .help = "Weights of the variants, control first, in any unit."),
    INTEGER(OWNER, variants_count, .required = true, .lower = AT_LEAST(2), .upper = AT_MOST(10),
            .help = "Variants, control included."),
    NULLABLE_NUMBER(OWNER, avg_cluster_size, .help = "Users per cluster, at least 1."),
    NULLABLE_NUMBER(OWNER, icc, .help = "Intra-cluster correlation, 0 to 1."),
    INTEGER(OWNER, n_looks, .lower = AT_LEAST(1), .upper = AT_MOST(100), .default_value = 1,
            .help = "Planned looks at the data; above 1 plans a group sequential test."),
    CHOICE(OWNER, analysis_mode, analysis_mode_names, .choice_count = ANALYSIS__MAX,
           .help = "bayesian adds a precision-based size beside the frequentist one."),
    NULLABLE_NUMBER(OWNER, desired_precision, .lower = ABOVE(0),
                    .help = "Half-width of the credible interval: percentage points for binary, "
                            "units of the metric otherwise."),
    NUMBER(OWNER, credibility, .lower = ABOVE(0.5), .upper = BELOW(1), .default_value = 0.95,
           .help = "Mass of that interval."),
    NULLABLE_NUMBER(OWNER, holdout_fraction, .lower = AT_LEAST(0), .upper = BELOW(1),
                    .help = "Share of the test's traffic kept out of every experiment."),
    NULLABLE_INTEGER(OWNER, mutually_exclusive_experiments, .lower = AT_LEAST(1),
                     .upper = AT_MOST(100),
                     .help = "Experiments that share the traffic without overlap."),
    STRING(OWNER, randomization_unit, .nullable = true,
           .help = "`cluster` asks for the design effect; anything else is a note."),
    INTEGERS(OWNER, actual_counts, .nullable = true, .min_length = 2, .max_length = 10,
             .help = "Users seen per variant, to check their ratio against traffic_split."),
    NULLABLE_BOOLEAN(OWNER, seasonality_present, .help = "The period has seasonal swings."),
    NULLABLE_BOOLEAN(OWNER, active_campaigns_present, .help = "Campaigns run meanwhile."),
    NULLABLE_BOOLEAN(OWNER, long_test_possible, .help = "The test may run beyond two weeks."),
};

static struct sizing_metric metric_of(const void *object)
{
    const struct sizing_request *request = object;

    return (struct sizing_metric){.metric_type = request->metric_type,
                                  .baseline_value = request->baseline_value,
                                  .std_dev = request->std_dev,
                                  .planned_test = request->planned_test,
                                  .equivalence_margin_pct = request->equivalence_margin_pct};
}

static bool split_has_every_variant(const void *object)
{
    const struct sizing_request *request = object;

    return sizing_split_has_every_variant(&request->traffic_split, request->variants_count);
}

static bool split_is_positive(const void *object)
{
    return sizing_split_is_positive(&((const struct sizing_request *)object)->traffic_split);
}

static bool binary_baseline_is_rate(const void *object)
{
    return sizing_binary_baseline_holds(metric_of(object));
}

static bool continuous_baseline_is_positive(const void *object)
{
    return sizing_baseline_holds(metric_of(object), METRIC_CONTINUOUS);
}

static bool continuous_std_is_positive(const void *object)
{
    return sizing_std_dev_holds(metric_of(object), METRIC_CONTINUOUS);
}

static bool ratio_baseline_is_positive(const void *object)
{
    return sizing_baseline_holds(metric_of(object), METRIC_RATIO);
}

static bool ratio_std_is_positive(const void *object)
{
    return sizing_std_dev_holds(metric_of(object), METRIC_RATIO);
}

static bool count_baseline_is_positive(const void *object)
{
    return sizing_baseline_holds(metric_of(object), METRIC_COUNT);
}

static bool test_fits_metric(const void *object)
{
    return sizing_planned_test_holds(metric_of(object));
}

static bool effect_fits_direction(const void *object)
{
    const struct sizing_request *request = object;

    return sizing_effect_holds(request->mde_pct, request->direction);
}

static bool tost_has_margin(const void *object)
{
    return sizing_tost_margin_holds(metric_of(object));
}

static bool counts_have_every_variant(const void *object)
{
    const struct sizing_request *request = object;

    return request->actual_counts.count == 0 ||
           request->actual_counts.count == (size_t)request->variants_count;
}

static bool counts_are_not_negative(const void *object)
{
    return srm_counts_are_not_negative(&((const struct sizing_request *)object)->actual_counts);
}

static bool counts_have_users(const void *object)
{
    const struct sizing_request *request = object;

    return request->actual_counts.count == 0 || srm_counts_have_users(&request->actual_counts);
}

static bool bayesian_has_precision(const void *object)
{
    const struct sizing_request *request = object;

    return sizing_precision_holds(request->analysis_mode, request->desired_precision);
}

static bool power_is_above_alpha(const void *object)
{
    const struct sizing_request *request = object;

    return sizing_power_holds(request->power, request->alpha, request->variants_count);
}

static bool cluster_has_a_user(const void *object)
{
    return sizing_cluster_size_holds(((const struct sizing_request *)object)->avg_cluster_size);
}

static bool icc_is_share(const void *object)
{
    return sizing_icc_holds(((const struct sizing_request *)object)->icc);
}

static const struct schema_rule request_rules[] = {
    {"errors.schemas.traffic_split_length", split_has_every_variant},
    {"errors.schemas.traffic_split_positive", split_is_positive},
    {"errors.schemas.mde_pct_direction", effect_fits_direction},
    {"errors.schemas.binary_baseline_range", binary_baseline_is_rate},
    {"errors.schemas.continuous_baseline_positive", continuous_baseline_is_positive},
    {"errors.schemas.continuous_std_positive", continuous_std_is_positive},
    {"errors.schemas.ratio_baseline_positive", ratio_baseline_is_positive},
    {"errors.schemas.ratio_std_positive", ratio_std_is_positive},
    {"errors.schemas.count_baseline_positive", count_baseline_is_positive},
    {"errors.schemas.planned_test_metric_mismatch", test_fits_metric},
    {"errors.schemas.tost_margin_required", tost_has_margin},
    {"errors.schemas.actual_counts_length", counts_have_every_variant},
    {"errors.schemas.actual_counts_non_negative", counts_are_not_negative},
    {"errors.schemas.actual_counts_positive_sum", counts_have_users},
    {"errors.schemas.bayesian_requires_precision", bayesian_has_precision},
    {"errors.schemas.cluster_size_min", cluster_has_a_user},
    {"errors.schemas.icc_range", icc_is_share},
    {"errors.schemas.power_above_alpha", power_is_above_alpha},
};

const struct schema calculate_request_schema = {
    .name = "CalculationRequest",
    .help = "A design to be sized.",
    .size = sizeof(struct sizing_request),
    .fields = request_fields,
    .field_count = COUNT_OF(request_fields),
    .rules = request_rules,
    .rule_count = COUNT_OF(request_rules),
    .example = "{\"metric_type\":\"binary\",\"baseline_value\":0.042,\"mde_pct\":5,\"alpha\":0.05,"
               "\"power\":0.8,\"expected_daily_traffic\":12000,\"audience_share_in_test\":0.6,"
               "\"traffic_split\":[50,50],\"variants_count\":2}",
};
