/* POST /api/v1/results/paired: tests pairs of values. */
#include "experiments-compute/paired.h"
#include "base/number.h"
#include "experiments/analyses/paired_text.h"
#include "experiments/analyses/report_text.h"
#include "experiments/analyses/results_schema.h"
#include "experiments/design/sizing.h"
#include "experiments/service.h"

enum {
    PAIRS_MIN = 2,
    PAIRS_MAX = 1000,
    PAIRS_PER_UNIT = 200,  /* of admission */
    COUNT_MAX = 1000000000 /* of each cell of a table */
};

/* Digits after the point: shares are small numbers. */
enum { EFFECT_DECIMALS = 4, SHARE_DECIMALS = 6 };

static const char *const test_names[PAIRED_TEST__MAX] = {
    [PAIRED_TEST_T] = "paired_t",
    [PAIRED_TEST_WILCOXON] = "wilcoxon",
    [PAIRED_TEST_MCNEMAR] = "mcnemar",
};

/* The lists, or for mcnemar the counts instead. */
struct paired_request {
    int test_type; /* enum paired_test */
    int direction; /* enum goal_direction */
    const struct paired_counts *counts;
    struct number_list control_values;
    struct number_list treatment_values;
    double alpha;
};

struct paired_reply {
    const char *test_type;
    int64_t n_pairs;
    double effect;
    const char *effect_label;
    double ci_lower;
    double ci_upper;
    double ci_level;
    double p_value;
    double test_statistic;
    bool is_significant;
    struct optional_number effect_size;
    const char *effect_size_label;
    const char *method;
    struct optional_integer n_zero_differences;
    struct optional_integer n_discordant;
    struct optional_integer discordant_positive;
    struct optional_integer discordant_negative;
    const char *verdict;
    const char *interpretation;
    const char *direction;
    const char *outcome;
};

#define OWNER struct paired_counts
static const struct field counts_fields[] = {
    INTEGER(OWNER, both, .required = true, .lower = AT_LEAST(0), .upper = AT_MOST(COUNT_MAX),
            .help = "Users with 1 in both."),
    INTEGER(OWNER, control_only, .required = true, .lower = AT_LEAST(0),
            .upper = AT_MOST(COUNT_MAX), .help = "From 1 to 0."),
    INTEGER(OWNER, treatment_only, .required = true, .lower = AT_LEAST(0),
            .upper = AT_MOST(COUNT_MAX), .help = "From 0 to 1."),
    INTEGER(OWNER, neither, .required = true, .lower = AT_LEAST(0), .upper = AT_MOST(COUNT_MAX),
            .help = "Users with 0 in both."),
};
#undef OWNER

static bool counts_are_pairs(const void *object)
{
    return paired_counts_total(object) >= PAIRS_MIN;
}

static const struct schema_rule counts_rules[] = {
    {"errors.schemas.paired_counts_total", counts_are_pairs},
};
static SCHEMA(counts_schema, struct paired_counts, "PairedCounts", counts_fields,
              .help = "The table of McNemar's test: users by what they did in both.",
              RULES(counts_rules));

#define OWNER struct paired_request
static const struct field request_fields[] = {
    CHOICE(OWNER, test_type, test_names, .choice_count = PAIRED_TEST__MAX, .required = true),
    NUMBERS(OWNER, control_values, .nullable = true, .min_length = PAIRS_MIN,
            .max_length = PAIRS_MAX,
            .help = "One value per user; for mcnemar 0 or 1. Required without counts."),
    NUMBERS(OWNER, treatment_values, .nullable = true, .min_length = PAIRS_MIN,
            .max_length = PAIRS_MAX, .help = "Of the same users in the same order."),
    OBJECT(OWNER, counts, counts_schema, .nullable = true,
           .help = "Of mcnemar, in place of both lists."),
    CHOICE(OWNER, direction, goal_direction_names, .choice_count = GOAL__MAX,
           .help = "Where the metric should go: verdict and outcome follow it."),
    NUMBER(OWNER, alpha, .lower = AT_LEAST(0.001), .upper = AT_MOST(0.1), .default_value = 0.05,
           .help = "Two-sided significance level."),
};
#undef OWNER

static bool values_or_counts(const void *object)
{
    const struct paired_request *asked = object;
    bool lists = asked->control_values.count > 0 && asked->treatment_values.count > 0;
    bool none = asked->control_values.count == 0 && asked->treatment_values.count == 0;

    if (!asked->counts)
        return lists;
    return none && asked->test_type == PAIRED_TEST_MCNEMAR;
}

static bool lengths_match(const void *object)
{
    const struct paired_request *asked = object;

    return asked->control_values.count == asked->treatment_values.count;
}

static bool all_binary(const struct number_list *values)
{
    for (size_t i = 0; i < values->count; i++)
        if (values->items[i] != 0 && values->items[i] != 1)
            return false;
    return true;
}

static bool mcnemar_is_binary(const void *object)
{
    const struct paired_request *asked = object;

    return asked->test_type != PAIRED_TEST_MCNEMAR ||
           (all_binary(&asked->control_values) && all_binary(&asked->treatment_values));
}

static const struct schema_rule request_rules[] = {
    {"errors.schemas.paired_values_or_counts", values_or_counts},
    {"errors.schemas.paired_length_mismatch", lengths_match},
    {"errors.schemas.paired_mcnemar_binary", mcnemar_is_binary},
};

SCHEMA(paired_request_schema, struct paired_request, "PairedRequest", request_fields,
       .help = "Two measurements of each user.", RULES(request_rules),
       .example = "{\"test_type\":\"paired_t\",\"control_values\":[10,12,9,15],"
                  "\"treatment_values\":[12,15,10,16]}");

