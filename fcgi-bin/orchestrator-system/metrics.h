/* Prometheus metrics of the service: GET /metrics. */
#ifndef ASSAY_ORCHESTRATOR_SYSTEM_METRICS_H
#define ASSAY_ORCHESTRATOR_SYSTEM_METRICS_H

#include "http/request.h"

enum error exposition_handle(struct request *request, struct reply *reply);

#endif
