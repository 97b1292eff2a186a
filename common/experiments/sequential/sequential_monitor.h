/* What a sequential plan demands, and what observed looks say under it. */
#ifndef ASSAY_EXPERIMENTS_SEQUENTIAL_SEQUENTIAL_MONITOR_H
#define ASSAY_EXPERIMENTS_SEQUENTIAL_SEQUENTIAL_MONITOR_H

#include "base/error.h"
#include "experiments/sequential/sequential_schema.h"
#include "i18n/i18n.h"

struct sequential_call {
    const struct locale *locale;
    struct arena *arena;
    struct problem *problem;
};

/* The plan as the solver takes it. */
struct group_sequential_plan sequential_plan_of(const struct sequential_plan *plan);

/* ERROR_INVALID where no boundary spends what it should. */
MUST_CHECK enum error sequential_design_plan(const struct sequential_call *call,
                                             const struct sequential_plan *plan,
                                             struct sequential_design_reply *reply);
MUST_CHECK enum error sequential_monitor(const struct sequential_call *call,
                                         const struct sequential_monitor_request *request,
                                         struct sequential_monitor_reply *reply);

/* Units of admission. */
int64_t sequential_design_cost_units(const struct sequential_plan *plan);
int64_t sequential_monitor_cost_units(const struct sequential_monitor_request *request);

#endif
