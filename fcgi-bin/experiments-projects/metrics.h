/* Handlers and schemas of the routes of the metric catalog. */
#ifndef ASSAY_EXPERIMENTS_PROJECTS_METRICS_H
#define ASSAY_EXPERIMENTS_PROJECTS_METRICS_H

#include "experiments/catalog/metric_store.h"
#include "http/route.h"

extern const struct schema metrics_query_schema;
extern const struct schema metrics_reply_schema;
extern const struct schema metric_reply_schema;
extern const struct schema metric_deleted_schema;

enum error metrics_list(struct request *request, struct reply *reply);
enum error metrics_read(struct request *request, struct reply *reply);
enum error metrics_create(struct request *request, struct reply *reply);
enum error metrics_update(struct request *request, struct reply *reply);
enum error metrics_delete(struct request *request, struct reply *reply);

#endif
