/* Private to common/orchestrator/keys: the columns of budgets. */
#ifndef ASSAY_ORCHESTRATOR_KEYS_BUDGET_ROWS_H
#define ASSAY_ORCHESTRATOR_KEYS_BUDGET_ROWS_H

#include "db/query.h"
#include "orchestrator/keys/budget_store.h"

#define BUDGET_COLUMNS                                                                             \
    "budget_id AS id, owner_kind, owner_id, period, rolling, limit_nano_usd, extra_nano_usd,"      \
    " extra_until, alert_percents, created_at, {now_microseconds} AS read_at"

SCHEMA_OF(budget_schema, struct budget);

#endif
