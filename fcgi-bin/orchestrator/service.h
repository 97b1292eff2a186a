/* Shared by all responders of the orchestrator: life cycle, wire format, access control. No routes,
 * no rules of orchestration. */
#ifndef ASSAY_ORCHESTRATOR_SERVICE_H
#define ASSAY_ORCHESTRATOR_SERVICE_H

#include "db/store.h"
#include "http/server.h"
#include "net/shared_rate.h"
#include "orchestrator/health/readiness.h"
#include "orchestrator/keys/key_store.h"

extern const struct http_service orchestrator_service;

/* Roles: virtual keys call models and see what is theirs; people and the service's own key see
 * everything; administrators set up keys and budgets. */
enum { ORCHESTRATOR_NOBODY, ORCHESTRATOR_CALLER, ORCHESTRATOR_STAFF, ORCHESTRATOR_ADMIN };

/* What is known of the caller beyond request->who: its `detail`. */
struct service_caller {
    const struct virtual_key *key; /* NULL = not a virtual key */
    struct caller_key calls;       /* of a virtual key, as the next two */
    struct catalog catalog;        /* with the models that it may call */
    struct worker_context worker;
    const char *late_task; /* of a 504: the task that goes on; NULL */
};
struct service_caller *service_caller(struct request *request);

/* Whose tasks the caller may see: the id of its virtual key; NULL = all. */
const char *service_key_id(const struct request *request);

/* Traits of its routes. */
enum {
    TRAIT_PUBLIC = 1,    /* answered without a key */
    TRAIT_UNLIMITED = 2, /* not counted by the rate limit */
    TRAIT_PROMPT = 4     /* its body is a prompt: usage telemetry stores the digest */
};

enum { LIMIT_STANDARD, LIMIT_UPLOAD_BODY, LIMIT_UPLOAD_FILE, LIMIT_GATEWAY };
enum { UPLOAD_FILES_MAX = 10, UPLOAD_FILE_BYTES_MAX = 20 << 20, UPLOAD_BYTES_MAX = 50 << 20 };

/* Counters; gauges are read at each scrape. */
enum {
    METRIC_REQUESTS,
    METRIC_ADAPTER_ERRORS,
    METRIC_DURATION,
    METRIC_WITHOUT_CACHE,
    METRIC_MODEL_CALLS,
    METRIC_MODEL_ERRORS,
    METRIC_MODEL_TOKENS,
    METRIC_MODEL_COST,
    METRIC_MODEL_DURATION,
    METRIC_MODEL_FIRST_OUTPUT,
    METRIC_OLD_READS,
    METRICS_COUNTED
};

const struct orchestrator_settings *service_settings(const struct request *request);
const struct worker_context *service_worker(const struct request *request);
struct store *service_store(const struct request *request);
struct shared_rate *service_cache(const struct request *request); /* NULL = not set */

/* Loads the stored model list. If the browser is used, also called before requests, every few
 * seconds. */
void service_reload_model_list(struct request *request);

/* Checks all components of the service. */
void service_check_readiness(struct request *request, struct readiness *readiness);

/* The connected database. */
MUST_CHECK enum error service_database(struct request *request, struct db **db);

/* Turns an error of the store into a 503 with the name of the failed operation. Returns other
 * errors unchanged. */
enum error service_storage_error(struct request *request, enum error error, const char *operation);

#endif
