/* POST /api/v1/results/ratio: compares a ratio of totals in two arms. */
#include "experiments-compute/ratio.h"
#include "experiments/analyses/report_text.h"
#include "experiments/analyses/results_analysis.h"
#include "experiments/analyses/results_evidence.h"
#include "experiments/design/sizing.h"
#include "experiments/service.h"
#include "stats/ratio_metric.h"

enum {
    USERS_MIN = 2,
    USERS_MAX = 1000, /* per arm */
    UNITS_MIN = 2,    /* of admission */
    USERS_PER_UNIT = 200,
};

#define OWNER struct ratio_arm
static const struct field arm_fields[] = {
    NUMBERS(OWNER, numerators, .required = true, .min_length = USERS_MIN, .max_length = USERS_MAX,
            .help = "One per user: revenue, clicks..."),
    NUMBERS(OWNER, denominators, .required = true, .min_length = USERS_MIN, .max_length = USERS_MAX,
            .help = "Of the same users in the same order: orders, views..."),
};
#undef OWNER

static bool lengths_match(const void *object)
{
    const struct ratio_arm *arm = object;

    return arm->numerators.count == arm->denominators.count;
}

static const struct schema_rule arm_rules[] = {
    {"errors.schemas.ratio_pairs_length_mismatch", lengths_match},
};

static SCHEMA(arm_schema, struct ratio_arm, "RatioArm", arm_fields,
              .help = "Numerator and denominator of every user of an arm.", RULES(arm_rules));

#define OWNER struct ratio_observation
static const struct field request_fields[] = {
    OBJECT(OWNER, control_arm, arm_schema, .required = true),
    OBJECT(OWNER, treatment_arm, arm_schema, .required = true),
    NUMBER(OWNER, alpha, .lower = AT_LEAST(0.001), .upper = AT_MOST(0.1), .default_value = 0.05,
           .help = "Two-sided significance level."),
    CHOICE(OWNER, direction, goal_direction_names, .choice_count = GOAL__MAX,
           .help = "Where the ratio should go: verdict and outcome follow it."),
};
#undef OWNER
SCHEMA(ratio_request_schema, struct ratio_observation, "RatioRequest", request_fields,
       .help = "A ratio of totals in two arms.",
       .example = "{\"control_arm\":{\"numerators\":[1.2,2.1,0.7],\"denominators\":[3,5,2]},"
                  "\"treatment_arm\":{\"numerators\":[2,3.1,1.4],\"denominators\":[4,6,3]}}");

void ratio_cost(const void *body, struct compute_cost *cost)
{
    const struct ratio_observation *observed = body;
    size_t users =
        observed->control_arm->numerators.count + observed->treatment_arm->numerators.count;
    size_t units = (users + USERS_PER_UNIT - 1) / USERS_PER_UNIT;

    *cost = (struct compute_cost){.units = units > UNITS_MIN ? (uint32_t)units : UNITS_MIN,
                                  .heavy = units >= COMPUTE_HEAVY_UNITS};
}

enum error ratio_handle(struct request *request, struct reply *reply)
{
    struct results_reply *answer = ARENA_NEW(request->arena, struct results_reply);
    const struct results_call call = {request->locale, request->arena, &request->problem};
    const struct ratio_observation *observed = request->body;
    struct results_finding finding = {0};

    ratio_metric_test(observed, request->arena, &finding.test);
    if (finding.test.degenerate)
        return problem_set(&request->problem, ERROR_INVALID, "degenerate", "%s",
                           locale_format(request->locale, request->arena,
                                         "errors.schemas.ratio_degenerate", NO_TEXT_ARGUMENTS));
    finding.test.lower_is_better = observed->direction == GOAL_DECREASE;
    finding.interpretation =
        report_ratio_interpretation(request->locale, request->arena, &finding.test);
    results_compose(&call, &ratio_analyzer, &finding, answer);
    evidence_add(&(struct evidence){.locale = request->locale,
                                    .arena = request->arena,
                                    .analyzer = &ratio_analyzer,
                                    .finding = &finding},
                 answer);
    reply->object = answer;
    return ERROR_NONE;
}