#define OWNER struct paired_reply
static const struct field reply_fields[] = {
    STRING(OWNER, test_type),
    INTEGER(OWNER, n_pairs),
    NUMBER(OWNER, effect, .help = "Treatment minus control: what effect_label names."),
    STRING(OWNER, effect_label),
    NUMBER(OWNER, ci_lower, .help = "Of the effect."),
    NUMBER(OWNER, ci_upper),
    NUMBER(OWNER, ci_level, ROUNDED(4)),
    NUMBER(OWNER, p_value, ROUNDED(6)),
    NUMBER(OWNER, test_statistic, ROUNDED(4),
           .help = "t, the smaller rank sum, or for mcnemar chi-square or, where the p-value is "
                   "exact, the smaller number of discordant pairs."),
    BOOLEAN(OWNER, is_significant, .help = "From the p-value before rounding."),
    NULLABLE_NUMBER(OWNER, effect_size, ROUNDED(4), .help = "What effect_size_label names."),
    STRING(OWNER, effect_size_label, .nullable = true),
    STRING(OWNER, method, .nullable = true, .help = "Of mcnemar: exact or chi_square."),
    NULLABLE_INTEGER(OWNER, n_zero_differences,
                     .help = "Of wilcoxon: pairs without a difference, which have no rank."),
    NULLABLE_INTEGER(OWNER, n_discordant, .help = "Of mcnemar: pairs that changed."),
    NULLABLE_INTEGER(OWNER, discordant_positive, .help = "From 0 to 1."),
    NULLABLE_INTEGER(OWNER, discordant_negative, .help = "From 1 to 0."),
    STRING(OWNER, verdict),
    STRING(OWNER, interpretation),
    STRING(OWNER, direction, .help = "increase or decrease, as asked."),
    STRING(OWNER, outcome,
           .help = "better or worse where the effect is significant, else inconclusive."),
};
#undef OWNER
SCHEMA(paired_reply_schema, struct paired_reply, "PairedReply", reply_fields,
       .help = "What the test showed.");

void paired_cost(const void *body, struct compute_cost *cost)
{
    const struct paired_request *asked = body;
    size_t units = (asked->control_values.count + PAIRS_PER_UNIT - 1) / PAIRS_PER_UNIT;

    *cost = (struct compute_cost){.units = units > 1 ? (uint32_t)units : 1,
                                  .heavy = units >= COMPUTE_HEAVY_UNITS};
}

/* Gives the reason for a degenerate result. */
static const char *run_test(const struct paired_request *asked, struct arena *arena,
                            struct paired_result *result)
{
    const struct paired_observation observed = {asked->control_values, asked->treatment_values,
                                                asked->alpha};

    if (asked->counts) {
        mcnemar_counts_test(asked->counts, asked->alpha, result);
        return NULL;
    }
    if (asked->test_type == PAIRED_TEST_MCNEMAR) {
        mcnemar_test(&observed, result);
        return NULL;
    }
    if (asked->test_type == PAIRED_TEST_WILCOXON) {
        wilcoxon_test(&observed, arena, result);
        two_sample_settle(&asked->control_values, &asked->treatment_values, &result->test);
        return "errors.schemas.wilcoxon_degenerate";
    }
    paired_t_test(&observed, arena, result);
    two_sample_settle(&asked->control_values, &asked->treatment_values, &result->test);
    return "errors.schemas.paired_t_degenerate";
}

static void compose(const struct request *request, enum paired_test kind,
                    const struct paired_result *result, struct paired_reply *answer)
{
    const struct test_result *test = &result->test;
    const struct locale *locale = request->locale;
    struct arena *arena = request->arena;
    int decimals = kind == PAIRED_TEST_MCNEMAR ? SHARE_DECIMALS : EFFECT_DECIMALS;

    *answer = (struct paired_reply){
        .test_type = test_names[kind],
        .n_pairs = result->pairs,
        .effect = number_round_figure(test->effect, decimals),
        .effect_label = paired_effect_label(locale, arena, kind),
        .ci_lower = number_round_figure(test->ci_lower, decimals),
        .ci_upper = number_round_figure(test->ci_upper, decimals),
        .ci_level = test->ci_level,
        .p_value = test->p_value,
        .test_statistic = test->statistic,
        .is_significant = test->is_significant,
        .effect_size = test->effect_size,
        .effect_size_label = report_effect_size_label(locale, arena, test),
        .verdict = report_verdict(locale, arena, test),
        .interpretation = paired_interpretation(locale, arena, kind, result),
        .direction = goal_direction_names[test->lower_is_better],
        .outcome = results_outcome(test),
    };
    if (kind == PAIRED_TEST_WILCOXON)
        answer->n_zero_differences = GIVEN_INTEGER(result->zero_differences);
    if (kind != PAIRED_TEST_MCNEMAR)
        return;
    answer->method = result->exact ? "exact" : "chi_square";
    answer->n_discordant = GIVEN_INTEGER(result->positive + result->negative);
    answer->discordant_positive = GIVEN_INTEGER(result->positive);
    answer->discordant_negative = GIVEN_INTEGER(result->negative);
}

enum error paired_handle(struct request *request, struct reply *reply)
{
    const struct paired_request *asked = request->body;
    struct paired_reply *answer = ARENA_NEW(request->arena, struct paired_reply);
    struct paired_result result;
    const char *key = run_test(asked, request->arena, &result);

    if (result.test.degenerate)
        return problem_set(&request->problem, ERROR_INVALID, "degenerate", "%s",
                           locale_format(request->locale, request->arena, key, NO_TEXT_ARGUMENTS));
    result.test.lower_is_better = asked->direction == GOAL_DECREASE;
    compose(request, (enum paired_test)asked->test_type, &result, answer);
    reply->object = answer;
    return ERROR_NONE;
}
