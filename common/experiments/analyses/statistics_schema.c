/* The request of an analysis from sums and counts, and which members each analysis reads. */
#include "experiments/analyses/statistics_analysis.h"

#include "experiments/design/sizing.h"

#include <math.h>

enum {
    DISTINCT_MAX = 100000,      /* values of an arm */
    USERS_MAX = 500000,         /* of an arm, for ranks and trimmed means */
    RESAMPLED_USERS_MAX = 20000 /* of an arm, for bootstrap and quantile */
};

/* Groups of members that belong together. */
enum {
    HAS_N = 1 << 0,
    HAS_MOMENTS = 1 << 1,
    HAS_SUMS = 1 << 2,
    HAS_CONVERSIONS = 1 << 3,
    HAS_EVENTS = 1 << 4,
    HAS_RATIO = 1 << 5,
    HAS_VALUES = 1 << 6,
    HAS_PART = 1 << 7 /* some members of a group and not all */
};

#define ANALYZER_NAME(id, name, ...) #name,
static const char *const metric_names[ANALYZER__MAX + 1] = {ANALYZER_LIST(ANALYZER_NAME) "ratio"};
#undef ANALYZER_NAME

/* The kind of data of each analyzer: the block that it reads in ResultsRequest. */
enum kind { KIND_binary, KIND_continuous, KIND_ranked, KIND_count, KIND_ratio };
#define ANALYZER_KIND(id, name, block, ...) [ANALYZER_##id] = KIND_##block,
static const enum kind kinds[ANALYZER__MAX + 1] = {ANALYZER_LIST(ANALYZER_KIND)[ANALYZER__MAX] =
                                                       KIND_ratio};
#undef ANALYZER_KIND

#define OWNER struct statistics_arm
static const struct field arm_fields[] = {
    NULLABLE_INTEGER(OWNER, n, .lower = AT_LEAST(2), .help = "Users."),
    NULLABLE_NUMBER(OWNER, mean),
    NULLABLE_NUMBER(OWNER, std, .lower = AT_LEAST(0), .help = "Divisor n - 1."),
    NULLABLE_NUMBER(OWNER, sum),
    NULLABLE_NUMBER(OWNER, sum_squares, .lower = AT_LEAST(0),
                    .help = "Of the values themselves. Its digits beyond the 16th are lost: take "
                            "mean and std where the mean is large beside the deviation."),
    NULLABLE_INTEGER(OWNER, conversions, .lower = AT_LEAST(0)),
    NULLABLE_INTEGER(OWNER, events, .lower = AT_LEAST(0)),
    NULLABLE_NUMBER(OWNER, exposure, .lower = ABOVE(0)),
    NULLABLE_NUMBER(OWNER, numerator_sum),
    NULLABLE_NUMBER(OWNER, denominator_sum),
    NULLABLE_NUMBER(OWNER, numerator_squares, .lower = AT_LEAST(0)),
    NULLABLE_NUMBER(OWNER, denominator_squares, .lower = AT_LEAST(0)),
    NULLABLE_NUMBER(OWNER, products, .help = "Sum of numerator x denominator."),
    NUMBERS(OWNER, values, .max_length = DISTINCT_MAX, .help = "Distinct values, in any order."),
    INTEGERS(OWNER, counts, .max_length = DISTINCT_MAX, .lower = AT_LEAST(0),
             .help = "Users with each of the values."),
};
#undef OWNER

static bool counts_match(const void *object)
{
    const struct statistics_arm *arm = object;

    return arm->values.count == arm->counts.count;
}

static const struct schema_rule arm_rules[] = {
    {"errors.schemas.statistics_counts_mismatch", counts_match},
};
static SCHEMA(arm_schema, struct statistics_arm, "StatisticsArm", arm_fields,
              .help = "Sums and counts of one arm.", RULES(arm_rules));

#define OWNER struct statistics_request
static const struct field request_fields[] = {
    CHOICE(OWNER, metric_type, metric_names, .choice_count = ANALYZER__MAX + 1, .required = true),
    OBJECT(OWNER, control, arm_schema, .required = true),
    OBJECT(OWNER, treatment, arm_schema, .required = true),
    NULLABLE_NUMBER(OWNER, equivalence_margin, .lower = ABOVE(0),
                    .help = "Required by, and only read by, equivalence."),
    NUMBER(OWNER, alpha, .lower = AT_LEAST(0.001), .upper = AT_MOST(0.1), .default_value = 0.05,
           .help = "Two-sided significance level."),
    NUMBER(OWNER, quantile, .lower = ABOVE(0), .upper = BELOW(1), .default_value = 0.5),
    NUMBER(OWNER, trim, .lower = AT_LEAST(0), .upper = BELOW(0.5), .default_value = 0.2),
    CHOICE(OWNER, direction, goal_direction_names, .choice_count = GOAL__MAX),
};
#undef OWNER

