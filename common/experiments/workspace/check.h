/* Private to common/experiments/workspace: the checks of a parsed bundle, in their order. */
#ifndef ASSAY_EXPERIMENTS_WORKSPACE_CHECK_H
#define ASSAY_EXPERIMENTS_WORKSPACE_CHECK_H

#include "experiments/workspace/bundle.h"

/* ERROR_INVALID with the reason of the first check that fails. */
MUST_CHECK enum error bundle_check(struct bundle_call *call, struct bundle *bundle);

#endif
