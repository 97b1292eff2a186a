/* Fields and the rules over several of them. */
#include "experiments/sequential/sequential_schema.h"

#include "experiments/design/sizing.h"

#include <math.h>

#define ALPHA_MIN 1e-10
#define POWER_MAX 0.99999

#define OWNER struct sequential_plan
static const struct field plan_fields[] = {
    INTEGER(OWNER, sides, .lower = AT_LEAST(1), .upper = AT_MOST(2), .default_value = 2,
            .help = "1 tests one direction only."),
    CHOICE(OWNER, direction, goal_direction_names, .choice_count = GOAL__MAX,
           .help = "The good direction of a plan with one side."),
    NUMBER(OWNER, alpha, .lower = AT_LEAST(ALPHA_MIN), .upper = AT_MOST(0.5), .default_value = 0.05,
           .help = "Over all looks and sides."),
    NUMBER(OWNER, power, .lower = ABOVE(0), .upper = AT_MOST(POWER_MAX), .default_value = 0.8),
    CHOICE(OWNER, alpha_spending, spending_names, .choice_count = SPENDING__MAX,
           .help = "How much of alpha is spent by a fraction of the information. kim_demets and "
                   "hwang_shih_decani need a parameter."),
    NULLABLE_NUMBER(OWNER, alpha_parameter,
                    .help = "kim_demets: the power of the fraction, above 0 to 50. "
                            "hwang_shih_decani: -50 to 50; -4 is near O'Brien-Fleming, 1 near "
                            "Pocock."),
    CHOICE(OWNER, futility, futility_names, .choice_count = FUTILITY__MAX,
           .help = "Boundaries below which a plan with one side stops as futile. With "
                   "non_binding ones alpha holds also if you go on."),
    CHOICE(OWNER, beta_spending, spending_names, .choice_count = SPENDING__MAX),
    NULLABLE_NUMBER(OWNER, beta_parameter),
    NUMBERS(OWNER, information_fractions, .required = true, .min_length = 1,
            .max_length = SEQUENTIAL_PLAN_LOOKS_MAX,
            .help = "The planned looks: shares of the planned information (users, events, or "
                    "1 / standard error squared), ascending to 1."),
};
#undef OWNER

bool sequential_fractions_hold(const struct number_list *list)
{
    double before = 0;

    for (size_t i = 0; i < list->count; i++) {
        if (!(list->items[i] >= before + GROUP_SEQUENTIAL_STEP_MIN))
            return false;
        before = list->items[i];
    }
    return before == 1;
}

static bool fractions_ascend_to_one(const void *object)
{
    return sequential_fractions_hold(
        &((const struct sequential_plan *)object)->information_fractions);
}

bool sequential_parameter_suits(int kind, struct optional_number parameter)
{
    struct spending spending = {kind, parameter.value};
    bool needed = kind == SPENDING_POWER || kind == SPENDING_HWANG_SHIH_DECANI;

    return needed == parameter.given && spending_is_valid(&spending);
}

static bool alpha_parameter_suits(const void *object)
{
    const struct sequential_plan *plan = object;

    return sequential_parameter_suits(plan->alpha_spending, plan->alpha_parameter);
}

static bool beta_parameter_suits(const void *object)
{
    const struct sequential_plan *plan = object;

    return plan->futility == FUTILITY_NONE ||
           sequential_parameter_suits(plan->beta_spending, plan->beta_parameter);
}

static bool futility_has_one_side(const void *object)
{
    const struct sequential_plan *plan = object;

    return plan->futility == FUTILITY_NONE || plan->sides == 1;
}

static bool power_is_above_alpha(const void *object)
{
    const struct sequential_plan *plan = object;

    return plan->power > plan->alpha / (double)plan->sides;
}

static const struct schema_rule plan_rules[] = {
    {"errors.schemas.sequential_fractions", fractions_ascend_to_one},
    {"errors.schemas.sequential_alpha_parameter", alpha_parameter_suits},
    {"errors.schemas.sequential_beta_parameter", beta_parameter_suits},
    {"errors.schemas.sequential_futility_side", futility_has_one_side},
    {"errors.schemas.sequential_power", power_is_above_alpha},
};

SCHEMA(sequential_plan_schema, struct sequential_plan, "SequentialPlan", plan_fields,
       .help = "A group sequential test.", RULES(plan_rules),
       .example = "{\"sides\":1,\"alpha\":0.025,\"power\":0.9,\"alpha_spending\":"
                  "\"obrien_fleming\",\"futility\":\"non_binding\",\"beta_spending\":\"pocock\","
                  "\"information_fractions\":[0.4,0.75,1]}");

