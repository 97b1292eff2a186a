/*
 * Events: validation, and the data derived from them. An invalid event is rejected as a whole, with
 * a reason and a detail, which are stored in its dead letter.
 */
#ifndef ASSAY_LIVEDATA_EVENTS_EVENT_H
#define ASSAY_LIVEDATA_EVENTS_EVENT_H

#include "base/json.h"
#include "base/optional.h"

#include <stdint.h>

enum event_family {
    EVENT_ORDER,
    EVENT_PAYMENT,
    EVENT_CLICK,
    EVENT_PRODUCT,
    EVENT_CHANGE,
    EVENT_OWN /* of a domain: `own` */
};

/* An order as stated by one event. Amounts in hundredths, rounded half to even. */
struct order_item {
    const char *product_id;
    int64_t quantity;
    int64_t amount_cents;
};

/* Members of a change data row besides those above. */
struct changed_row {
    bool removes;         /* the entity was deleted */
    int64_t created_at;   /* of an order */
    int64_t total_orders; /* of a user, whose total_spent is `total_cents` */
    struct optional_integer first_order_at, last_order_at;
    int64_t started_at, event_count, unique_pages; /* of a session */
    struct optional_integer ended_at, duration_us;
    const char *funnel_stage;
    bool is_conversion;
};

struct event {
    const char *tenant;
    const char *id;
    const char *type;
    const char *source;
    const char *branch; /* or NULL */
    enum event_family family;
    int64_t at; /* its timestamp */
    const json_t *payload;
    const char *entity_type; /* NULL = of none */
    const char *entity_id;

    /* By event family; NULL and 0 in the other families. */
    const char *user_id;
    const char *status;
    const char *currency;
    int64_t total_cents;
    struct order_item *items;
    size_t item_count;
    const char *page_url;
    const char *name, *category;
    bool in_stock;
    int64_t stock_quantity;
    struct changed_row row;      /* of change data */
    const struct own_event *own; /* of a domain (own.h) */
};

enum event_fault {
    EVENT_FINE,
    EVENT_SCHEMA,          /* schema_validation */
    EVENT_SEMANTIC,        /* semantic_validation */
    EVENT_TENANT_MISMATCH, /* tenant_mismatch */
    EVENT_NO_ID,           /* missing_event_id */
    EVENT_BAD_TYPE,        /* non_canonical_event_type */
    EVENT_UNDECODABLE,     /* undecodable */
    EVENT_OVER_QUOTA,      /* quota_exceeded */
    EVENT_FAULT__MAX
};
extern const char *const event_fault_names[EVENT_FAULT__MAX];

/* The faults of an event: the detail lists all of them, the other members describe the first. */
enum { EVENT_DETAIL_MAX = 1000 };
struct event_verdict {
    enum event_fault fault;
    char reason[96];                    /* "schema: items", "semantic: payment_min_amount" */
    char detail[EVENT_DETAIL_MAX + 40]; /* for users: "status: not one of its words; items..." */
    const char *type;                   /* "missing"... */
    const char *field;
    size_t count;    /* number of faults */
    size_t left_out; /* number of faults missing in the detail */
};

struct catalog;
struct event_rules {
    const struct catalog *catalog; /* with the event types of domains; NULL = none */
    const char *tenant;            /* stamped on every event */
    int64_t now;                   /* microseconds */
    int64_t ahead_seconds;         /* how far in the future a timestamp may lie */
};

/* Reads and validates one event. Texts point into `payload`; other memory is from `arena`. Returns
 * false with the verdict filled in. `event` then still has its id and type if they could be
 * read. */
bool event_check(struct arena *arena, const json_t *payload, const struct event_rules *rules,
                 struct event *event, struct event_verdict *verdict);

/* "product_detail", "cart"... */
const char *event_page_category(const char *page_url);

/* The object `_derived` of the journal; writes nothing for events without one. */
void event_write_derived(const struct event *event, struct json_writer *writer);

#endif
