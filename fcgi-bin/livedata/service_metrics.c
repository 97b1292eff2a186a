/* The table of what is counted for scrapers. */
#include "livedata/service_metrics.h"

const struct metric service_metrics[SERVICE_METRIC__MAX] = {
    [SERVICE_METRIC_REQUESTS] = {"live_http_requests_total", METRIC_COUNTER,
                                 "Requests that were answered.",
                                 .labels = {"method", "route", "status"}},
    [SERVICE_METRIC_AUTH_FAILURES] = {"live_auth_failures_total", METRIC_COUNTER,
                                      "Requests of nobody that is known.", .labels = {"reason"}},
    [SERVICE_METRIC_DROPPED] = {"live_usage_rows_dropped_total", METRIC_COUNTER,
                                "Rows of use that could not be written."},
    [SERVICE_METRIC_HEALTH] = {"live_pipeline_health", METRIC_GAUGE,
                               "1 healthy, 0.5 degraded, 0 unhealthy.", .labels = {"component"}},
    [SERVICE_METRIC_LAG] = {"live_bridge_lag_records", METRIC_GAUGE,
                            "Records in Kafka that are not applied yet."},
    [SERVICE_METRIC_APPLIED] = {"live_bridge_events_applied_total", METRIC_COUNTER,
                                "Events that were applied."},
    [SERVICE_METRIC_DEAD_LETTERED] = {"live_bridge_events_deadletter_total", METRIC_COUNTER,
                                      "Events that could not be applied.", .labels = {"reason"}},
    [SERVICE_METRIC_DUPLICATES] = {"live_bridge_events_duplicate_total", METRIC_COUNTER,
                                   "Events that had been applied before."},
    [SERVICE_METRIC_BATCH_SIZE] = {"live_bridge_apply_batch_size", METRIC_HISTOGRAM,
                                   "Events in one request.",
                                   .buckets = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512}},
};
