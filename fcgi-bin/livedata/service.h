/* Shared by all responders of live data: life cycle, wire format, access control, and the context
 * of a read. No routes, no formulas. */
#ifndef ASSAY_LIVEDATA_SERVICE_H
#define ASSAY_LIVEDATA_SERVICE_H

#include "http/server.h"
#include "livedata/access/keys.h"
#include "livedata/entities/rows.h"
#include "livedata/ingest/apply.h"
#include "livedata/metrics/series.h"
#include "livedata/reads/answers.h"
#include "livedata/store.h"

extern const struct http_service livedata_service;

enum live_role { LIVE_NOBODY, LIVE_CALLER, LIVE_ADMIN, LIVE_NODE };

/* Traits of its routes. */
enum {
    TRAIT_DATA = 1,     /* answers carry health and freshness in headers */
    TRAIT_DEMO = 2,     /* a POST that changes nothing: allowed in the demo */
    TRAIT_WHOLE = 4,    /* changes data: not allowed for keys restricted to some types */
    TRAIT_SIGNED = 8,   /* requires a key even where authentication is disabled */
    TRAIT_METRICS = 16, /* for everybody on the port, for readers below the portal */
    TRAIT_RELAYED = 32  /* sends requests on, which are checked where they arrive */
};

const struct livedata_settings *service_settings(const struct request *request);
/* What the tenant of the request sees of the catalog; and what another one sees. */
const struct catalog *service_catalog(const struct request *request);
const struct catalog *service_catalog_of(const struct request *request, const char *tenant);
struct store *service_store(const struct request *request);
struct live_cache *service_cache(const struct request *request);
/* The time zone of the tenant's calendar, for questions. */
const char *service_time_zone(const struct request *request);
/* The key of the request, or NULL. */
const struct live_key *service_key(const struct request *request);
/* Number of keys in settings and files. */
size_t service_fixed_keys(const struct request *request);

/* The connected database; errors go into the request's problem. */
MUST_CHECK enum error service_database(struct request *request, struct db **db);

/* The context of a read. ERROR_UNAVAILABLE tenant_required for an anonymous caller when rows belong
 * to several tenants. */
MUST_CHECK enum error service_reading(struct request *request, struct reading *reading);
struct storage_call service_storage(struct request *request, struct db *db);
struct keys_call service_keys_call(struct request *request, struct db *db);

/* Parses what the caller demands of freshness and makes the reading meet it, waiting as long as was
 * allowed; then the reading says how fresh its answers are. `where` of faults: "query" or "body".
 * 412 with the true age where a bound cannot be met. */
MUST_CHECK enum error service_demand(struct request *request, struct reply *reply,
                                     const char *where, const struct bound_texts *texts,
                                     const struct string_list *tables, struct reading *reading);

/* The context of applying events; for another tenant than the caller's, call the second function
 * after the first. */
MUST_CHECK enum error service_applying(struct request *request, struct apply_call *call);
/* Whether the caller may write events: ERROR_FORBIDDEN ingest_forbidden. */
MUST_CHECK enum error service_may_ingest(struct request *request);
/* Publishes the caller's events to Kafka, all or with an error that says nothing of each. */
MUST_CHECK enum error service_publish(struct request *request, json_t *const *events, size_t count,
                                      struct object_list *published);
void service_apply_as(const struct request *request, const char *tenant, struct apply_call *call);
/* Notifies streams of new events. */
void service_ring(const struct request *request);

/* A time in the query string, 0 when absent; a 422 when it is invalid. */
MUST_CHECK enum error service_timestamp(struct request *request, const char *field,
                                        const char *text, int64_t *timestamp);

/* The health status word of the tenant, computed once per request. */
enum health_word service_health(struct request *request, const struct reading *reading);

/* The time by the database's clock, as it was measured last. */
int64_t service_now(const struct request *request);

/* The position as text, also in a header of the answer; NULL when there is none yet. */
const char *service_position(const struct request *request, struct reply *reply,
                             struct live_position position);

/* Begins the answer's JSON. */
struct json_writer service_writer(struct reply *reply);
/* The header that says whether the answer came from the cache. */
void service_cache_header(struct reply *reply, enum cache_word word);

/* Sets the members of the request log. Texts live as long as the request. */
struct live_note {
    const char *entity_type, *entity_id, *metric, *engine, *query;
    enum cache_word cache;
};
struct live_note *service_note(const struct request *request);

/* What series_compute() has computed is kept when the answer is sent. */
void service_keep_series(const struct request *request, const struct series_values *values);

/* Replaces an engine's error message by a reference to the log. */
enum error service_backend_error(struct request *request, enum error error);

#endif
