/* Private to fcgi-bin/experiments: declarations shared by its files. */
#ifndef ASSAY_EXPERIMENTS_SERVICE_INTERNAL_H
#define ASSAY_EXPERIMENTS_SERVICE_INTERNAL_H

#include "experiments/service.h"
#include "kafka/publisher.h"

/* State that lives as long as the worker. */
struct service {
    struct experiments_settings settings;
    struct store *store;
    struct replica *replica; /* NULL = there is none */
    struct key_census census;
    int64_t census_until; /* monotonic microseconds */
    struct kafka_publisher publisher;
};

struct rate_rule service_rule(int64_t max, int64_t window_seconds);

extern const struct wire_format experiments_wire_format;

/* access.c: of struct http_service */
bool service_authenticate(struct request *request, struct http_refusal *refusal);
bool service_is_open(const struct request *request);
const char *service_access(const struct route *route);
void service_refuse(const struct request *request, struct http_refusal *refusal);
size_t service_buckets(struct request *request, struct http_bucket buckets[HTTP_BUCKETS_MAX]);
bool service_admits_origin(struct request *request, const char *origin);

#endif
