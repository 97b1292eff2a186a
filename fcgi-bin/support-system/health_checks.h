/* Health checks of the service; each also sets its metric. */
#ifndef ASSAY_SUPPORT_SYSTEM_HEALTH_CHECKS_H
#define ASSAY_SUPPORT_SYSTEM_HEALTH_CHECKS_H

#include "db/db.h"
#include "http/request.h"
#include "support/documents/search_engine.h"
#include "support/documents/vector_status.h"
#include "support/models/breakers.h"
#include "telemetry/health_fault.h"

#include <stdbool.h>

struct part {
    bool works;
    double milliseconds; /* duration of the check */
};

struct health_checks {
    struct part store, index;    /* the database; the knowledge base */
    struct part blobs;           /* the object store, when there is one */
    enum health_code store_code; /* why the database does not work */
    const char *blobs_detail;    /* why it does not work */
    struct db_health health;     /* set when the database is available */
    int64_t chunks, sessions;    /* indexed; active */
    int64_t segments;            /* largest number of index segments of a tenant */
    struct vector_status vectors;
    struct search_engine_status engine; /* of SEARCH_URL */
};

void health_checks_run(struct request *request, struct health_checks *checks);

/* Providers that need a network: a list of struct provider_breaker. */
struct object_list health_checks_breakers(struct request *request);

#endif
