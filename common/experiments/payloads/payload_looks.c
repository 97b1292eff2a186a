/* The schema of planned looks. */
#include "experiments/payloads/payload_looks.h"

#include "experiments/sequential/hybrid_design.h"

#define OWNER struct payload_looks
static const struct field looks_fields[] = {
    CHOICE(OWNER, alpha_spending, spending_names, .choice_count = SPENDING__MAX,
           .help = "How much of alpha is spent by a share of the planned users. kim_demets and "
                   "hwang_shih_decani need a parameter."),
    NULLABLE_NUMBER(OWNER, alpha_parameter,
                    .help = "kim_demets: above 0 to 50. hwang_shih_decani: -50 to 50."),
    CHOICE(OWNER, futility, futility_names, .choice_count = FUTILITY__MAX,
           .help = "Boundaries below which the experiment stops as futile. The test then has one "
                   "side, that of the goal, at half of alpha. With non_binding ones alpha holds "
                   "also if you go on."),
    CHOICE(OWNER, beta_spending, spending_names, .choice_count = SPENDING__MAX),
    NULLABLE_NUMBER(OWNER, beta_parameter),
    NUMBERS(OWNER, information_fractions, .required = true, .min_length = 1,
            .max_length = PAYLOAD_LOOKS_MAX,
            .help = "The planned looks, as shares of the planned users, ascending to 1."),
};
#undef OWNER

static bool fractions_hold(const void *object)
{
    return sequential_fractions_hold(
        &((const struct payload_looks *)object)->information_fractions);
}

static bool alpha_parameter_suits(const void *object)
{
    const struct payload_looks *looks = object;

    return sequential_parameter_suits(looks->alpha_spending, looks->alpha_parameter);
}

static bool beta_parameter_suits(const void *object)
{
    const struct payload_looks *looks = object;

    return looks->futility == FUTILITY_NONE ||
           sequential_parameter_suits(looks->beta_spending, looks->beta_parameter);
}

static const struct schema_rule looks_rules[] = {
    {"errors.schemas.sequential_fractions", fractions_hold},
    {"errors.schemas.sequential_alpha_parameter", alpha_parameter_suits},
    {"errors.schemas.sequential_beta_parameter", beta_parameter_suits},
};

SCHEMA(payload_looks_schema, struct payload_looks, "PlannedLooks", looks_fields,
       .help = "Looks at the running experiment by a spending function.", RULES(looks_rules),
       .example = "{\"alpha_spending\":\"obrien_fleming\",\"information_fractions\":"
                  "[0.25,0.5,0.75,1]}");

#define OWNER struct payload_hybrid
static const struct field hybrid_fields[] = {
    NUMBER(OWNER, early_share, .lower = AT_LEAST(HYBRID_SHARE_MIN),
           .upper = AT_MOST(1 - HYBRID_SHARE_MIN), .default_value = 0.5,
           .help = "The share of alpha that readings before the planned size may use."),
    NUMBER(OWNER, tuned_fraction, .lower = AT_LEAST(HYBRID_FRACTION_MIN), .upper = AT_MOST(1),
           .default_value = 0.5,
           .help = "The share of the planned users at which early readings are narrowest."),
};
#undef OWNER

SCHEMA(payload_hybrid_schema, struct payload_hybrid, "HybridReadings", hybrid_fields,
       .help = "Read at any time, tested once at the planned size; both together keep alpha.",
       .example = "{\"early_share\":0.5,\"tuned_fraction\":0.5}");
