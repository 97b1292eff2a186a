/* Schemas of measured error rates. */
#include "experiments/live_results/measured_rates.h"

#define OWNER struct measured_rate
static const struct field rate_fields[] = {
    INTEGER(OWNER, runs, .help = "Runs in which it could be computed."),
    INTEGER(OWNER, count),
    NULLABLE_NUMBER(OWNER, rate, ROUNDED(6)),
    NULLABLE_NUMBER(OWNER, lower, ROUNDED(6), .help = "Clopper and Pearson's interval."),
    NULLABLE_NUMBER(OWNER, upper, ROUNDED(6)),
    NUMBER(OWNER, expected, ROUNDED(6), .help = "What the design promises."),
    STRING(OWNER, status,
           .help = "above or below when the whole interval lies there; as_expected; not_measured."),
};
#undef OWNER
static SCHEMA(rate_schema, struct measured_rate, "MeasuredRate", rate_fields);

#define OWNER struct measured_metric
static const struct field metric_fields[] = {
    STRING(OWNER, name),
    STRING(OWNER, role, .help = "goal, guardrail or secondary."),
    STRING(OWNER, unit, .help = "As in live-stats."),
    NULLABLE_NUMBER(OWNER, at, .help = "Of robust metrics: the cap, or the percentile."),
    OBJECT(OWNER, false_positives, rate_schema,
           .help = "A difference was found, by p below alpha over the number of treatments."),
    OBJECT(OWNER, coverage, rate_schema,
           .help = "The interval of every treatment held the true difference, which is 0."),
};
#undef OWNER
static SCHEMA(metric_schema, struct measured_metric, "MeasuredMetric", metric_fields);

#define OWNER struct measured_error_rates
static const struct field measured_fields[] = {
    TIME_OR_NULL(OWNER, measured_at),
    BOOLEAN(OWNER, is_current, .help = "The events and the design are still the same."),
    INTEGER(OWNER, seed),
    INTEGER(OWNER, runs, .help = "Times that users were divided anew."),
    INTEGER(OWNER, users, .help = "Users that were divided: all, or a sample."),
    INTEGER(OWNER, people, .help = "Users in the arms at that time."),
    NUMBER(OWNER, alpha, .help = "Of the design."),
    NUMBER(OWNER, confidence, .help = "Of the intervals of rates."),
    OBJECTS(OWNER, metrics, metric_schema),
    OBJECT(OWNER, always_valid, rate_schema,
           .help = "The always-valid p-value of the goal found a difference."),
    OBJECT(OWNER, ship, rate_schema, .help = "The verdict was to ship a treatment."),
};
#undef OWNER
SCHEMA(measured_error_rates_schema, struct measured_error_rates, "MeasuredErrorRates",
       measured_fields,
       .help = "How often the statistics of an experiment err on its own users, divided anew over "
               "its arms at random.");
