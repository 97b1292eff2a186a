/* The schema of a saved design: one table per block, and the rules that span its fields.
 */
#include "experiments/payloads/payload.h"
#include "experiments/analyses/bayes_analysis.h"
#include "experiments/analyses/results_schema.h"

#include <string.h>

enum { GUARDRAILS_MAX = 3, NAME_MAX_LENGTH = 100, NAMESPACE_ID_MAX_LENGTH = 200 };

#define TEXT_FIELD(owner, member) STRING(owner, member, .required = true)

#define OWNER struct payload_project
static const struct field project_fields[] = {
    TEXT_FIELD(OWNER, project_name), TEXT_FIELD(OWNER, domain),
    TEXT_FIELD(OWNER, product_type), TEXT_FIELD(OWNER, platform),
    TEXT_FIELD(OWNER, market),       TEXT_FIELD(OWNER, project_description),
};
#undef OWNER
static SCHEMA(project_schema, struct payload_project, "ProjectBlock", project_fields,
              .help = "What the experiment belongs to.");

#define OWNER struct payload_hypothesis
static const struct field hypothesis_fields[] = {
    TEXT_FIELD(OWNER, change_description), TEXT_FIELD(OWNER, target_audience),
    TEXT_FIELD(OWNER, business_problem),   TEXT_FIELD(OWNER, hypothesis_statement),
    TEXT_FIELD(OWNER, what_to_validate),   TEXT_FIELD(OWNER, desired_result),
};
#undef OWNER
static SCHEMA(hypothesis_schema, struct payload_hypothesis, "HypothesisBlock", hypothesis_fields,
              .help = "What is changed, for whom, and what it should do.");

#define OWNER struct payload_namespace
static const struct field namespace_fields[] = {
    STRING(OWNER, id, .required = true, .min_length = 1, .max_length = NAMESPACE_ID_MAX_LENGTH),
    NUMBER(OWNER, range_start, .required = true, .lower = AT_LEAST(0), .upper = AT_MOST(1)),
    NUMBER(OWNER, range_end, .required = true, .lower = AT_LEAST(0), .upper = AT_MOST(1)),
};
#undef OWNER

static bool range_is_ordered(const void *object)
{
    const struct payload_namespace *range = object;

    return range->range_start < range->range_end;
}

static const struct schema_rule namespace_rules[] = {
    {"errors.schemas.namespace_range_order", range_is_ordered},
};
static SCHEMA(namespace_schema, struct payload_namespace, "Namespace", namespace_fields,
              .help = "The slice of a shared randomisation space.", RULES(namespace_rules));

#define OWNER struct payload_setup
static const struct field setup_fields[] = {
    TEXT_FIELD(OWNER, experiment_type),
    TEXT_FIELD(OWNER, randomization_unit),
    NUMBERS(OWNER, traffic_split, .required = true, .min_length = 2, .integer_ok = true),
    INTEGER(OWNER, expected_daily_traffic, .required = true, .lower = ABOVE(0)),
    NUMBER(OWNER, audience_share_in_test, .required = true, .lower = ABOVE(0), .upper = AT_MOST(1)),
    INTEGER(OWNER, variants_count, .required = true, .lower = AT_LEAST(2), .upper = AT_MOST(10)),
    TEXT_FIELD(OWNER, inclusion_criteria),
    TEXT_FIELD(OWNER, exclusion_criteria),
    NULLABLE_NUMBER(OWNER, avg_cluster_size),
    NULLABLE_NUMBER(OWNER, icc),
    OBJECT(OWNER, namespace, namespace_schema, .nullable = true),
    OBJECTS(OWNER, targeting_rules, targeting_rule_schema, .max_length = TARGETING_RULES_MAX),
    OBJECTS(OWNER, targeting_groups, targeting_group_schema, .max_length = TARGETING_GROUPS_MAX,
            .omit_if_null = true, .help = "Each group counts as one rule."),
    CHOICE(OWNER, targeting_match, targeting_match_names, .choice_count = TARGETING_MATCH__MAX,
           .nullable = true, .omit_if_null = true,
           .help = "How many of the rules and groups must hold; all by default."),
    OBJECTS(OWNER, dimensions, payload_dimension_schema, .max_length = PAYLOAD_DIMENSIONS_MAX,
            .omit_if_null = true,
            .help = "By which results are told apart. With dimensions here, others that come with "
                    "exposures are not kept."),
    OBJECT(OWNER, clusters, payload_clusters_schema, .nullable = true, .omit_if_null = true,
           .help = "Live results are then those of clusters."),
};
#undef OWNER

