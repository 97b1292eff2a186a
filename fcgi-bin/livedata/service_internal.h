/* Private to fcgi-bin/livedata: declarations shared by its files. */
#ifndef ASSAY_LIVEDATA_SERVICE_INTERNAL_H
#define ASSAY_LIVEDATA_SERVICE_INTERNAL_H

#include "kafka/publisher.h"
#include "livedata/access/sessions.h"
#include "livedata/freshness/clock.h"
#include "livedata/service.h"
#include "livedata/webhooks/outbound.h"
#include "net/redis.h"

/* State that lives as long as the worker; the last part lives as long as a request. */
struct service {
    struct livedata_settings settings;
    struct catalog catalog;
    struct tenants tenants;
    struct live_keys keys;
    struct store *store;
    struct replica *replica; /* NULL = there is none */
    struct live_cache cache;
    bool tables_made;    /* of domains, or compared */
    int64_t tables_due;  /* after a failure: when they are tried again, monotonic */
    int64_t tables_wait; /* microseconds, longer with each failure */
    struct redis *redis; /* NULL = not set */
    struct live_clock clock;
    struct session_log log;
    struct kafka_publisher publisher;
    const char *run_directory;

    struct {
        const struct api_version *version;
        const struct live_key *key;
        bool health_known;
        enum health_word health;
        int64_t begun_at; /* monotonic microseconds */
        struct live_note note;
        const struct series_values *series; /* to keep when the answer is sent; or NULL */
        struct optional_number unmet_age;   /* seconds, of an answer that was too old */
        const char *refused;                /* why authentication failed; NULL = no failure */
    } asking;
};

extern const struct wire_format livedata_wire_format;

/* access.c: of struct http_service */
bool service_authenticate(struct request *request, struct http_refusal *refusal);
bool service_is_open(const struct request *request);
const char *service_access(const struct route *route);
void service_refuse(const struct request *request, struct http_refusal *refusal);
size_t service_buckets(struct request *request, struct http_bucket buckets[HTTP_BUCKETS_MAX]);
/* publish.c: kafka_events_check_topics(), where intake publishes */
MUST_CHECK enum error service_check_topics(const struct service *service, struct arena *arena,
                                           struct problem *problem);
/* headers.c */
void service_finish(struct request *request, struct reply *reply);
/* The header X-Live-<name>, with our or a compatible prefix; NULL = not sent. */
const char *service_brand_header(const struct request *request, const char *name);

/* context.c: the time by the clock of the database itself, measured now and then */
int64_t service_clock(const struct request *request);
/* NULL for a request that a replica answers: what it lacks must not be kept. */
struct live_cache *service_reading_cache(const struct request *request);

static inline struct service *service_of(const struct request *request)
{
    return request->state;
}

#endif
