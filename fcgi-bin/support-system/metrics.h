/* Prometheus metrics of the service: GET /metrics. */
#ifndef ASSAY_SUPPORT_SYSTEM_METRICS_H
#define ASSAY_SUPPORT_SYSTEM_METRICS_H

#include "http/request.h"

enum error support_metrics_handle(struct request *request, struct reply *reply);

#endif