static bool split_has_every_variant(const void *object)
{
    const struct payload_setup *setup = object;

    return sizing_split_has_every_variant(&setup->traffic_split, setup->variants_count);
}

static bool split_is_positive(const void *object)
{
    return sizing_split_is_positive(&((const struct payload_setup *)object)->traffic_split);
}

static bool cluster_has_a_user(const void *object)
{
    return sizing_cluster_size_holds(((const struct payload_setup *)object)->avg_cluster_size);
}

static bool icc_is_share(const void *object)
{
    return sizing_icc_holds(((const struct payload_setup *)object)->icc);
}

static bool dimensions_differ(const void *object)
{
    return payload_dimensions_differ(&((const struct payload_setup *)object)->dimensions);
}

static const struct schema_rule setup_rules[] = {
    {"errors.schemas.traffic_split_length", split_has_every_variant},
    {"errors.schemas.traffic_split_positive", split_is_positive},
    {"errors.schemas.cluster_size_min", cluster_has_a_user},
    {"errors.schemas.icc_range", icc_is_share},
    {"errors.schemas.dimensions_differ", dimensions_differ},
};
static SCHEMA(setup_schema, struct payload_setup, "SetupBlock", setup_fields,
              .help = "Who takes part, and how traffic is split.", RULES(setup_rules));

static const char *const direction_names[GUARDRAIL__MAX] = {"increase_is_bad", "decrease_is_bad"};

#define OWNER struct guardrail_metric
static const struct field guardrail_fields[] = {
    STRING(OWNER, name, .required = true, .min_length = 1, .max_length = NAME_MAX_LENGTH),
    CHOICE(OWNER, metric_type, metric_type_names, .choice_count = METRIC_CONTINUOUS + 1,
           .required = true),
    NULLABLE_NUMBER(OWNER, baseline_rate, .lower = ABOVE(0), .upper = BELOW(100),
                    .help = "Percent; required for binary."),
    NULLABLE_NUMBER(OWNER, baseline_mean, .help = "Required for continuous, as std_dev."),
    NULLABLE_NUMBER(OWNER, std_dev, .lower = ABOVE(0)),
    CHOICE(OWNER, direction, direction_names, .choice_count = GUARDRAIL__MAX),
    NULLABLE_NUMBER(OWNER, non_inferiority_margin_pct, .lower = AT_LEAST(0)),
};
#undef OWNER

static bool binary_guardrail_has_rate(const void *object)
{
    const struct guardrail_metric *metric = object;

    return metric->metric_type != METRIC_BINARY || metric->baseline_rate.given;
}

static bool continuous_guardrail_has_moments(const void *object)
{
    const struct guardrail_metric *metric = object;

    return metric->metric_type != METRIC_CONTINUOUS ||
           (metric->baseline_mean.given && metric->std_dev.given);
}

static const struct schema_rule guardrail_rules[] = {
    {"errors.schemas.binary_guardrail_requires_baseline_rate", binary_guardrail_has_rate},
    {"errors.schemas.continuous_guardrail_requires_mean_and_std", continuous_guardrail_has_moments},
};
static SCHEMA(guardrail_schema, struct guardrail_metric, "GuardrailMetric", guardrail_fields,
              .help = "A metric that must not get worse.", RULES(guardrail_rules));

const char *const robust_statistic_names[ROBUST__MAX] = {"capped_mean", "winsorized_mean",
                                                         "quantile"};

