/* Prometheus metrics of the service: GET /metrics. */
#ifndef ASSAY_ORCHESTRATOR_SYSTEM_METRICS_H
#define ASSAY_ORCHESTRATOR_SYSTEM_METRICS_H

#include "http/request.h"
#include "shm/metrics.h"

/* What is computed at the scrape, beside what the service counts. */
enum { ORCHESTRATOR_SCRAPED = 14 };
extern const struct metric orchestrator_scraped[ORCHESTRATOR_SCRAPED];

enum error exposition_handle(struct request *request, struct reply *reply);

#endif
