/* Private to fcgi-bin/support-improvement: routes of traffic splits. */
#ifndef ASSAY_SUPPORT_IMPROVEMENT_SPLITS_H
#define ASSAY_SUPPORT_IMPROVEMENT_SPLITS_H

#include "http/request.h"

extern const struct schema splits_schema;

enum error experiment_splits_handle(struct request *request, struct reply *reply);

#endif
