/* A grid of plans. Knows no formula: every cell is a design of its own. */
#include "experiments/design/sensitivity.h"

/* The traffic is any number of users a day: only its share counts. */
static struct sizing_request design_of(const struct sensitivity_plan *plan)
{
    return (struct sizing_request){.metric_type = plan->metric_type,
                                   .baseline_value = plan->baseline,
                                   .std_dev = GIVEN_NUMBER(plan->std_dev),
                                   .planned_test = -1,
                                   .alpha = plan->alpha,
                                   .expected_daily_traffic = 1,
                                   .audience_share_in_test = plan->users_per_day,
                                   .traffic_split = plan->traffic_split,
                                   .variants_count = plan->variants,
                                   .n_looks = 1};
}

static double relative_pct(const struct sensitivity_plan *plan, double mde)
{
    return plan->metric_type == METRIC_BINARY ? mde : 100 * (mde / plan->baseline);
}

static struct sensitivity_cell size_cell(const struct sizing_request *design, double mde)
{
    struct sensitivity_cell cell = {.mde = mde, .power = design->power};
    struct sizing_plan sized;
    struct problem problem = {0};

    if (sizing_plan_design(design, &sized, &problem)) {
        cell.reason = problem.reason;
        return cell;
    }
    cell.sample_size_per_variant = GIVEN_INTEGER(sized.sample_size_per_variant);
    cell.duration_days = GIVEN_NUMBER((double)sized.estimated_duration_days);
    return cell;
}

struct sensitivity_cell *sensitivity_grid(const struct sensitivity_plan *plan, struct arena *arena)
{
    struct sizing_request design = design_of(plan);
    size_t powers = plan->power_values.count;
    struct sensitivity_cell *cells =
        ARENA_ARRAY(arena, struct sensitivity_cell, plan->mde_values.count * powers);

    for (size_t i = 0; i < plan->mde_values.count; i++) {
        design.mde_pct = relative_pct(plan, plan->mde_values.items[i]);
        for (size_t j = 0; j < powers; j++) {
            design.power = plan->power_values.items[j];
            cells[i * powers + j] = size_cell(&design, plan->mde_values.items[i]);
        }
    }
    return cells;
}
