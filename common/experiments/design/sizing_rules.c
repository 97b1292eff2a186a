/* The rules of a design, one predicate each. */
#include "experiments/design/sizing_rules.h"

bool sizing_split_has_every_variant(const struct number_list *split, int64_t variants)
{
    return split->count == (size_t)variants;
}

bool sizing_split_is_positive(const struct number_list *split)
{
    for (size_t i = 0; i < split->count; i++)
        if (!(split->items[i] > 0))
            return false;
    return true;
}

bool sizing_binary_baseline_holds(struct sizing_metric metric)
{
    return metric.metric_type != METRIC_BINARY ||
           (metric.baseline_value > 0 && metric.baseline_value < 1);
}

bool sizing_baseline_holds(struct sizing_metric metric, enum metric_type type)
{
    return metric.metric_type != type || metric.baseline_value > 0;
}

bool sizing_std_dev_holds(struct sizing_metric metric, enum metric_type type)
{
    return metric.metric_type != type || (metric.std_dev.given && metric.std_dev.value > 0);
}

bool sizing_planned_test_holds(struct sizing_metric metric)
{
    static const bool fits[METRIC__MAX][PLAN__MAX] = {
        [METRIC_BINARY] = {[PLAN_Z_TEST] = true, [PLAN_FISHER_EXACT] = true},
        [METRIC_CONTINUOUS] =
            {[PLAN_Z_TEST] = true, [PLAN_MANN_WHITNEY] = true, [PLAN_TOST] = true},
        [METRIC_RATIO] = {[PLAN_Z_TEST] = true},
    };

    return metric.planned_test < 0 || fits[metric.metric_type][metric.planned_test];
}

bool sizing_tost_margin_holds(struct sizing_metric metric)
{
    return metric.planned_test != PLAN_TOST || metric.equivalence_margin_pct.given;
}

bool sizing_effect_holds(double mde_pct, int direction)
{
    return mde_pct > 0 || (mde_pct < 0 && direction == GOAL_DECREASE);
}

bool sizing_power_holds(double power, double alpha, int64_t variants)
{
    return power > (variants > 2 ? alpha / (double)(variants - 1) : alpha);
}

bool sizing_cluster_size_holds(struct optional_number avg_cluster_size)
{
    return !avg_cluster_size.given || avg_cluster_size.value >= 1;
}

bool sizing_icc_holds(struct optional_number icc)
{
    return !icc.given || (icc.value >= 0 && icc.value <= 1);
}

bool sizing_precision_holds(enum analysis_mode mode, struct optional_number desired_precision)
{
    return mode != ANALYSIS_BAYESIAN || desired_precision.given;
}