#define OWNER struct robust_metric
static const struct field robust_fields[] = {
    STRING(OWNER, name, .required = true, .min_length = 1, .max_length = NAME_MAX_LENGTH),
    CHOICE(OWNER, statistic, robust_statistic_names, .choice_count = ROBUST__MAX, .required = true,
           .help = "capped_mean: of min(value, at). winsorized_mean: the same with the percentile "
                   "`at` of all arms together as the cap. quantile: the percentile `at`."),
    NUMBER(OWNER, at, .required = true, .lower = ABOVE(0),
           .help = "A cap in the unit of the metric, or a percentile: 50 is the median."),
    BOOLEAN(OWNER, ignore_zeros,
            .help = "The percentile is that of the people with an event of the metric."),
    CHOICE(OWNER, direction, goal_direction_names, .choice_count = GOAL__MAX,
           .help = "Where the metric should go."),
};
#undef OWNER

/* Means are cut in the upper half only. */
static bool robust_place_fits(const void *object)
{
    const struct robust_metric *metric = object;

    if (metric->statistic == ROBUST_CAPPED_MEAN)
        return true;
    return metric->at < 100 && (metric->statistic == ROBUST_QUANTILE || metric->at >= 50);
}

static const struct schema_rule robust_rules[] = {
    {"errors.schemas.robust_metric_at", robust_place_fits},
};
SCHEMA(robust_schema, struct robust_metric, "RobustMetric", robust_fields,
       .help = "A metric seen in a way that few large values cannot sway.", RULES(robust_rules));

#define OWNER struct metric_direction
static const struct field metric_direction_fields[] = {
    STRING(OWNER, name, .required = true, .min_length = 1, .max_length = NAME_MAX_LENGTH),
    CHOICE(OWNER, direction, goal_direction_names, .choice_count = GOAL__MAX, .required = true),
};
#undef OWNER
static SCHEMA(metric_direction_schema, struct metric_direction, "MetricDirection",
              metric_direction_fields, .help = "Where a secondary metric should go.");

#define OWNER struct payload_catalog_metric
static const struct field catalog_metric_fields[] = {
    STRING(OWNER, id, .required = true, .min_length = 1, .max_length = 64),
    INTEGER(OWNER, version, .required = true, .lower = AT_LEAST(1)),
};
#undef OWNER
SCHEMA(payload_catalog_metric_schema, struct payload_catalog_metric, "CatalogMetricReference",
       catalog_metric_fields, .help = "A version of a metric of the catalog.");

#define OWNER struct payload_bayes
static const struct field bayes_fields[] = {
    OBJECT(OWNER, prior, bayes_prior_schema, .nullable = true,
           .help = "Of each arm: a and b of a rate, or mean, n, std and degrees; null = uniform or "
                   "flat. Past experiments give one in the prior of .../posteriors?past=true."),
    NUMBER(OWNER, credibility, .lower = ABOVE(0.5), .upper = BELOW(1), .default_value = 0.95),
    NULLABLE_NUMBER(OWNER, loss_threshold, .lower = ABOVE(0),
                    .help = "Stop when the expected loss of the best arm is below it, in units of "
                            "the metric; default: a twentieth of the worthwhile effect."),
};
#undef OWNER
static SCHEMA(bayes_schema, struct payload_bayes, "BayesSettings", bayes_fields,
              .help = "How posteriors of the running experiment are made.");

