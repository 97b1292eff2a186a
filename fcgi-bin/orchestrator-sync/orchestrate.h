/* POST /api/v1/orchestrate. */
#ifndef ASSAY_ORCHESTRATOR_SYNC_ORCHESTRATE_H
#define ASSAY_ORCHESTRATOR_SYNC_ORCHESTRATE_H

#include "http/request.h"

enum error orchestrate_handle(struct request *request, struct reply *reply);

#endif
