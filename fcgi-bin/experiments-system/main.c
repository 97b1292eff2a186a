/* The experiments service, family system: health, readiness, diagnostics, the API document, and the
 * answer to every path that no other family claims. Routes only. */
#include "experiments-system/diagnostics.h"
#include "experiments-system/health.h"
#include "experiments-system/metrics.h"
#include "experiments/service.h"
#include "http/documents.h"

static const struct route routes[] = {
    {.method = METHOD_GET,
     .path = "/health",
     .reply = &health_reply_schema,
     .handler = health_handle,
     .name = "health",
     .tag = "system",
     .summary = "Is the service there?"},
    {.method = METHOD_GET,
     .path = "/readyz",
     .role = ROLE_READER,
     .reply = &readiness_reply_schema,
     .errors = ERRORS(WITH_REPLY(503)),
     .handler = readiness_handle,
     .name = "readiness",
     .tag = "system",
     .summary = "Can the service do its work?",
     .help = "503 with the same body when a check fails.",
     .for_models = "Why is the experiments service degraded, not ready or broken? Gives its "
                   "state and that of each component; a fault has a code, what it means, and "
                   "the section of the operator's guide that says what to do."},
    {.method = METHOD_GET,
     .path = "/api/v1/diagnostics",
     .role = ROLE_READER,
     .reply = &diagnostics_reply_schema,
     .handler = diagnostics_handle,
     .name = "diagnostics",
     .tag = "system",
     .summary = "Settings in force, counters, and who is asking",
     .help = "Paths and proxies are null for callers that may only read."},
    {.method = METHOD_GET,
     .path = "/metrics",
     .for_programs = true,
     .traits = TRAIT_METRICS,
     .errors = ERRORS(401, 403, 503),
     .media_type = METRICS_TYPE,
     .handler = experiments_metrics_handle,
     .name = "metrics",
     .tag = "system",
     .summary = "Metrics for a scraper",
     .help = "Text exposition format. On the service's own port open, as /health is: keep it from "
             "strangers in the web server. Below the portal for whoever may read."},
    {.method = METHOD_GET,
     .path = "/openapi.json",
     .any_query = true,
     .handler = openapi_handle,
     .name = "openapi",
     .tag = "system",
     .summary = "This document"},
};

static const struct http_family family = {.service = &experiments_service,
                                          .name = "system",
                                          ROUTES(routes),
                                          .scraped = experiments_scraped,
                                          .scraped_count = EXPERIMENTS_SCRAPED};

int main(int argc, char **argv)
{
    return responder_main(argc, argv, &family);
}
