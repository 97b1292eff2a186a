/* POST /api/v1/sensitivity: sample sizes over lists of effects and powers. */
#include "experiments-analysis/sensitivity.h"
#include "experiments/design/sensitivity.h"
#include "experiments/design/sizing_rules.h"

#include <math.h>

struct sensitivity_request {
    int metric_type; /* enum metric_type */
    struct optional_number baseline_rate;
    struct optional_number baseline_mean;
    struct optional_number std_dev;
    int64_t variants;
    double alpha;
    double daily_traffic;
    double audience_share;
    struct number_list traffic_split;
    struct number_list mde_values;
    struct number_list power_values;
};

struct sensitivity_reply {
    OBJECT_LIST(struct sensitivity_cell, cells); /* struct sensitivity_cell */
    struct optional_number current_mde;
    struct optional_number current_power;
};

/* The defaults of absent lists. */
static double usual_mdes[] = {0.1, 0.5, 1.0, 2.0, 5.0};
static double usual_powers[] = {0.7, 0.8, 0.9, 0.95};

#define OWNER struct sensitivity_request
static const struct field request_fields[] = {
    CHOICE(OWNER, metric_type, metric_type_names, .choice_count = METRIC_RATIO + 1,
           .required = true),
    NULLABLE_NUMBER(OWNER, baseline_rate,
                    .help = "Percent, between 0 and 100; required for binary."),
    NULLABLE_NUMBER(OWNER, baseline_mean,
                    .help = "Mean or ratio today; required for continuous and ratio."),
    NULLABLE_NUMBER(OWNER, std_dev,
                    .help = "Standard deviation per user; required for continuous and ratio."),
    INTEGER(OWNER, variants, .lower = AT_LEAST(2), .upper = AT_MOST(10), .default_value = 2),
    NUMBER(OWNER, alpha, .lower = ABOVE(0), .upper = BELOW(1), .default_value = 0.05),
    NUMBER(OWNER, daily_traffic, .lower = ABOVE(0), .default_value = 1000),
    NUMBER(OWNER, audience_share, .lower = ABOVE(0), .upper = AT_MOST(1), .default_value = 1),
    NUMBERS(OWNER, traffic_split, .nullable = true,
            .help = "Weights of the variants; equal when absent."),
    NUMBERS(OWNER, mde_values, .min_length = 1,
            .help = "Effects: percent of the baseline for binary, units of the metric otherwise. "
                    "0.1, 0.5, 1, 2 and 5 when absent."),
    NUMBERS(OWNER, power_values, .min_length = 1, .help = "0.7, 0.8, 0.9 and 0.95 when absent."),
};
#undef OWNER

static bool is_within(struct optional_number number, double lower, double upper)
{
    return number.given && number.value > lower && number.value < upper;
}

static bool all_within(const struct number_list *list, double lower, double upper)
{
    for (size_t i = 0; i < list->count; i++)
        if (!(list->items[i] > lower && list->items[i] < upper))
            return false;
    return true;
}

static bool binary_has_rate(const void *object)
{
    const struct sensitivity_request *request = object;

    return request->metric_type != METRIC_BINARY || is_within(request->baseline_rate, 0, 100);
}

static bool is_positive_for(const struct sensitivity_request *request, enum metric_type type,
                            struct optional_number number)
{
    return request->metric_type != (int)type || is_within(number, 0, INFINITY);
}

static bool continuous_has_mean(const void *object)
{
    const struct sensitivity_request *request = object;

    return is_positive_for(request, METRIC_CONTINUOUS, request->baseline_mean);
}

static bool continuous_has_std_dev(const void *object)
{
    const struct sensitivity_request *request = object;

    return is_positive_for(request, METRIC_CONTINUOUS, request->std_dev);
}

static bool ratio_has_mean(const void *object)
{
    const struct sensitivity_request *request = object;

    return is_positive_for(request, METRIC_RATIO, request->baseline_mean);
}

static bool ratio_has_std_dev(const void *object)
{
    const struct sensitivity_request *request = object;

    return is_positive_for(request, METRIC_RATIO, request->std_dev);
}

static bool mdes_are_positive(const void *object)
{
    return all_within(&((const struct sensitivity_request *)object)->mde_values, 0, INFINITY);
}

static bool powers_are_probabilities(const void *object)
{
    return all_within(&((const struct sensitivity_request *)object)->power_values, 0, 1);
}

