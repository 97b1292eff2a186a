/* Sensitivity grid: sample sizes for combinations of effect and power, planned by sizing.h. */
#ifndef ASSAY_EXPERIMENTS_DESIGN_SENSITIVITY_H
#define ASSAY_EXPERIMENTS_DESIGN_SENSITIVITY_H

#include "base/arena.h"
#include "experiments/design/sizing.h"

enum { SENSITIVITY_CELLS_MAX = 1000 };

struct sensitivity_plan {
    enum metric_type metric_type; /* any metric type except count */
    double baseline;              /* a rate in (0, 1), or a positive mean or ratio */
    double std_dev;               /* not used for binary */
    int64_t variants;
    double alpha;
    double users_per_day; /* users that enter the test */
    struct number_list traffic_split;
    struct number_list mde_values; /* percent of the baseline for binary, units otherwise */
    struct number_list power_values;
};

/* One cell of the grid. If there is no plan, size and duration are absent and `reason` is the one
 * of sizing_plan_design. */
struct sensitivity_cell {
    double mde;
    double power;
    struct optional_integer sample_size_per_variant;
    struct optional_number duration_days;
    const char *reason;
};

/* The cells, grouped by MDE and ordered by power within a group; one for each pair, from the
 * arena. */
struct sensitivity_cell *sensitivity_grid(const struct sensitivity_plan *plan, struct arena *arena);

#endif
