/* Handlers of the system family: probes, metrics, the API document. */
#ifndef ASSAY_LIVEDATA_SYSTEM_HEALTH_H
#define ASSAY_LIVEDATA_SYSTEM_HEALTH_H

#include "livedata/reads/health.h"
#include "livedata/service.h"

extern const struct schema live_schema, ready_schema;

enum error health_handle(struct request *request, struct reply *reply);
enum error live_handle(struct request *request, struct reply *reply);
enum error ready_handle(struct request *request, struct reply *reply);
enum error service_metrics_handle(struct request *request, struct reply *reply);
enum error document_handle(struct request *request, struct reply *reply);

#endif
