/*
 * Webhooks of live data: who is registered, which rows of the journal concern whom. Rows of applied
 * events and of new order states are enqueued in the transaction that writes them; delivery is the
 * webhook kit's.
 */
#ifndef ASSAY_LIVEDATA_WEBHOOKS_OUTBOUND_H
#define ASSAY_LIVEDATA_WEBHOOKS_OUTBOUND_H

#include "livedata/ingest/apply.h"
#include "webhook/webhook.h"

extern const struct webhook_kind live_webhook_kind;
/* For deliveries as the settings say. */
struct webhook_delivery_config outbound_config(const struct livedata_settings *settings,
                                               const struct egress_policy *egress);

struct live_webhook {
    const char *id;
    const char *tenant;
    const char *url;
    const char *secret;
    const char *filters; /* JSON object */
    const char *types;   /* of entities it hears of, as entity_types_text(); NULL = all */
    bool active;
    int64_t created_at;
};
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

/* The events of the past that concern one webhook, newest first: its history. */
void outbound_write_history(struct json_writer *writer, const char *webhook_id,
                            const struct webhook_history *history);
void outbound_write_result(struct json_writer *writer, const char *webhook_id,
                           const struct webhook_event *event, const struct webhook_result *result);
/* The body of a test. */
const char *outbound_test_body(const struct storage_call *call, const char *webhook_id,
                               const char *event_id);

#endif
