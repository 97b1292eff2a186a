/* The components of the service in readiness, each with a schema for its details. */
#ifndef ASSAY_ORCHESTRATOR_HEALTH_COMPONENT_H
#define ASSAY_ORCHESTRATOR_HEALTH_COMPONENT_H

#include "orchestrator/browser/health.h"
#include "orchestrator/dispatch/browser_state.h"
#include "orchestrator/storage/store_health.h"
#include "telemetry/health_fault.h"

enum component_state {
    STATE_OK,
    STATE_DEGRADED,
    STATE_FAILED,
    STATE_UNKNOWN,
    STATE_AUTH_REQUIRED,
    COMPONENT_STATE__MAX
};
extern const char *const component_state_names[COMPONENT_STATE__MAX + 1];

struct component {
    const char *name;
    const char *kind;
    int status; /* enum component_state */
    bool required;
    struct schema_variant details;
    const struct health_fault *fault; /* NULL = none */
};
SCHEMA_OF(component_schema, struct component);

/* Details of `execution-router`. Absent limits are unlimited. */
struct budget_details {
    struct optional_integer per_task_limit, per_hour_limit;
    const char *active_task_counts; /* a JSON object: submits by task */
    int64_t hourly_submits;
};
struct spend_details {
    const char *day;                      /* "2026-07-30" */
    struct optional_number usd, held_usd; /* absent: the store does not answer */
    struct optional_number limit;
};
struct router_details {
    int64_t active_model_executions;
    const char *active_by_model, *waiting_by_model, *model_limits; /* JSON objects by model */
    struct string_list saturated_models;
    const struct budget_details *budget;
    const struct spend_details *spend;
};
SCHEMA_OF(router_details_schema, struct router_details);

/* Details of `cache`. */
struct cache_details {
    int status;
    const char *backend, *limits_held_by;
    int64_t requests_without_cache;
};
SCHEMA_OF(cache_details_schema, struct cache_details);

/* Details of `limits`. */
struct limits_details {
    int status;
    int64_t hosts, decided_alone;
    const char *message;
};
SCHEMA_OF(limits_details_schema, struct limits_details);

/* Details of `dry_run`. */
struct simulator_details {
    const char *status, *adapter_name;
    bool simulated;
};
SCHEMA_OF(simulator_details_schema, struct simulator_details);

/* Details of the API adapters. */
struct api_details {
    int status;
    const char *adapter_name, *provider;
    bool configured;
};
SCHEMA_OF(api_details_schema, struct api_details);

/* State of the browser automation when its process was not called, or does not answer. */
struct idle_automation {
    const char *status;
    bool implemented;
    const char *driver;
    struct optional_boolean logged_in; /* of the driver `scripted` */
    bool launched;
    const char *reason; /* reason why the browser cannot be used; NULL = it can */
};
SCHEMA_OF(idle_automation_schema, struct idle_automation);

/* Details of `browser.web_provider`. */
struct browser_details {
    int status;
    const struct breaker_shape *circuit_breaker;
    const char *adapter_name, *provider;
    bool configured;
    int driver; /* enum browser_driver */
    const char *error;
    const struct browser_session *session;
    struct schema_variant automation; /* browser_automation_schema or idle_automation_schema */
};
SCHEMA_OF(browser_details_schema, struct browser_details);

#endif
