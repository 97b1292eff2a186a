/* Private to common/experiments/sequential. */
#ifndef ASSAY_EXPERIMENTS_SEQUENTIAL_SEQUENTIAL_INTERNAL_H
#define ASSAY_EXPERIMENTS_SEQUENTIAL_SEQUENTIAL_INTERNAL_H

#include "experiments/sequential/sequential_monitor.h"

struct group_sequential_plan sequential_plan_of(const struct sequential_plan *plan);

enum error sequential_unsolved(struct problem *problem);

#endif
