/* What an alert would have done in the last week: its condition at the end of each window. */
#ifndef ASSAY_LIVEDATA_ALERTS_BACKTEST_H
#define ASSAY_LIVEDATA_ALERTS_BACKTEST_H

#include "livedata/alerts/alert.h"
#include "livedata/catalog/catalog.h"
#include "livedata/storage_call.h"

struct alert_check {
    int64_t at; /* end of the window */
    struct optional_number value;
    bool triggered;
};

/* One check per window, from the first one with data; a short window has fewer days. */
struct alert_backtest {
    int64_t from, to;
    int64_t checks;
    int64_t fired; /* how often the condition began to hold */
    OBJECT_LIST(struct alert_check, points);
};
SCHEMA_OF(alert_backtest_schema, struct alert_backtest);

/* NULL for a metric that has only its SQL, and without data. Rows count in their state of today. */
MUST_CHECK enum error alert_backtest(const struct storage_call *call,
                                     const struct livedata_settings *settings,
                                     const struct live_metric *metric,
                                     const struct alert_rule *rule,
                                     const struct alert_backtest **backtest);

#endif
