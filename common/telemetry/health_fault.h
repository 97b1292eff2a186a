/*
 * What can be wrong with a service: a stable code, a sentence, and the section of
 * docs/operate/health.md that says what to do. Readiness of every service gives them with the
 * component that has the fault. A code never changes its meaning.
 */
#ifndef ASSAY_TELEMETRY_HEALTH_FAULT_H
#define ASSAY_TELEMETRY_HEALTH_FAULT_H

#include "base/schema.h"

enum health_code {
    HEALTH_GOOD, /* no fault */
    HEALTH_DATABASE_UNREACHABLE,
    HEALTH_DATABASE_NOT_WRITABLE,
    HEALTH_SCHEMA_DIFFERS,
    HEALTH_JOURNAL_MODE_DIFFERS,
    HEALTH_LIMITS_SERVER_UNREACHABLE,
    HEALTH_SHARED_MEMORY_DAMAGED,
    HEALTH_PAGES_MISSING,
    HEALTH_KAFKA_WITHOUT_TOPICS,
    HEALTH_KAFKA_SILENT,
    HEALTH_CLOCK_SET_BACK,
    HEALTH_NO_EVENTS,
    HEALTH_EVENTS_LATE,
    HEALTH_EVENTS_REJECTED,
    HEALTH_COLUMNAR_BEHIND,
    HEALTH_INDEX_UNREADABLE,
    HEALTH_OBJECT_STORE_UNREACHABLE,
    HEALTH_EMBEDDER_UNREACHABLE,
    HEALTH_EMBEDDER_WITHOUT_MODEL,
    HEALTH_SEARCH_ENGINE_UNREACHABLE,
    HEALTH_PROVIDER_SUSPENDED,
    HEALTH_API_KEY_MISSING,
    HEALTH_CACHE_UNREACHABLE,
    HEALTH_BROWSER_NOT_CONFIGURED,
    HEALTH_BROWSER_UNREACHABLE,
    HEALTH_BROWSER_SIGNED_OUT,
    HEALTH_BROWSER_FAILING,
    HEALTH_CODE__MAX
};

struct health_fault {
    const char *code;    /* "database_unreachable" */
    const char *meaning; /* one sentence */
    const char *guide;   /* "docs/operate/health.md#database_unreachable" */
};
SCHEMA_OF(health_fault_schema, struct health_fault);

/* Of a constant table; NULL of HEALTH_GOOD. */
const struct health_fault *health_fault(enum health_code code);

#endif
