/* GET /api/v1/diagnostics: the settings and counters of the running service. */
#ifndef ASSAY_EXPERIMENTS_SYSTEM_DIAGNOSTICS_H
#define ASSAY_EXPERIMENTS_SYSTEM_DIAGNOSTICS_H

#include "experiments-system/diagnostics_schema.h"
#include "http/route.h"

enum error diagnostics_handle(struct request *request, struct reply *reply);

#endif