static bool split_fits_variants(const void *object)
{
    const struct sensitivity_request *request = object;

    return !request->traffic_split.items ||
           (sizing_split_has_every_variant(&request->traffic_split, request->variants) &&
            sizing_split_is_positive(&request->traffic_split));
}

static struct number_list or_usual(struct number_list list, double *usual, size_t count)
{
    return list.count ? list : (struct number_list){count, usual};
}

static struct number_list mdes_of(const struct sensitivity_request *request)
{
    return or_usual(request->mde_values, usual_mdes, COUNT_OF(usual_mdes));
}

static struct number_list powers_of(const struct sensitivity_request *request)
{
    return or_usual(request->power_values, usual_powers, COUNT_OF(usual_powers));
}

static bool grid_is_small(const void *object)
{
    return mdes_of(object).count * powers_of(object).count <= SENSITIVITY_CELLS_MAX;
}

static const struct schema_rule request_rules[] = {
    {"errors.schemas.baseline_rate_range", binary_has_rate},
    {"errors.schemas.baseline_mean_positive", continuous_has_mean},
    {"errors.schemas.continuous_std_positive", continuous_has_std_dev},
    {"errors.schemas.ratio_baseline_mean_positive", ratio_has_mean},
    {"errors.schemas.ratio_std_positive", ratio_has_std_dev},
    {"errors.schemas.mde_values_positive", mdes_are_positive},
    {"errors.schemas.power_values_range", powers_are_probabilities},
    {"errors.schemas.traffic_split_variants", split_fits_variants},
    {"errors.schemas.sensitivity_grid_size", grid_is_small},
};

SCHEMA(sensitivity_request_schema, struct sensitivity_request, "SensitivityRequest", request_fields,
       .help = "A design whose effect and power are still open.", RULES(request_rules),
       .example = "{\"metric_type\":\"binary\",\"baseline_rate\":3.5,\"daily_traffic\":10000,"
                  "\"mde_values\":[0.5,1,5],\"power_values\":[0.8,0.9]}");

#define OWNER struct sensitivity_cell
static const struct field cell_fields[] = {
    NUMBER(OWNER, mde),
    NUMBER(OWNER, power),
    NULLABLE_INTEGER(OWNER, sample_size_per_variant,
                     .help = "Null where no test of this effect exists."),
    NULLABLE_NUMBER(OWNER, duration_days),
    STRING(OWNER, reason, .nullable = true, .help = "Why there is no size, as a stable word."),
};
#undef OWNER
static SCHEMA(cell_schema, struct sensitivity_cell, "SensitivityCell", cell_fields);

#define OWNER struct sensitivity_reply
static const struct field reply_fields[] = {
    OBJECTS(OWNER, cells, cell_schema, .help = "Effect by effect, within each power by power."),
    NULLABLE_NUMBER(OWNER, current_mde, .help = "Always null: the request names no design."),
    NULLABLE_NUMBER(OWNER, current_power, .help = "Always null."),
};
#undef OWNER
SCHEMA(sensitivity_reply_schema, struct sensitivity_reply, "SensitivityReply", reply_fields,
       .help = "The users that each effect and power need.");

static struct number_list equal_split(int64_t variants, struct arena *arena)
{
    struct number_list split = {(size_t)variants, ARENA_ARRAY(arena, double, (size_t)variants)};

    for (size_t i = 0; i < split.count; i++)
        split.items[i] = 1;
    return split;
}

enum error sensitivity_handle(struct request *request, struct reply *reply)
{
    const struct sensitivity_request *asked = request->body;
    struct sensitivity_reply *answer = ARENA_NEW(request->arena, struct sensitivity_reply);
    struct sensitivity_plan plan = {
        .metric_type = (enum metric_type)asked->metric_type,
        .baseline = asked->metric_type == METRIC_BINARY ? asked->baseline_rate.value / 100
                                                        : asked->baseline_mean.value,
        .std_dev = asked->std_dev.value,
        .variants = asked->variants,
        .alpha = asked->alpha,
        .users_per_day = asked->daily_traffic * asked->audience_share,
        .traffic_split = asked->traffic_split.items ? asked->traffic_split
                                                    : equal_split(asked->variants, request->arena),
        .mde_values = mdes_of(asked),
        .power_values = powers_of(asked)};

    answer->cells = (struct object_list){plan.mde_values.count * plan.power_values.count,
                                         sensitivity_grid(&plan, request->arena)};
    reply->object = answer;
    return ERROR_NONE;
}
