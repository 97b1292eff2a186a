/* Two ratios of totals by the delta method. */
#include "experiments/analyses/analyzer_internal.h"

const struct analyzer ratio_analyzer = {
    .name = "ratio",
    .conventions = {.direction = "treatment_minus_control",
                    .effect_unit = "metric_unit",
                    .test = "delta_method_z",
                    .standard_error = "unpooled",
                    .p_value = "two_sided_normal",
                    .interval = "delta_method_z"},
    .decimals = RATE_DECIMALS,
};