#define OWNER struct sequential_plan_look
static const struct field plan_look_fields[] = {
    INTEGER(OWNER, look),
    NUMBER(OWNER, information_fraction),
    NULLABLE_NUMBER(OWNER, efficacy_z, ROUNDED(6),
                    .help = "Rejects beyond it, with two sides also beyond its negative. Null: "
                            "this look has no alpha to spend."),
    NULLABLE_NUMBER(OWNER, efficacy_p, ROUNDED(6), .help = "The p-value of that z."),
    NULLABLE_NUMBER(OWNER, futility_z, ROUNDED(6)),
    NUMBER(OWNER, alpha_spent, ROUNDED(8), .help = "Up to this look."),
    NUMBER(OWNER, beta_spent, ROUNDED(8)),
    NUMBER(OWNER, efficacy_probability, ROUNDED(6),
           .help = "Of rejecting for the planned effect at this look."),
    NUMBER(OWNER, futility_probability, ROUNDED(6)),
    NUMBER(OWNER, null_efficacy_probability, ROUNDED(8),
           .help = "Of rejecting at this look, in either direction of a two-sided test, without "
                   "an effect."),
    NUMBER(OWNER, null_futility_probability, ROUNDED(6)),
};
#undef OWNER
static SCHEMA(plan_look_schema, struct sequential_plan_look, "SequentialPlanLook",
              plan_look_fields);

#define OWNER struct sequential_design_reply
static const struct field design_fields[] = {
    NUMBER(OWNER, drift, ROUNDED(6),
           .help = "The effect over its standard error at full information that has the power."),
    NUMBER(OWNER, fixed_drift, ROUNDED(6), .help = "The same for one look at the end."),
    NUMBER(OWNER, inflation_factor, ROUNDED(6),
           .help = "Planned information over that of a test with one look: multiply the fixed "
                   "size by it."),
    NUMBER(OWNER, expected_information, ROUNDED(6),
           .help = "Mean fraction at the stop with the planned effect."),
    NUMBER(OWNER, null_expected_information, ROUNDED(6), .help = "The same without an effect."),
    OBJECTS(OWNER, looks, plan_look_schema),
};
#undef OWNER
SCHEMA(sequential_design_reply_schema, struct sequential_design_reply, "SequentialDesign",
       design_fields, .help = "Boundaries, power and size of a group sequential test.");

#define OWNER struct observed_look
static const struct field observed_fields[] = {
    NUMBER(OWNER, information_fraction, .required = true, .lower = ABOVE(0), .upper = AT_MOST(10),
           .help = "Observed over planned information; above 1 only at the last look."),
    NULLABLE_NUMBER(OWNER, z, .lower = AT_LEAST(-1000), .upper = AT_MOST(1000),
                    .help = "The test statistic of all data so far."),
    NULLABLE_NUMBER(OWNER, estimate, .help = "Instead of z: the effect of all data so far,"),
    NULLABLE_NUMBER(OWNER, standard_error, .lower = ABOVE(0),
                    .help = "and its standard error. Answers are then in the unit of the effect."),
};
#undef OWNER

static bool look_has_statistic(const void *object)
{
    const struct observed_look *look = object;

    return look->z.given ? !look->estimate.given && !look->standard_error.given
                         : look->estimate.given && look->standard_error.given;
}
static const struct schema_rule observed_rules[] = {
    {"errors.schemas.sequential_statistic", look_has_statistic},
};
static SCHEMA(observed_look_schema, struct observed_look, "ObservedLook", observed_fields,
              RULES(observed_rules));

#define OWNER struct sequential_monitor_request
static const struct field monitor_fields[] = {
    OBJECT(OWNER, plan, sequential_plan_schema, .required = true),
    OBJECTS(OWNER, looks, observed_look_schema, .required = true, .min_length = 1,
            .max_length = SEQUENTIAL_PLAN_LOOKS_MAX,
            .help = "The looks that were taken, planned or not, in their order."),
    BOOLEAN(OWNER, is_final,
            .help = "No more data will come: the last look spends all that is left of alpha."),
    NULLABLE_NUMBER(OWNER, effect,
                    .help = "An effect to compute the conditional power for, in the unit of the "
                            "estimates, else as a drift."),
};
#undef OWNER

static bool looks_ascend(const void *object)
{
    const struct sequential_monitor_request *request = object;
    const struct observed_look *looks = request->looks.items;
    double before = 0;

    for (size_t i = 0; i < request->looks.count; i++) {
        if (!(looks[i].information_fraction >= before + GROUP_SEQUENTIAL_STEP_MIN) || before >= 1)
            return false;
        before = looks[i].information_fraction;
    }
    return true;
}

/* All looks with an estimate, or none. */
static bool looks_are_alike(const void *object)
{
    const struct sequential_monitor_request *request = object;
    const struct observed_look *looks = request->looks.items;

    for (size_t i = 1; i < request->looks.count; i++)
        if (looks[i].z.given != looks[0].z.given)
            return false;
    return true;
}

