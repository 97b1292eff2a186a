/* Private to fcgi-bin/support-improvement: routes of the curated data. */
#ifndef ASSAY_SUPPORT_IMPROVEMENT_CURATED_H
#define ASSAY_SUPPORT_IMPROVEMENT_CURATED_H

#include "http/request.h"

extern const struct schema curated_stats_schema, curated_cases_schema, curated_cases_query_schema,
    rebuild_query_schema, rebuild_schema, rebuild_job_schema, curated_stale_schema;

enum error curated_stats_handle(struct request *request, struct reply *reply);
enum error curated_cases_handle(struct request *request, struct reply *reply);
enum error rebuild_handle(struct request *request, struct reply *reply);
enum error rebuild_job_handle(struct request *request, struct reply *reply);
enum error curated_stale_handle(struct request *request, struct reply *reply);

#endif