#define OWNER struct payload_metrics
static const struct field metrics_fields[] = {
    TEXT_FIELD(OWNER, primary_metric_name),
    CHOICE(OWNER, metric_type, metric_type_names, .choice_count = METRIC__MAX, .required = true),
    NUMBER(OWNER, baseline_value, .required = true),
    NULLABLE_NUMBER(OWNER, expected_uplift_pct),
    NUMBER(OWNER, mde_pct, .required = true,
           .help = "Percent of the baseline. Negative only with direction decrease; the size is "
                   "that of its absolute value."),
    CHOICE(OWNER, direction, goal_direction_names, .choice_count = GOAL__MAX,
           .help = "Where the primary metric should go: wins, losses, the worthwhile effect and "
                   "the probability to be better follow it."),
    NULLABLE_NUMBER(OWNER, exposure_per_user, .lower = ABOVE(0)),
    CHOICE(OWNER, planned_test, planned_test_names, .choice_count = PLAN_POISSON_RATE,
           .nullable = true),
    NULLABLE_NUMBER(OWNER, equivalence_margin_pct, .lower = ABOVE(0)),
    NUMBER(OWNER, alpha, .required = true, .lower = ABOVE(0), .upper = BELOW(1)),
    NUMBER(OWNER, power, .required = true, .lower = ABOVE(0), .upper = BELOW(1)),
    NULLABLE_NUMBER(OWNER, std_dev),
    NULLABLE_NUMBER(OWNER, cuped_pre_experiment_std, .lower = ABOVE(0)),
    NULLABLE_NUMBER(OWNER, cuped_correlation, .lower = ABOVE(-1), .upper = BELOW(1)),
    STRING(OWNER, numerator_metric_name, .nullable = true, .max_length = NAME_MAX_LENGTH),
    STRING(OWNER, denominator_metric_name, .nullable = true, .max_length = NAME_MAX_LENGTH),
    STRINGS(OWNER, secondary_metrics),
    OBJECTS(OWNER, secondary_directions, metric_direction_schema, .omit_if_null = true,
            .help = "Of those secondary metrics that should decrease."),
    OBJECTS(OWNER, guardrail_metrics, guardrail_schema, .max_length = GUARDRAILS_MAX),
    OBJECTS(OWNER, robust_metrics, robust_schema, .max_length = ROBUST_METRICS_MAX,
            .omit_if_null = true),
    CHOICE(OWNER, conversion_window, conversion_window_names, .choice_count = WINDOW__MAX,
           .help = "all: every event of an exposed user counts. after_exposure: events before the "
                   "exposure do not."),
    NULLABLE_NUMBER(OWNER, conversion_window_days, .lower = ABOVE(0), .upper = AT_MOST(3650),
                    .help = "With after_exposure: how long after the exposure events count."),
    OBJECTS(OWNER, metric_rules, payload_metric_rule_schema, .max_length = PAYLOAD_METRIC_RULES_MAX,
            .omit_if_null = true, .help = "Of metrics that count in their own way."),
    OBJECT(OWNER, catalog_metric, payload_catalog_metric_schema, .nullable = true,
           .omit_if_null = true,
           .help = "The metric of the catalog that the plan was made with (/api/v1/metrics)."),
    OBJECT(OWNER, goals, payload_goals_schema, .nullable = true, .omit_if_null = true,
           .help = "Further goals, which decide together with the primary metric."),
    OBJECT(OWNER, bayes, bayes_schema, .nullable = true, .omit_if_null = true,
           .help = "Live statistics have a block of posteriors then."),
};
#undef OWNER

static struct sizing_metric metric_of(const void *object)
{
    const struct payload_metrics *metrics = object;

