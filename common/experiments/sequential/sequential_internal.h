/* Private to common/experiments/sequential. */
#ifndef ASSAY_EXPERIMENTS_SEQUENTIAL_SEQUENTIAL_INTERNAL_H
#define ASSAY_EXPERIMENTS_SEQUENTIAL_SEQUENTIAL_INTERNAL_H

#include "experiments/sequential/sequential_monitor.h"

enum error sequential_unsolved(struct problem *problem);

#endif