static unsigned group(unsigned bit, int given, int all)
{
    if (given == 0)
        return 0;
    return given == all ? bit : HAS_PART;
}

static unsigned members_of(const struct statistics_arm *arm)
{
    return group(HAS_N, arm->n.given, 1) | group(HAS_MOMENTS, arm->mean.given + arm->std.given, 2) |
           group(HAS_SUMS, arm->sum.given + arm->sum_squares.given, 2) |
           group(HAS_CONVERSIONS, arm->conversions.given, 1) |
           group(HAS_EVENTS, arm->events.given + arm->exposure.given, 2) |
           group(HAS_RATIO,
                 arm->numerator_sum.given + arm->denominator_sum.given +
                     arm->numerator_squares.given + arm->denominator_squares.given +
                     arm->products.given,
                 5) |
           group(HAS_VALUES, arm->values.count > 0, 1);
}

static bool arm_fits(const struct statistics_arm *arm, enum kind kind)
{
    unsigned members = members_of(arm);

    switch (kind) {
    case KIND_binary:
        return members == (HAS_N | HAS_CONVERSIONS) && arm->conversions.value <= arm->n.value;
    case KIND_continuous:
        return members == (HAS_N | HAS_MOMENTS) || members == (HAS_N | HAS_SUMS);
    case KIND_count:
        return members == HAS_EVENTS;
    case KIND_ratio:
        return members == (HAS_N | HAS_RATIO);
    default:
        return members == HAS_VALUES;
    }
}

static enum kind kind_of(const struct statistics_request *request)
{
    return kinds[request->metric_type];
}

static bool fits(const void *object, enum kind kind)
{
    const struct statistics_request *request = object;

    return kind_of(request) != kind ||
           (arm_fits(request->control, kind) && arm_fits(request->treatment, kind));
}

static bool binary_fits(const void *object)
{
    return fits(object, KIND_binary);
}

static bool continuous_fits(const void *object)
{
    return fits(object, KIND_continuous);
}

static bool count_fits(const void *object)
{
    return fits(object, KIND_count);
}

static bool ratio_fits(const void *object)
{
    return fits(object, KIND_ratio);
}

static bool ranked_fits(const void *object)
{
    return fits(object, KIND_ranked);
}

static bool margin_fits(const void *object)
{
    const struct statistics_request *request = object;

    return request->metric_type != ANALYZER_EQUIVALENCE || request->equivalence_margin.given;
}

/* Users of an arm; -1 when they are more than an analyzer takes. */
static int64_t users_of(const struct statistics_arm *arm, int64_t most)
{
    int64_t users = 0;

    for (size_t i = 0; i < arm->counts.count; i++) {
        if (arm->counts.items[i] > most - users)
            return -1;
        users += arm->counts.items[i];
    }
    return users;
}

static bool users_are_few(const void *object)
{
    const struct statistics_request *request = object;
    bool resampled =
        request->metric_type == ANALYZER_BOOTSTRAP || request->metric_type == ANALYZER_QUANTILE;
    int64_t most = resampled ? RESAMPLED_USERS_MAX : USERS_MAX;

    return kind_of(request) != KIND_ranked ||
           (users_of(request->control, most) >= 0 && users_of(request->treatment, most) >= 0);
}

static bool users_are_enough(const void *object)
{
    const struct statistics_request *request = object;

    return kind_of(request) != KIND_ranked || (users_of(request->control, USERS_MAX) >= 2 &&
                                               users_of(request->treatment, USERS_MAX) >= 2);
}

static const struct schema_rule request_rules[] = {
    {"errors.schemas.statistics_binary", binary_fits},
    {"errors.schemas.statistics_continuous", continuous_fits},
    {"errors.schemas.statistics_count", count_fits},
    {"errors.schemas.statistics_ratio", ratio_fits},
    {"errors.schemas.statistics_ranked", ranked_fits},
    {"errors.schemas.statistics_too_many", users_are_few},
    {"errors.schemas.statistics_too_few", users_are_enough},
    {"errors.schemas.equivalence_requires_margin", margin_fits},
};

SCHEMA(statistics_request_schema, struct statistics_request, "StatisticsRequest", request_fields,
       .help = "Two arms as sums or as counts per value.", RULES(request_rules),
       .example = "{\"metric_type\":\"continuous\",\"control\":{\"n\":5,\"sum\":66,"
                  "\"sum_squares\":894},\"treatment\":{\"n\":5,\"sum\":106,\"sum_squares\":2270}}");
