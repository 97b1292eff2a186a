/* Live data, family system: health, readiness, metrics, the API document, and the answer to every
 * path that no other family claims. Routes only. */
#include "http/documents.h"
#include "livedata-system/health.h"

static const struct route routes[] = {
    {.method = METHOD_GET,
     .path = "/v1/health",
     .traits = TRAIT_DATA,
     .reply = &health_schema,
     .errors = ERRORS(400),
     .handler = health_handle,
     .name = "health",
     .tag = "health",
     .summary = "How well the service is, by component",
     .for_models = "Why is the live data service degraded, not ready or broken? Gives its "
                   "state and that of each component; a fault has a code, what it means, and "
                   "the section of the operator's guide that says what to do."},
    {.method = METHOD_GET,
     .path = "/health",
     .reply = &health_schema,
     .errors = ERRORS(400),
     .handler = health_handle,
     .name = "health_short",
     .tag = "health",
     .summary = "The same"},
    {.method = METHOD_GET,
     .path = "/health/live",
     .reply = &live_schema,
     .errors = ERRORS(400),
     .handler = live_handle,
     .name = "live",
     .tag = "health",
     .summary = "Is the service there?"},
    {.method = METHOD_GET,
     .path = "/health/ready",
     .reply = &ready_schema,
     .errors = ERRORS(400, WITH_REPLY(503)),
     .handler = ready_handle,
     .name = "ready",
     .tag = "health",
     .summary = "Can it work?"},
    {.method = METHOD_GET,
     .path = "/metrics",
     .for_programs = true,
     .traits = TRAIT_METRICS,
     .media_type = METRICS_TYPE,
     .errors = ERRORS(400, 401, 403, 503),
     .handler = service_metrics_handle,
     .name = "metrics",
     .tag = "health",
     .summary = "Figures for scrapers",
     .help = "On the service's own port for everybody, below the portal for whoever may read."},
    {.method = METHOD_GET,
     .path = "/openapi.json",
     .any_query = true,
     .errors = ERRORS(400, 404),
     .handler = document_handle,
     .name = "openapi",
     .tag = "health",
     .summary = "This document"},
};

static const struct http_family family = {
    .service = &livedata_service, .name = "system", ROUTES(routes)};

int main(int argc, char **argv)
{
    return responder_main(argc, argv, &family);
}
