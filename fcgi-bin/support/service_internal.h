/* Private to fcgi-bin/support: declarations shared by its files. */
#ifndef ASSAY_SUPPORT_SERVICE_INTERNAL_H
#define ASSAY_SUPPORT_SERVICE_INTERNAL_H

#include "support/service.h"

extern const struct wire_format support_wire_format;
extern const char support_production_headers[];

/* access.c: of struct http_service */
bool service_authenticate(struct request *request, struct http_refusal *refusal);
bool service_is_open(const struct request *request);
const char *service_access(const struct route *route);
void service_refuse(const struct request *request, struct http_refusal *refusal);
size_t service_buckets(struct request *request, struct http_bucket buckets[HTTP_BUCKETS_MAX]);

/* count.c: counts an answer in the metrics. */
void service_count(struct request *request, int status, double seconds);

#endif
