/* From the sums of a view to those of a certificate. */
#include "experiments/certificates/certificate_sums.h"

#include <math.h>

#define OWNER struct certificate_arm
static const struct field arm_fields[] = {
    INTEGER(OWNER, variation_index),
    INTEGER(OWNER, users),
    INTEGER(OWNER, converted, .help = "Users with an event of the metric."),
    NULLABLE_NUMBER(OWNER, mean, .help = "Per user; of a ratio the numerator."),
    NULLABLE_NUMBER(OWNER, squares, .help = "Sum of squares about the mean."),
    NULLABLE_NUMBER(OWNER, denominator_mean),
    NULLABLE_NUMBER(OWNER, denominator_squares),
    NULLABLE_NUMBER(OWNER, products, .help = "Sum of products about both means."),
};
#undef OWNER
SCHEMA(certificate_arm_schema, struct certificate_arm, "CertificateArm", arm_fields);

#define OWNER struct certificate_sums
static const struct field sums_fields[] = {
    OBJECTS(OWNER, arms, certificate_arm_schema),
};
#undef OWNER
SCHEMA(certificate_sums_schema, struct certificate_sums, "CertificateSums", sums_fields);

static struct optional_number finite_number(double value)
{
    return (struct optional_number){isfinite(value), isfinite(value) ? value : 0};
}

static struct certificate_arm arm_of(const struct live_view *view, const char *metric,
                                     int64_t slice, int arm)
{
    struct live_moments moments =
        live_view_moments(view, live_view_metric(view, metric), slice, arm);
    struct certificate_arm result = {
        .variation_index = arm, .users = moments.n, .converted = moments.converted};

    if (moments.defined) {
        result.mean = finite_number(moments.mean);
        result.squares = finite_number(moments.squares);
    }
    return result;
}

/* As live_results_arm() has it. */
static void fill_ratio(const struct live_view *view, struct certificate_arm *arm)
{
    const struct live_products *products = view->rollup.products[LIVE_RATIO][arm->variation_index];
    const struct live_product(*at)[LIVE_FACTORS_MAX];
    double n = (double)arm->users;

    arm->mean = arm->squares = (struct optional_number){0};
    if (!products || arm->users == 0 || products->huge)
        return;
    at = products->at;
    arm->denominator_mean = finite_number(sum_value(&at[0][1].sum) / n);
    arm->mean = finite_number(sum_value(&at[0][2].sum) / n);
    arm->denominator_squares =
        finite_number(fmax(sum_about_means(&at[1][1].sum, &at[0][1].sum, &at[0][1].sum, n), 0));
    arm->squares =
        finite_number(fmax(sum_about_means(&at[2][2].sum, &at[0][2].sum, &at[0][2].sum, n), 0));
    arm->products = finite_number(sum_about_means(&at[1][2].sum, &at[0][1].sum, &at[0][2].sum, n));
}

struct object_list certificate_arms(const struct live_view *view, const char *metric, int64_t slice,
                                    struct arena *arena)
{
    size_t count = view->arm_count;
    struct certificate_arm *arms = ARENA_ARRAY(arena, struct certificate_arm, count);

    for (size_t i = 0; i < count; i++)
        arms[i] = arm_of(view, metric, slice, (int)i);
    return (struct object_list){count, arms};
}

struct object_list certificate_goal_arms(const struct live_view *view, struct arena *arena)
{
    const struct payload_metrics *design = view->design->metrics;
    struct object_list list =
        certificate_arms(view, design->primary_metric_name, LIVE_EVERYBODY, arena);
    struct certificate_arm *arms = list.items;

    for (size_t i = 0; design->metric_type == METRIC_RATIO && i < list.count; i++)
        fill_ratio(view, &arms[i]);
    return list;
}

const char *certificate_sums_text(const struct live_view *view, struct arena *arena)
{
    const struct certificate_sums sums = {.arms = certificate_goal_arms(view, arena)};

    return schema_json(arena, CERTIFICATE_SUMS_BYTES_MAX, &certificate_sums_schema, &sums);
}