    return (struct sizing_metric){.metric_type = (enum metric_type)metrics->metric_type,
                                  .baseline_value = metrics->baseline_value,
                                  .std_dev = metrics->std_dev,
                                  .planned_test = metrics->planned_test,
                                  .equivalence_margin_pct = metrics->equivalence_margin_pct};
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

static bool ratio_names_are_two(const void *object)
{
    const struct payload_metrics *metrics = object;
    const char *numerator = metrics->numerator_metric_name;
    const char *denominator = metrics->denominator_metric_name;

    if (metrics->metric_type != METRIC_RATIO)
        return true;
    return numerator && denominator && *numerator && *denominator &&
           strcmp(numerator, denominator) != 0;
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
    const struct payload_metrics *metrics = object;

    return sizing_effect_holds(metrics->mde_pct, metrics->direction);
}

static bool has_secondary(const struct payload_metrics *metrics, const char *name)
{
    for (size_t i = 0; i < metrics->secondary_metrics.count; i++)
        if (strcmp(metrics->secondary_metrics.items[i], name) == 0)
            return true;
    return false;
}

static bool directions_are_of_secondary(const void *object)
{
    const struct payload_metrics *metrics = object;
    const struct metric_direction *directions = metrics->secondary_directions.items;

    for (size_t i = 0; i < metrics->secondary_directions.count; i++)
        if (!has_secondary(metrics, directions[i].name))
            return false;
    return true;
}

static bool names_metric(const struct payload_metrics *metrics, const char *name)
{
    const char *const own[] = {metrics->primary_metric_name, metrics->numerator_metric_name,
                               metrics->denominator_metric_name};
    const struct guardrail_metric *guardrails = metrics->guardrail_metrics.items;
    const struct robust_metric *robust = metrics->robust_metrics.items;

    for (size_t i = 0; i < COUNT_OF(own); i++)
        if (own[i] && strcmp(own[i], name) == 0)
            return true;
    for (size_t i = 0; i < metrics->guardrail_metrics.count; i++)
        if (strcmp(guardrails[i].name, name) == 0)
            return true;
    for (size_t i = 0; i < metrics->robust_metrics.count; i++)
        if (strcmp(robust[i].name, name) == 0)
            return true;
    return has_secondary(metrics, name);
}

static bool prior_fits_metric(const void *object)
{
    const struct payload_metrics *metrics = object;

    if (!metrics->bayes || !metrics->bayes->prior)
        return true;
    return bayes_prior_fits(metrics->metric_type == METRIC_BINARY ? BAYES_BINARY : BAYES_CONTINUOUS,
                            metrics->bayes->prior);
}

/* A goal is in one role only. */
static bool goals_are_further(const void *object)
{
    const struct payload_metrics *metrics = object;
    const struct payload_goal *goals = metrics->goals ? metrics->goals->further.items : NULL;

    for (size_t i = 0; goals && i < metrics->goals->further.count; i++)
        if (names_metric(metrics, goals[i].name))
            return false;
    return true;
}

static bool rules_are_of_metrics(const void *object)
{
    const struct payload_metrics *metrics = object;
    const struct metric_rule *rules = metrics->metric_rules.items;

    for (size_t i = 0; i < metrics->metric_rules.count; i++)
        if (!names_metric(metrics, rules[i].name) &&
            !payload_find_goal(metrics->goals, rules[i].name))
            return false;
    return payload_rules_differ(&metrics->metric_rules);
}

static bool days_have_a_window(const void *object)
{
    const struct payload_metrics *metrics = object;

    return !metrics->conversion_window_days.given ||
           metrics->conversion_window == WINDOW_AFTER_EXPOSURE;
}

static bool tost_has_margin(const void *object)
{
    return sizing_tost_margin_holds(metric_of(object));
}

static bool ratio_baseline_is_positive(const void *object)
{
    return sizing_baseline_holds(metric_of(object), METRIC_RATIO);
}

static bool ratio_std_is_positive(const void *object)
{
    struct sizing_metric metric = metric_of(object);

    return !metric.std_dev.given || sizing_std_dev_holds(metric, METRIC_RATIO);
}

/* The first rules are for designs that are sized at once: one that is only kept may leave the
 * numbers of a ratio for later. */
enum { SIZED_RULES = 2 };

static const struct schema_rule metrics_rules[] = {
    {"errors.schemas.ratio_baseline_positive", ratio_baseline_is_positive},
    {"errors.schemas.ratio_std_positive", ratio_std_is_positive},
    {"errors.schemas.mde_pct_direction", effect_fits_direction},
    {"errors.schemas.secondary_directions", directions_are_of_secondary},
    {"errors.schemas.conversion_window_days", days_have_a_window},
    {"errors.schemas.metric_rules", rules_are_of_metrics},
    {"errors.schemas.goals_further", goals_are_further},
    {"errors.schemas.bayes_prior_parameters", prior_fits_metric},
    {"errors.schemas.binary_baseline_range", binary_baseline_is_rate},
    {"errors.schemas.continuous_baseline_positive", continuous_baseline_is_positive},
    {"errors.schemas.continuous_std_positive", continuous_std_is_positive},
    {"errors.schemas.ratio_metric_names", ratio_names_are_two},
    {"errors.schemas.count_baseline_positive", count_baseline_is_positive},
    {"errors.schemas.planned_test_metric_mismatch", test_fits_metric},
    {"errors.schemas.tost_margin_required", tost_has_margin},
};
#define METRICS_HELP "What is measured and how small an effect must show."

static SCHEMA(metrics_schema, struct payload_metrics, "MetricsBlock", metrics_fields,
              .help = METRICS_HELP, .rules = metrics_rules + SIZED_RULES,
              .rule_count = COUNT_OF(metrics_rules) - SIZED_RULES);
static SCHEMA(sized_metrics_schema, struct payload_metrics, "SizedMetricsBlock", metrics_fields,
              .help = METRICS_HELP, RULES(metrics_rules));

#define OWNER struct payload_constraints
static const struct field constraints_fields[] = {
    BOOLEAN(OWNER, seasonality_present, .required = true),
    BOOLEAN(OWNER, active_campaigns_present, .required = true),
    BOOLEAN(OWNER, returning_users_present, .required = true),
    TEXT_FIELD(OWNER, interference_risk),
    TEXT_FIELD(OWNER, technical_constraints),
    TEXT_FIELD(OWNER, legal_or_ethics_constraints),
    TEXT_FIELD(OWNER, known_risks),
    TEXT_FIELD(OWNER, deadline_pressure),
    BOOLEAN(OWNER, long_test_possible, .required = true),
    INTEGER(OWNER, n_looks, .lower = AT_LEAST(1), .upper = AT_MOST(100), .default_value = 1),
    CHOICE(OWNER, analysis_mode, analysis_mode_names, .choice_count = ANALYSIS__MAX),
    NULLABLE_NUMBER(OWNER, desired_precision, .lower = ABOVE(0)),
    NUMBER(OWNER, credibility, .lower = ABOVE(0.5), .upper = BELOW(1), .default_value = 0.95),
    NULLABLE_NUMBER(OWNER, holdout_fraction, .lower = AT_LEAST(0), .upper = BELOW(1)),
    NULLABLE_INTEGER(OWNER, mutually_exclusive_experiments, .lower = AT_LEAST(1),
                     .upper = AT_MOST(100)),
    OBJECT(OWNER, planned_looks, payload_looks_schema, .nullable = true, .omit_if_null = true,
           .help = "Looks by a spending function; n_looks stays 1 beside them."),
    OBJECT(OWNER, hybrid, payload_hybrid_schema, .nullable = true, .omit_if_null = true,
           .help = "Readings at any time and one test at the end; instead of planned_looks, with "
                   "n_looks 1."),
};
#undef OWNER

static bool looks_are_planned_once(const void *object)
{
    const struct payload_constraints *constraints = object;

    return !constraints->planned_looks || constraints->n_looks == 1;
}

static bool hybrid_is_alone(const void *object)
{
    const struct payload_constraints *constraints = object;

    return !constraints->hybrid || (!constraints->planned_looks && constraints->n_looks == 1);
}

static bool bayesian_has_precision(const void *object)
{
    const struct payload_constraints *constraints = object;

    return sizing_precision_holds((enum analysis_mode)constraints->analysis_mode,
                                  constraints->desired_precision);
}

static const struct schema_rule constraints_rules[] = {
    {"errors.schemas.bayesian_requires_precision", bayesian_has_precision},
    {"errors.schemas.planned_looks_once", looks_are_planned_once},
    {"errors.schemas.hybrid_alone", hybrid_is_alone},
};
static SCHEMA(constraints_schema, struct payload_constraints, "ConstraintsBlock",
              constraints_fields, .help = "What limits the test and how it will be read.",
              RULES(constraints_rules));

#define OWNER struct observed_results
static const struct field observed_fields[] = {
    OBJECT(OWNER, request, results_request_schema, .required = true),
    OBJECT(OWNER, analysis, results_reply_schema, .required = true),
    STRING(OWNER, saved_at, .nullable = true),
};
#undef OWNER
static SCHEMA(observed_schema, struct observed_results, "ObservedResults", observed_fields,
              .help = "A results analysis that was saved with the design.");

#define OWNER struct payload_context
static const struct field context_fields[] = {
    STRING(OWNER, llm_context, .default_text = ""),
    OBJECT(OWNER, observed_results, observed_schema, .nullable = true),
};
#undef OWNER
static SCHEMA(context_schema, struct payload_context, "AdditionalContext", context_fields,
              .help = "What else belongs to the design.");

#define OWNER struct experiment_payload
#define BLOCKS(metrics_shape)                                                                      \
    OBJECT(OWNER, project, project_schema, .required = true),                                      \
        OBJECT(OWNER, hypothesis, hypothesis_schema, .required = true),                            \
        OBJECT(OWNER, setup, setup_schema, .required = true),                                      \
        OBJECT(OWNER, metrics, metrics_shape, .required = true),                                   \
        OBJECT(OWNER, constraints, constraints_schema, .required = true),                          \
        OBJECT(OWNER, additional_context, context_schema)
static const struct field payload_fields[] = {BLOCKS(metrics_schema)};
static const struct field design_fields[] = {BLOCKS(sized_metrics_schema)};
#undef BLOCKS
#undef OWNER

static bool power_is_above_alpha(const void *object)
{
    const struct experiment_payload *payload = object;

    return sizing_power_holds(payload->metrics->power, payload->metrics->alpha,
                              payload->setup->variants_count);
}

static const struct schema_rule design_rules[] = {
    {"errors.schemas.power_above_alpha", power_is_above_alpha},
};

SCHEMA(payload_schema, struct experiment_payload, "ExperimentPayload", payload_fields,
       .help = "The design of an experiment.", .example = PAYLOAD_EXAMPLE);
SCHEMA(design_schema, struct experiment_payload, "DesignRequest", design_fields,
       .help = "The design of an experiment, to be sized.", RULES(design_rules),
       .example = PAYLOAD_EXAMPLE);

static struct optional_boolean known(bool value)
{
    return (struct optional_boolean){.given = true, .value = value};
}

int payload_secondary_direction(const struct payload_metrics *metrics, const char *name)
{
    const struct metric_direction *directions = metrics->secondary_directions.items;

    for (size_t i = 0; i < metrics->secondary_directions.count; i++)
        if (strcmp(directions[i].name, name) == 0)
            return directions[i].direction;
    return GOAL_INCREASE;
}

int payload_window(const struct payload_metrics *metrics, const char *name,
                   struct optional_number *days)
{
    const struct metric_rule *rule = payload_find_rule(&metrics->metric_rules, name);
    bool own = rule && rule->conversion_window >= 0;

