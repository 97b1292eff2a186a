/*
 * Webhooks of live data: registration, and selection of the journal's rows for each webhook. The
 * transaction that writes a row of an applied event or a new order state enqueues it;
 * common/webhook delivers it.
 */
#ifndef ASSAY_LIVEDATA_WEBHOOKS_OUTBOUND_H
#define ASSAY_LIVEDATA_WEBHOOKS_OUTBOUND_H

#include "base/schema.h"
#include "livedata/ingest/apply.h"
#include "webhook/webhook.h"

extern const struct webhook_kind live_webhook_kind;
/* Delivery configuration from the settings. */
struct webhook_delivery_config outbound_config(const struct livedata_settings *settings,
                                               const struct egress_policy *egress);

/* Filters of a webhook; an event must match all given ones. */
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
    const char *types;   /* entity types of its events, as entity_types_text(); NULL = all */
    bool active;
    int64_t created_at;
};
/* Schemas of a webhook: its row in SQL and its answer, without and with its secret. */
SCHEMA_OF(live_webhook_schema, struct live_webhook);
SCHEMA_OF(new_live_webhook_schema, struct live_webhook);

struct live_webhooks {
    size_t count;
    struct live_webhook *items;
};

/* Adds a webhook with that URL, filters and types; sets its id and secret. ERROR_CONFLICT
 * webhook_quota when the tenant has `most` already. */
MUST_CHECK enum error outbound_register(const struct storage_call *call, int64_t most,
                                        struct live_webhook *webhook);
/* The tenant's active webhooks, oldest first. */
MUST_CHECK enum error outbound_list(const struct storage_call *call,
                                    struct live_webhooks *webhooks);
/* ERROR_NOT_FOUND webhook_not_found. */
MUST_CHECK enum error outbound_find(const struct storage_call *call, const char *id,
                                    struct live_webhook *webhook);
/* Deactivates it; its pending deliveries become dead letters. */
MUST_CHECK enum error outbound_remove(const struct storage_call *call, const char *id);

/* The hook of apply_call. */
enum error outbound_row(struct apply_call *call, const struct journal_row *row,
                        const struct event *event);

/* Whether a row matches the filter; `data` is its entity's object or NULL. */
bool outbound_matches(const json_t *filters, const struct journal_row *row, const json_t *data);

/* The body of a test delivery. */
const char *outbound_test_body(const struct storage_call *call, const char *event_id);

#endif
