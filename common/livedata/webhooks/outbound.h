/*
 * Webhooks of live data: who is registered, which rows of the journal concern whom. Rows of applied
 * events and of new order states are enqueued in the transaction that writes them; delivery is the
 * webhook kit's.
 */
#ifndef ASSAY_LIVEDATA_WEBHOOKS_OUTBOUND_H
#define ASSAY_LIVEDATA_WEBHOOKS_OUTBOUND_H

#include "base/schema.h"
#include "livedata/ingest/apply.h"
#include "webhook/webhook.h"

extern const struct webhook_kind live_webhook_kind;
/* For deliveries as the settings say. */
struct webhook_delivery_config outbound_config(const struct livedata_settings *settings,
                                               const struct egress_policy *egress);

/* What an event must have to be sent; all that are given must hold. */
struct webhook_filters {
    json_t *event_types, *entity_ids, *min_amount;
};
SCHEMA_OF(webhook_filters_schema, struct webhook_filters);

struct live_webhook {
    const char *id;
    const char *tenant;
    const char *url;
    const char *secret;
    const char *filters; /* JSON object */
    const char *types;   /* of entities whose events it gets, as entity_types_text(); NULL = all */
    bool active;
    int64_t created_at;
};
/* One webhook: its row in SQL and its answer, without and with its secret. */
SCHEMA_OF(live_webhook_schema, struct live_webhook);
SCHEMA_OF(new_live_webhook_schema, struct live_webhook);

struct live_webhooks {
    size_t count;
    struct live_webhook *items;
};

/* Adds one of that URL, with those filters and types; it gets its id and secret. ERROR_CONFLICT
 * webhook_quota where the tenant has `most` already. */
MUST_CHECK enum error outbound_register(const struct storage_call *call, int64_t most,
                                        struct live_webhook *webhook);
/* The tenant's active ones, oldest first. */
MUST_CHECK enum error outbound_list(const struct storage_call *call,
                                    struct live_webhooks *webhooks);
/* ERROR_NOT_FOUND webhook_not_found. */
MUST_CHECK enum error outbound_find(const struct storage_call *call, const char *id,
                                    struct live_webhook *webhook);
/* Switches it off; what waits for it becomes dead letters. */
MUST_CHECK enum error outbound_remove(const struct storage_call *call, const char *id);

/* The hook of apply_call. */
enum error outbound_row(struct apply_call *call, const struct journal_row *row,
                        const struct event *event);

/* Whether a filter lets a row through; `data` is its entity's object or NULL. */
bool outbound_matches(const json_t *filters, const struct journal_row *row, const json_t *data);

/* The body of a test. */
const char *outbound_test_body(const struct storage_call *call, const char *event_id);

#endif
