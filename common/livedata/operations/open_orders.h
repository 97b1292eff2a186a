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
    bool truncated; /* there are more than the setting lets a request look at */
};

/* By order id. ERROR_FORBIDDEN entity_forbidden for keys that may not see orders. */
MUST_CHECK enum error open_orders_read(const struct reading *reading, struct open_orders *orders);

struct stuck_request {
    const char *stage; /* NULL = all */
    bool within_sla_too;
    int64_t page, page_size;
    const char *cursor; /* instead of a page; NULL = none */
};
/* Those that are in their stage for too long, the worst first, with figures of all. */
MUST_CHECK enum error write_stuck_orders(struct json_writer *writer, const struct reading *reading,
                                         const struct stuck_request *request);

#endif
