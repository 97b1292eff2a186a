/* POST /api/v1/srm-check: observed counts against planned fractions. */
#include "experiments-analysis/srm_check.h"
#include "experiments/analyses/report_text.h"
#include "experiments/design/srm.h"

#include <math.h>
#include <stdio.h>

#define FRACTIONS_TOLERANCE 0.01 /* how far from 1 their sum may be; they are normalised after */

struct srm_request {
    struct integer_list observed_counts;
    struct number_list expected_fractions;
};

struct srm_reply {
    double chi_square;
    double p_value;
    bool is_srm;
    const char *verdict;
    struct integer_list observed_counts;
    struct number_list expected_counts;
    struct optional_integer deviating_arm;
};

#define OWNER struct srm_request
static const struct field request_fields[] = {
    INTEGERS(OWNER, observed_counts, .required = true, .min_length = 2, .max_length = 10,
             .help = "Users seen per variant."),
    NUMBERS(OWNER, expected_fractions, .required = true, .min_length = 2, .max_length = 10,
            .help = "Planned share of each variant; they sum to 1."),
};
#undef OWNER

static bool lengths_match(const void *object)
{
    const struct srm_request *request = object;

    return request->observed_counts.count == request->expected_fractions.count;
}

static bool counts_are_not_negative(const void *object)
{
    return srm_counts_are_not_negative(&((const struct srm_request *)object)->observed_counts);
}

static bool counts_have_users(const void *object)
{
    return srm_counts_have_users(&((const struct srm_request *)object)->observed_counts);
}

static bool fractions_at_least(const struct number_list *fractions, bool zero_allowed)
{
    for (size_t i = 0; i < fractions->count; i++)
        if (!(zero_allowed ? fractions->items[i] >= 0 : fractions->items[i] > 0))
            return false;
    return true;
}

static bool fractions_are_not_negative(const void *object)
{
    return fractions_at_least(&((const struct srm_request *)object)->expected_fractions, true);
}

static double fractions_total(const void *object)
{
    const struct number_list *fractions = &((const struct srm_request *)object)->expected_fractions;
    double total = 0;

    for (size_t i = 0; i < fractions->count; i++)
        total += fractions->items[i];
    return total;
}

static bool fractions_sum_to_one(const void *object)
{
    return fabs(fractions_total(object) - 1) <= FRACTIONS_TOLERANCE;
}

static void explain_sum(const void *object, struct schema_breach *breach)
{
    breach->count = 1;
    breach->arguments[0].name = "total";
    snprintf(breach->arguments[0].value, sizeof breach->arguments[0].value, "%.4f",
             fractions_total(object));
}

static bool fractions_are_positive(const void *object)
{
    return fractions_at_least(&((const struct srm_request *)object)->expected_fractions, false);
}

static const struct schema_rule request_rules[] = {
    {"errors.schemas.observed_expected_same_length", lengths_match},
    {"errors.schemas.observed_counts_non_negative", counts_are_not_negative},
    {"errors.schemas.observed_counts_positive_sum", counts_have_users},
    {"errors.schemas.expected_fractions_non_negative", fractions_are_not_negative},
    {"errors.schemas.expected_fractions_sum", fractions_sum_to_one, explain_sum},
    {"errors.schemas.expected_fractions_positive", fractions_are_positive},
};

const struct schema srm_request_schema = {
    .name = "SrmRequest",
    .help = "Observed users and planned shares, variant by variant.",
    .size = sizeof(struct srm_request),
    .fields = request_fields,
    .field_count = COUNT_OF(request_fields),
    .rules = request_rules,
    .rule_count = COUNT_OF(request_rules),
    .example = "{\"observed_counts\":[4800,5200],\"expected_fractions\":[0.5,0.5]}",
};

#define OWNER struct srm_reply
static const struct field reply_fields[] = {
    NUMBER(OWNER, chi_square, ROUNDED(4)),
    NUMBER(OWNER, p_value, ROUNDED(6)),
    BOOLEAN(OWNER, is_srm, .help = "The p-value is below 0.001."),
    STRING(OWNER, verdict),
    INTEGERS(OWNER, observed_counts),
    NUMBERS(OWNER, expected_counts, ROUNDED(1)),
    NULLABLE_INTEGER(OWNER, deviating_arm, .omit_if_null = true,
                     .help = "With a mismatch of three or more variants: which one is furthest "
                             "off, the first being 0."),
};
#undef OWNER
const struct schema srm_reply_schema = {.name = "SrmReply",
                                        .help = "Pearson's chi-square test of the split.",
                                        .size = sizeof(struct srm_reply),
                                        .fields = reply_fields,
                                        .field_count = COUNT_OF(reply_fields)};

enum error srm_handle(struct request *request, struct reply *reply)
{
    const struct srm_request *observed = request->body;
    struct srm_reply *answer = ARENA_NEW(request->arena, struct srm_reply);
    double *expected = ARENA_ARRAY(request->arena, double, observed->observed_counts.count);
    struct srm_result result;
    enum error error = srm_check(&observed->observed_counts, &observed->expected_fractions,
                                 expected, &result, &request->problem);

    if (error)
        return error;
    *answer =
        (struct srm_reply){.chi_square = result.chi_square,
                           .p_value = result.p_value,
                           .is_srm = result.is_srm,
                           .verdict = report_srm_verdict(request->locale, request->arena, &result),
                           .observed_counts = observed->observed_counts,
                           .expected_counts = {observed->observed_counts.count, expected},
                           .deviating_arm = result.deviating_arm};
    reply->object = answer;
    return ERROR_NONE;
}