    *days = own ? rule->conversion_window_days : metrics->conversion_window_days;
    return own ? rule->conversion_window : metrics->conversion_window;
}

void payload_to_sizing(const struct experiment_payload *payload, struct sizing_request *request)
{
    const struct payload_setup *setup = payload->setup;
    const struct payload_metrics *metrics = payload->metrics;
    const struct payload_constraints *constraints = payload->constraints;

    *request = (struct sizing_request){
        .metric_type = (enum metric_type)metrics->metric_type,
        .baseline_value = metrics->baseline_value,
        .std_dev = metrics->std_dev,
        .exposure_per_user = metrics->exposure_per_user,
        .cuped_pre_experiment_std = metrics->cuped_pre_experiment_std,
        .cuped_correlation = metrics->cuped_correlation,
        .mde_pct = metrics->mde_pct,
        .direction = metrics->direction,
        .planned_test = metrics->planned_test,
        .equivalence_margin_pct = metrics->equivalence_margin_pct,
        .alpha = metrics->alpha,
        .power = metrics->power,
        .expected_daily_traffic = setup->expected_daily_traffic,
        .audience_share_in_test = setup->audience_share_in_test,
        .traffic_split = setup->traffic_split,
        .variants_count = setup->variants_count,
        .avg_cluster_size = setup->avg_cluster_size,
        .icc = setup->icc,
        .randomization_unit = setup->randomization_unit,
        .n_looks = constraints->n_looks,
        .analysis_mode = (enum analysis_mode)constraints->analysis_mode,
        .desired_precision = constraints->desired_precision,
        .credibility = constraints->credibility,
        .holdout_fraction = constraints->holdout_fraction,
        .mutually_exclusive_experiments = constraints->mutually_exclusive_experiments,
        .seasonality_present = known(constraints->seasonality_present),
        .active_campaigns_present = known(constraints->active_campaigns_present),
        .long_test_possible = known(constraints->long_test_possible)};
}

const char *payload_to_json(const struct experiment_payload *payload, struct arena *arena)
{
    struct text text;
    struct json_writer writer;

    text_start(&text, arena, PAYLOAD_BYTES_MAX);
    writer_start(&writer, &text);
    schema_write(&writer, &payload_schema, payload);
    return text.bytes;
}
