/* Prometheus metrics: the sums over all workers of the host. */
#ifndef ASSAY_EXPERIMENTS_SYSTEM_METRICS_H
#define ASSAY_EXPERIMENTS_SYSTEM_METRICS_H

#include "http/service.h"

/* What is computed at the scrape, beside what http has counted. */
enum { EXPERIMENTS_SCRAPED = 6 };
extern const struct metric experiments_scraped[EXPERIMENTS_SCRAPED];

/* Text exposition format 0.0.4. Returns 200 also while the database is unavailable. */
enum error experiments_metrics_handle(struct request *request, struct reply *reply);

#endif
