/* The table of metrics. The service's functions count where things happen. */
#include "accounts/service_metrics.h"

const struct metric service_metrics[SERVICE_METRIC__MAX] = {
    HTTP_METRICS("accounts_"),
    [SERVICE_METRIC_SIGN_INS] = {"accounts_sign_ins_total", METRIC_COUNTER,
                                 "Sessions that began, by the way of signing in.",
                                 .labels = {"source"}},
    [SERVICE_METRIC_REFUSED] = {"accounts_sign_ins_refused_total", METRIC_COUNTER,
                                "Sign-ins by password that were refused: password, or locked after "
                                "too many failures.",
                                .labels = {"reason"}},
    [SERVICE_METRIC_PEOPLE] = {"accounts_people", METRIC_GAUGE, "People who have an account."},
    [SERVICE_METRIC_DATABASE_UP] = {"accounts_database_up", METRIC_GAUGE,
                                    "Whether the database of accounts answers."},
};
