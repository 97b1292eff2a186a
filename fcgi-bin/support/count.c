/* Metrics of requests. */
#include "support/metrics.h"
#include "support/service_internal.h"

/* Unknown paths share one label; variable parts of the others are in braces. */
static const char *endpoint_of(const struct request *request)
{
    return request->route ? request->route->path : "unknown";
}

void service_count(struct request *request, int status, double seconds)
{
    struct metrics *metrics = request->server->metrics;
    const struct route *route = request->route;
    const char *endpoint = endpoint_of(request), *method = method_names[request->method];
    const char *reason = route && route->form ? "upload_too_large" : "content_length_too_large";

    metric_add(metrics, METRIC_HTTP_REQUESTS,
               (const char *const[]){endpoint, method, arena_print(request->arena, "%d", status)},
               1);
    metric_observe(metrics, METRIC_HTTP_SECONDS, (const char *const[]){endpoint, method}, seconds);
    if (status == 429)
        metric_add(metrics, METRIC_RATE_REJECTIONS, &endpoint, 1);
    if (status == 413)
        metric_add(metrics, METRIC_BODY_REJECTIONS, &reason, 1);
}
