/* Orders that are not at the end of their ladder: how long in their stage, by which clock. */
#ifndef ASSAY_LIVEDATA_OPERATIONS_OPEN_ORDERS_H
#define ASSAY_LIVEDATA_OPERATIONS_OPEN_ORDERS_H

#include "livedata/reads/answers.h"
#include "livedata/reads/list_cursor.h"

struct open_order {
    const char *order_id;
    const char *user_id;
    const char *status;
    const struct entity_stage *stage; /* NULL = the file does not know it */
    int64_t total_cents;
    const char *currency;
    int64_t entered_at;        /* by the journal, else when it was created */
    bool by_journal;           /* or by the time of creation */
    const char *journal_stage; /* the newest one of the journal; NULL = none */
    int64_t journal_at;
    double seconds;                   /* in its stage */
    struct optional_number overshoot; /* share of the allowed time, above 1 = too long */
};
struct open_orders {
    size_t count;
    struct open_order *items;
    bool truncated; /* there are more than the setting lets a request read */
};

/* By order id. ERROR_FORBIDDEN entity_forbidden for keys that may not see orders. */
MUST_CHECK enum error open_orders_read(const struct reading *reading, struct open_orders *orders);

struct stuck_request {
    const char *stage; /* NULL = all */
    bool within_sla_too;
    int64_t page, page_size;
    const char *cursor; /* instead of a page; NULL = none */
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

/* Those that are in their stage for too long, the worst first, with counts of all. */
MUST_CHECK enum error stuck_orders_read(const struct reading *reading,
                                        const struct stuck_request *request,
                                        struct stuck_orders *answer);

#endif
