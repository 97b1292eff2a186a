/* The orchestrator, family system: health, readiness, metrics, the API document, and the answer to
 * every path that no other family claims. Routes only. */
#include "http/documents.h"
#include "orchestrator-system/health.h"
#include "orchestrator-system/metrics.h"
#include "orchestrator/service.h"

static const struct route routes[] = {
    {.method = METHOD_GET,
     .path = "/health",
     .traits = TRAIT_PUBLIC | TRAIT_UNLIMITED,
     .reply = &health_schema,
     .handler = health_handle,
     .name = "health",
     .tag = "health",
     .summary = "How is the service?",
     .help = "Always 200; ORCH_HEALTH_EXPOSE_DETAILS=false leaves the status alone."},
    {.method = METHOD_GET,
     .path = "/healthz/live",
     .traits = TRAIT_PUBLIC | TRAIT_UNLIMITED,
     .reply = &live_schema,
     .handler = live_handle,
     .name = "live",
     .tag = "health",
     .summary = "Is the service there?"},
    {.method = METHOD_GET,
     .path = "/healthz/ready",
     .traits = TRAIT_PUBLIC | TRAIT_UNLIMITED,
     .reply = &live_schema,
     .errors = ERRORS(503),
     .handler = ready_handle,
     .name = "ready",
     .tag = "health",
     .summary = "Can it work?"},
    {.method = METHOD_GET,
     .path = "/api/v1/readiness",
     .role = ORCHESTRATOR_STAFF,
     .reply = &readiness_schema,
     .errors = ERRORS(429),
     .handler = readiness_handle,
     .name = "readiness",
     .tag = "health",
     .summary = "Every component, with its state and figures",
     .for_models = "Why is the orchestrator of models degraded, not ready or broken? Gives its "
                   "state and that of each component; a fault has a code, what it means, and "
                   "the section of the operator's guide that says what to do."},
    {.method = METHOD_GET,
     .path = "/api/v1/health/detailed",
     .role = ORCHESTRATOR_STAFF,
     .reply = &detailed_schema,
     .errors = ERRORS(429),
     .handler = detailed_handle,
     .name = "health_detailed",
     .tag = "health",
     .summary = "Which adapters have keys"},
    {.method = METHOD_GET,
     .path = "/metrics",
     .for_programs = true,
     .role = ORCHESTRATOR_STAFF,
     .media_type = METRICS_TYPE,
     .errors = ERRORS(429),
     .handler = exposition_handle,
     .name = "metrics",
     .tag = "health",
     .summary = "Figures for scrapers"},
    {.method = METHOD_GET,
     .path = "/api/metrics",
     .role = ORCHESTRATOR_STAFF,
     .media_type = METRICS_TYPE,
     .errors = ERRORS(429),
     .handler = exposition_handle,
     .name = "api_metrics",
     .tag = "health",
     .summary = "The same"},
    {.method = METHOD_GET,
     .path = "/openapi.json",
     .any_query = true,
     .traits = TRAIT_PUBLIC | TRAIT_UNLIMITED,
     .handler = openapi_handle,
     .name = "openapi",
     .tag = "health",
     .summary = "This document"},
};

static const struct http_family family = {.service = &orchestrator_service,
                                          .name = "system",
                                          ROUTES(routes),
                                          .scraped = orchestrator_scraped,
                                          .scraped_count = ORCHESTRATOR_SCRAPED};

int main(int argc, char **argv)
{
    return responder_main(argc, argv, &family);
}
