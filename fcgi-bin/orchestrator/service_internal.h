/* Private to fcgi-bin/orchestrator: declarations shared by its files. */
#ifndef ASSAY_ORCHESTRATOR_SERVICE_INTERNAL_H
#define ASSAY_ORCHESTRATOR_SERVICE_INTERNAL_H

#include "orchestrator/service.h"

extern const struct wire_format orchestrator_wire_format;

/* access.c: of struct http_service */
bool service_authenticate(struct request *request, struct http_refusal *refusal);
bool service_is_open(const struct request *request);
const char *service_access(const struct route *route);
void service_refuse(const struct request *request, struct http_refusal *refusal);
void service_touch_key(struct request *request); /* after a request of a virtual key */
size_t service_buckets(struct request *request, struct http_bucket buckets[HTTP_BUCKETS_MAX]);
bool service_charge(struct request *request, const struct http_bucket *bucket,
                    struct rate_decision *decision);

#endif
