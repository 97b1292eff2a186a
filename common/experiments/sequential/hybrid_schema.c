/* Fields and rules of hybrid designs. */
#include "experiments/sequential/hybrid_design.h"

#define ALPHA_MIN 1e-8
#define POWER_MAX 0.99999

#define OWNER struct hybrid_look
static const struct field look_fields[] = {
    NUMBER(OWNER, information_fraction, .required = true, .lower = AT_LEAST(HYBRID_FRACTION_MIN),
           .upper = AT_MOST(10),
           .help = "Observed over planned information; below 1 before the end."),
    NULLABLE_NUMBER(OWNER, z, .lower = AT_LEAST(-1000), .upper = AT_MOST(1000),
                    .help = "The test statistic of all data so far."),
    NULLABLE_NUMBER(OWNER, estimate, .help = "Instead of z: the effect of all data so far,"),
    NULLABLE_NUMBER(OWNER, standard_error, .lower = ABOVE(0),
                    .help = "and its standard error. Answers are then in the unit of the effect."),
    BOOLEAN(OWNER, is_end,
            .help = "This is the one test at the end, and no reading before it rejected. Its "
                    "fraction may be another one than 1 if the data did not decide it."),
};
#undef OWNER

static bool look_has_statistic(const void *object)
{
    const struct hybrid_look *look = object;

    return look->z.given ? !look->estimate.given && !look->standard_error.given
                         : look->estimate.given && look->standard_error.given;
}

static bool look_is_before_end(const void *object)
{
    const struct hybrid_look *look = object;

    return look->is_end || look->information_fraction < 1;
}

static const struct schema_rule look_rules[] = {
    {"errors.schemas.sequential_statistic", look_has_statistic},
    {"errors.schemas.hybrid_end", look_is_before_end},
};
static SCHEMA(look_schema, struct hybrid_look, "HybridLook", look_fields, RULES(look_rules),
              .help = "What has been seen so far.");

#define OWNER struct hybrid_request
static const struct field request_fields[] = {
    NUMBER(OWNER, alpha, .lower = AT_LEAST(ALPHA_MIN), .upper = AT_MOST(0.5), .default_value = 0.05,
           .help = "Of all readings together, two-sided."),
    NUMBER(OWNER, power, .lower = ABOVE(0), .upper = AT_MOST(POWER_MAX), .default_value = 0.8,
           .help = "Of rejecting at any time."),
    NUMBER(OWNER, early_share, .lower = AT_LEAST(HYBRID_SHARE_MIN),
           .upper = AT_MOST(1 - HYBRID_SHARE_MIN), .default_value = 0.5,
           .help = "The share of alpha that readings before the end may use. A large one stops "
                   "earlier, a small one needs fewer users."),
    NUMBER(OWNER, tuned_fraction, .lower = AT_LEAST(HYBRID_FRACTION_MIN), .upper = AT_MOST(1),
           .default_value = 0.5,
           .help = "The fraction of the planned information at which readings before the end are "
                   "narrowest. Fix it before the data."),
    NUMBERS(OWNER, information_fractions, .max_length = HYBRID_FRACTIONS_MAX,
            .help = "Where boundaries are wanted: above 0, below 1."),
    OBJECT(OWNER, look, look_schema, .nullable = true, .help = "A reading of the running test."),
};
#undef OWNER

static bool fractions_are_before_end(const void *object)
{
    const struct number_list *list =
        &((const struct hybrid_request *)object)->information_fractions;

    for (size_t i = 0; i < list->count; i++)
        if (!(list->items[i] > 0 && list->items[i] < 1))
            return false;
    return true;
}

static bool power_is_above_alpha(const void *object)
{
    const struct hybrid_request *request = object;

    return request->power > request->alpha;
}

static const struct schema_rule request_rules[] = {
    {"errors.schemas.hybrid_fractions", fractions_are_before_end},
    {"errors.schemas.hybrid_power", power_is_above_alpha},
};

SCHEMA(hybrid_request_schema, struct hybrid_request, "HybridPlan", request_fields,
       .help = "A two-sided test that may be read at any time until its end.", RULES(request_rules),
       .example = "{\"alpha\":0.05,\"power\":0.8,\"early_share\":0.5,"
                  "\"information_fractions\":[0.25,0.5,0.75],"
                  "\"look\":{\"information_fraction\":0.6,\"estimate\":1.2,"
                  "\"standard_error\":0.41}}");

#define OWNER struct hybrid_boundary
static const struct field boundary_fields[] = {
    NUMBER(OWNER, information_fraction),
    NUMBER(OWNER, z, ROUNDED(6), .help = "A reading here rejects beyond it on either side."),
    NUMBER(OWNER, p, ROUNDED(8), .help = "The two-sided p-value of that z."),
};
#undef OWNER
static SCHEMA(boundary_schema, struct hybrid_boundary, "HybridBoundary", boundary_fields);

#define OWNER struct hybrid_reading
static const struct field reading_fields[] = {
    STRING(OWNER, status, .help = "continue, efficacy or no_rejection."),
    STRING(OWNER, verdict),
    STRING(OWNER, scale,
           .help = "estimate: the interval is in the unit of the estimate; drift: effects over "
                   "their standard error at full information."),
    NUMBER(OWNER, boundary_z, ROUNDED(6), .help = "Of this reading."),
    NUMBER(OWNER, z, ROUNDED(6)),
    NUMBER(OWNER, p_value, ROUNDED(8),
           .help = "The smallest alpha at which this reading rejects, with the same share and "
                   "tuning."),
    BOOLEAN(OWNER, is_significant),
    NUMBER(OWNER, estimate, ROUNDED(6)),
    NUMBER(OWNER, ci_lower, ROUNDED(6),
           .help = "All intervals of a test, those before the end and the one there, hold "
                   "together at 1 - alpha."),
    NUMBER(OWNER, ci_upper, ROUNDED(6)),
};
#undef OWNER
static SCHEMA(reading_schema, struct hybrid_reading, "HybridReading", reading_fields);

#define OWNER struct hybrid_reply
static const struct field reply_fields[] = {
    NUMBER(OWNER, end_z, ROUNDED(6), .help = "The test at the planned end rejects beyond it."),
    NUMBER(OWNER, end_p, ROUNDED(8), .help = "The two-sided p-value of that z."),
    NUMBER(OWNER, early_error, ROUNDED(8),
           .help = "Probability of a rejection before the end without an effect; the test at the "
                   "end has the rest of alpha."),
    NUMBER(OWNER, drift, ROUNDED(6),
           .help = "The effect over its standard error at full information that has the power."),
    NUMBER(OWNER, fixed_drift, ROUNDED(6), .help = "The same for one look at the end."),
    NUMBER(OWNER, inflation_factor, ROUNDED(6),
           .help = "Planned information over that of a test with one look: multiply the fixed "
                   "size by it."),
    NUMBER(OWNER, early_probability, ROUNDED(6),
           .help = "Of a rejection before the end with the planned effect."),
    NUMBER(OWNER, expected_information, ROUNDED(6),
           .help = "Mean fraction at the stop with the planned effect, read all the time."),
    NUMBER(OWNER, null_expected_information, ROUNDED(6), .help = "The same without an effect."),
    OBJECTS(OWNER, boundaries, boundary_schema),
    OBJECT(OWNER, reading, reading_schema, .nullable = true),
};
#undef OWNER
SCHEMA(hybrid_reply_schema, struct hybrid_reply, "HybridDesign", reply_fields,
       .help = "Boundaries, power and size of a hybrid design, and what a look says under it.");
