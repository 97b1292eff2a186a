/*
 * Webhook subscriptions: receivers of audit entries. The transaction that writes an entry enqueues
 * its deliveries; cron-bin/webhook-deliver sends them (webhook/webhook.h).
 */
#ifndef ASSAY_EXPERIMENTS_WEBHOOKS_SUBSCRIPTION_STORE_H
#define ASSAY_EXPERIMENTS_WEBHOOKS_SUBSCRIPTION_STORE_H

#include "experiments/keys/key_store.h"
#include "experiments/settings.h"
#include "webhook/webhook.h"

enum subscription_format { FORMAT_GENERIC, FORMAT_CHATAPP, FORMAT__MAX };
enum subscription_scope { SUBSCRIPTION_GLOBAL, SUBSCRIPTION_API_KEY, SUBSCRIPTION_SCOPE__MAX };
enum delivery_status {
    DELIVERY_PENDING,
    DELIVERY_RETRYING,
    DELIVERY_DELIVERED,
    DELIVERY_FAILED,
    DELIVERY__MAX
};
extern const char *const subscription_format_names[FORMAT__MAX];
extern const char *const subscription_scope_names[SUBSCRIPTION_SCOPE__MAX];
extern const char *const delivery_status_names[DELIVERY__MAX];

struct subscription {
    const char *id;
    const char *name;
    const char *target_url;
    const char *secret; /* in the answer that creates it; else NULL */
    int format;         /* enum subscription_format */
    struct string_list event_filter;
    int scope; /* enum subscription_scope */
    const char *api_key_id;
    const char *created_at;
    const char *updated_at;
    const char *last_delivered_at;
    const char *last_error_at;
    bool enabled;
};
SCHEMA_OF(webhook_schema, struct subscription);

/* A request. In a change, members that are NULL, -1, empty or absent keep their value. */
struct subscription_request {
    const char *name;
    const char *target_url;
    const char *secret;
    int format;
    struct string_list event_filter;
    int scope;
    const char *api_key_id;
    struct optional_boolean enabled;
};

struct delivery_record {
    const char *id;
    const char *subscription_id;
    int64_t event_id;
    const char *status;
    int64_t attempt_count;
    const char *last_attempt_at;
    const char *delivered_at;
    struct optional_integer response_code;
    const char *response_body;
    const char *error_message;
    const char *next_attempt_at;
    const char *lease_expires_at;
    struct optional_integer due_at; /* due time of its job, microseconds since 1970 */
    bool leased;                    /* a process delivers it until then */
};
SCHEMA_OF(webhook_delivery_schema, struct delivery_record);

extern const struct webhook_kind experiments_webhook_kind;
struct webhook_answer_limits subscription_answer_limits(
    const struct experiments_settings *settings);

/* Whether a subscription may have that address. Names are not resolved; `local` is AB_ENV local.
 * ERROR_INVALID webhook_target. */
MUST_CHECK enum error subscription_check_url(const char *url, bool local, struct problem *problem);

/* ERROR_NOT_FOUND webhook_not_found or api_key_not_found, ERROR_CONFLICT webhook_limit_reached.
 * Create, change and delete write audit entries. */
MUST_CHECK enum error subscription_create(const struct key_call *call,
                                          const struct subscription_request *new, int64_t most,
                                          struct subscription *subscription);
MUST_CHECK enum error subscription_list(const struct key_call *call, struct object_list *list);
MUST_CHECK enum error subscription_read(const struct key_call *call, const char *id,
                                        struct subscription *subscription);
MUST_CHECK enum error subscription_update(const struct key_call *call, const char *id,
                                          const struct subscription_request *change,
                                          struct subscription *subscription);
MUST_CHECK enum error subscription_delete(const struct key_call *call, const char *id);

/* Deliveries, the last attempted first; `status` -1 = all. */
MUST_CHECK enum error subscription_deliveries(const struct key_call *call, const char *id,
                                              int status, int64_t limit, struct object_list *list,
                                              int64_t *total);

/* Enqueues a failed delivery again, with all its attempts; writes an audit entry. ERROR_NOT_FOUND
 * webhook_not_found or delivery_not_found, ERROR_CONFLICT delivery_not_failed, delivery_forgotten
 * when the content is no longer stored. */
MUST_CHECK enum error subscription_resend(const struct key_call *call, const char *id,
                                          const char *delivery_id,
                                          struct delivery_record *delivery);

/* Sends a test event now, and records the delivery. */
MUST_CHECK enum error subscription_test(const struct key_call *call, const char *id,
                                        const struct webhook_delivery_config *config,
                                        struct delivery_record *delivery);

/* The same for a webhook that is not registered: address, secret and format of the request. Only
 * the audit log records it. */
MUST_CHECK enum error subscription_try(const struct key_call *call,
                                       const struct subscription_request *request,
                                       const struct webhook_delivery_config *config,
                                       struct delivery_record *delivery);

/* Enqueues an audit entry for the matching subscriptions; an audit_listener. */
MUST_CHECK enum error subscription_enqueue(struct db *db, struct arena *arena,
                                           const struct audit_row *event, struct problem *problem);

/* The number of deliveries in each state, and how long the first due one has been waiting; negative
 * when none is due. */
MUST_CHECK enum error subscription_metrics(struct db *db, int64_t counts[DELIVERY__MAX],
                                           double *oldest_seconds, struct problem *problem);

/* Deletes the jobs and attempts of deliveries that were delivered or given up longer ago than that
 * many seconds, at most `most` rows of each kind at a time. The deliveries remain. */
MUST_CHECK enum error subscription_purge_history(struct db *db, double seconds, int64_t most,
                                                 struct problem *problem);

#endif
