/* The support service, family system: health, the API document, and the answer to every path that
 * no other family claims. Routes only. */
#include "http/documents.h"
#include "support-system/health.h"
#include "support-system/metrics.h"
#include "support/service.h"

static const struct route routes[] = {
    {.method = METHOD_GET,
     .path = "/api/health/live",
     .reply = &live_schema,
     .handler = live_handle,
     .name = "health_live",
     .tag = "health",
     .summary = "Is the service there?"},
    {.method = METHOD_GET,
     .path = "/api/health",
     .reply = &health_schema,
     .errors = ERRORS(WITH_REPLY(503)),
     .handler = health_handle,
     .name = "health",
     .tag = "health",
     .summary = "Can the service do its work?",
     .help = "503 with the same body when it cannot.",
     .for_models = "Why is the support service degraded, not ready or broken? Gives its state "
                   "and that of each component; a fault has a code, what it means, and the "
                   "section of the operator's guide that says what to do."},
    {.method = METHOD_GET,
     .path = "/api/health/ready",
     .reply = &health_schema,
     .errors = ERRORS(WITH_REPLY(503)),
     .handler = health_handle,
     .name = "health_ready",
     .tag = "health",
     .summary = "The same, for balancers"},
    {.method = METHOD_GET,
     .path = "/metrics",
     .for_programs = true,
     .traits = TRAIT_METRICS,
     .media_type = METRICS_TYPE,
     .errors = ERRORS(401, 403),
     .handler = support_metrics_handle,
     .name = "scrape",
     .tag = "health",
     .summary = "Figures for scrapers",
     .help = "Of all workers together. For administrators only where the settings say so."},
    {.method = METHOD_GET,
     .path = "/openapi.json",
     .any_query = true,
     .handler = openapi_handle,
     .name = "openapi",
     .tag = "health",
     .summary = "This document"},
};

static const struct http_family family = {
    .service = &support_service, .name = "system", ROUTES(routes)};

int main(int argc, char **argv)
{
    return responder_main(argc, argv, &family);
}