static const struct schema_rule monitor_rules[] = {
    {"errors.schemas.sequential_looks_ascend", looks_ascend},
    {"errors.schemas.sequential_looks_alike", looks_are_alike},
};

SCHEMA(sequential_monitor_request_schema, struct sequential_monitor_request, "SequentialMonitor",
       monitor_fields, .help = "A plan and the looks that were taken.", RULES(monitor_rules),
       .example = "{\"plan\":{\"sides\":2,\"alpha\":0.05,\"information_fractions\":[0.5,1]},"
                  "\"looks\":[{\"information_fraction\":0.38,\"estimate\":0.9,"
                  "\"standard_error\":0.62},{\"information_fraction\":0.71,\"estimate\":1.3,"
                  "\"standard_error\":0.45}]}");

#define OWNER struct monitored_look
static const struct field monitored_fields[] = {
    INTEGER(OWNER, look),
    NUMBER(OWNER, information_fraction),
    NUMBER(OWNER, z, ROUNDED(6)),
    NULLABLE_NUMBER(OWNER, efficacy_z, ROUNDED(6)),
    NULLABLE_NUMBER(OWNER, futility_z, ROUNDED(6)),
    NUMBER(OWNER, alpha_spent, ROUNDED(8)),
    NUMBER(OWNER, beta_spent, ROUNDED(8)),
    STRING(OWNER, decision,
           .help = "continue, efficacy, futility, no_rejection (at the end), or "
                   "overrun: the test had stopped before."),
    NUMBER(OWNER, estimate, ROUNDED(6)),
    NULLABLE_NUMBER(OWNER, repeated_ci_lower, ROUNDED(6),
                    .help = "Repeated confidence interval: holds at all looks together, whether "
                            "the test stops or not."),
    NULLABLE_NUMBER(OWNER, repeated_ci_upper, ROUNDED(6)),
};
#undef OWNER
static SCHEMA(monitored_look_schema, struct monitored_look, "MonitoredLook", monitored_fields);

#define OWNER struct sequential_adjusted
static const struct field adjusted_fields[] = {
    NUMBER(OWNER, p_value, ROUNDED(6)),
    BOOLEAN(OWNER, is_significant),
    NUMBER(OWNER, estimate, ROUNDED(6), .help = "Median-unbiased."),
    NUMBER(OWNER, ci_lower, ROUNDED(6)),
    NUMBER(OWNER, ci_upper, ROUNDED(6)),
    NUMBER(OWNER, ci_level, ROUNDED(6), .help = "1 - alpha; 1 - 2 alpha with one side."),
};
#undef OWNER
static SCHEMA(adjusted_schema, struct sequential_adjusted, "SequentialAdjusted", adjusted_fields,
              .help = "By the stagewise ordering of results.");

#define OWNER struct sequential_outlook
static const struct field outlook_fields[] = {
    NUMBERS(OWNER, information_fractions, .help = "The looks of the plan that are to come."),
    NUMBER(OWNER, conditional_power_planned, ROUNDED(6),
           .help = "Probability of a rejection at one of them if the planned effect is true."),
    NUMBER(OWNER, conditional_power_observed, ROUNDED(6), .help = "If the observed one is."),
    NULLABLE_NUMBER(OWNER, conditional_power_effect, ROUNDED(6), .help = "If the given one is."),
    NUMBER(OWNER, predictive_power, ROUNDED(6),
           .help = "Averaged over what the data say of the effect (flat prior)."),
};
#undef OWNER
static SCHEMA(outlook_schema, struct sequential_outlook, "SequentialOutlook", outlook_fields);

#define OWNER struct sequential_monitor_reply
static const struct field reply_fields[] = {
    STRING(OWNER, status, .help = "continue, efficacy, futility or no_rejection."),
    STRING(OWNER, verdict),
    STRING(OWNER, scale,
           .help = "estimate: intervals are in the unit of the estimates; drift: "
                   "effects over their standard error at full information."),
    BOOLEAN(OWNER, overrun,
            .help = "The test had stopped at an earlier look, or ended above the planned "
                    "information. After a stop the look that stopped is left out of the "
                    "adjusted figures and the last look counts (deletion method)."),
    OBJECTS(OWNER, looks, monitored_look_schema),
    NUMBER(OWNER, repeated_p_value, ROUNDED(6),
           .help = "Of the last look: the smallest alpha at which it rejects."),
    OBJECT(OWNER, adjusted, adjusted_schema, .nullable = true,
           .help = "After the test has stopped; null while it goes on."),
    OBJECT(OWNER, outlook, outlook_schema, .nullable = true,
           .help = "While it goes on; null after it has stopped."),
};
#undef OWNER
SCHEMA(sequential_monitor_reply_schema, struct sequential_monitor_reply, "SequentialReading",
       reply_fields, .help = "What the looks say, with the looks before them taken into account.");
