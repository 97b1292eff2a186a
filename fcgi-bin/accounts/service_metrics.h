/* Prometheus metrics of accounts. */
#ifndef ASSAY_ACCOUNTS_SERVICE_METRICS_H
#define ASSAY_ACCOUNTS_SERVICE_METRICS_H

#include "http/server.h"
#include "shm/metrics.h"

enum service_metric {
    SERVICE_METRIC_SIGN_INS = HTTP_METRIC__MAX, /* by source */
    SERVICE_METRIC_REFUSED,                     /* by reason */
    SERVICE_METRIC_PEOPLE,
    SERVICE_METRIC_DATABASE_UP,
    SERVICE_METRIC__MAX
};
extern const struct metric service_metrics[SERVICE_METRIC__MAX];

#endif
