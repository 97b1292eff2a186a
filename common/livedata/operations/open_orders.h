/* Orders that have not reached their final stage: the time in the current stage, and its source. */
#ifndef ASSAY_LIVEDATA_OPERATIONS_OPEN_ORDERS_H
#define ASSAY_LIVEDATA_OPERATIONS_OPEN_ORDERS_H

#include "livedata/reads/answers.h"
#include "livedata/reads/list_cursor.h"

struct open_order {
    const char *order_id;
    const char *user_id;
    const char *status;
    const struct entity_stage *stage; /* NULL = unknown to the file */
    int64_t total_cents;
    const char *currency;
    int64_t entered_at;        /* by the journal, else its creation time */
    bool by_journal;           /* false: by its creation time */
    const char *journal_stage; /* the newest one of the journal; NULL = none */
    int64_t journal_at;
    double seconds;                   /* in its stage */
    struct optional_number overshoot; /* share of the allowed time, above 1 = overdue */
};
struct open_orders {
    size_t count;
    struct open_order *items;
    bool truncated; /* there are more than the setting allows per request */
};

/* By order id. ERROR_FORBIDDEN entity_forbidden for keys that may not read orders. */
MUST_CHECK enum error open_orders_read(const struct reading *reading, struct open_orders *orders);

struct stuck_request {
    const char *stage; /* NULL = all */
    bool within_sla_too;
    int64_t page, page_size;
    const char *cursor; /* in place of a page; NULL = none */
};

struct stuck_order {
    const char *order_id, *user_id, *status;
    int64_t entered_at;
    double in_stage_seconds;
    struct optional_number sla_minutes, overshoot_ratio;
    const char *clock; /* "journal", or "fallback": the time of creation */
    double total_amount;
    const char *currency;
};
struct stuck_summary {
    const char *open_by_stage, *breached_by_stage; /* JSON objects */
};
struct stuck_orders {
    OBJECT_LIST(struct stuck_order, items);
    const struct stuck_summary *summary;
    PAGINATION_MEMBERS;
    bool scan_truncated;
};
SCHEMA_OF(stuck_orders_schema, struct stuck_orders);

/* Overdue orders, the most overdue first, with counts of all. */
MUST_CHECK enum error stuck_orders_read(const struct reading *reading,
                                        const struct stuck_request *request,
                                        struct stuck_orders *answer);

#endif
