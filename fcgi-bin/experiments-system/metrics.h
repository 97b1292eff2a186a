/* Prometheus metrics: the sums over all workers of the host. */
#ifndef ASSAY_EXPERIMENTS_SYSTEM_METRICS_H
#define ASSAY_EXPERIMENTS_SYSTEM_METRICS_H

#include "http/service.h"

/* Text exposition format 0.0.4. Returns 200 also while the database is unavailable. */
enum error experiments_metrics_handle(struct request *request, struct reply *reply);

#endif
