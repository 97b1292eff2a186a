/* Private to common/livedata/metrics: measures over copies of large tables in ClickHouse. */
#ifndef ASSAY_LIVEDATA_METRICS_MEASURE_COLUMNAR_H
#define ASSAY_LIVEDATA_METRICS_MEASURE_COLUMNAR_H

#include "db/sandbox.h"
#include "livedata/metrics/measure_compute.h"

/* The statement over the copy; NULL when it would be too long. */
const char *measure_clickhouse_sql(const struct storage_call *call,
                                   const struct measure_request *request, const char *table);

/* Whether ClickHouse is to answer the measure: of one table, which is copied. */
bool measure_is_columnar(const struct storage_call *call, const struct measure *measure);

/* The answer of the statement of measure_sql(), by ClickHouse. `served` is false when the database
 * has to answer: ClickHouse cannot, and the tenant has few rows. ERROR_UNAVAILABLE
 * columnar_unavailable when neither answers; ERROR_BUSY query_timeout. */
MUST_CHECK enum error measure_ask_columnar(const struct storage_call *call,
                                           const struct measure_request *request,
                                           struct sandbox_answer *answer, bool *served);

/* Whether a copy that the measure is computed from lags behind now. */
MUST_CHECK enum error measure_lags(const struct storage_call *call, const struct measure *measure,
                                   bool *lags);

#endif
