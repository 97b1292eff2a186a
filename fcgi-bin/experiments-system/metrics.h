/* Metrics for a scraper: the sums of all workers of the host. */
#ifndef ASSAY_EXPERIMENTS_SYSTEM_METRICS_H
#define ASSAY_EXPERIMENTS_SYSTEM_METRICS_H

#include "http/service.h"

/* Text exposition format 0.0.4. Answers 200 also while the database is away. */
enum error experiments_metrics_handle(struct request *request, struct reply *reply);

#endif
