/* Posteriors of a running experiment over HTTP. */
#ifndef ASSAY_EXPERIMENTS_REPORTS_POSTERIORS_H
#define ASSAY_EXPERIMENTS_REPORTS_POSTERIORS_H

#include "experiments/live_results/posteriors.h"
#include "http/route.h"

SCHEMA_OF(posteriors_query_schema, struct posteriors_asked);

enum error posteriors_handle(struct request *request, struct reply *reply);

#endif
