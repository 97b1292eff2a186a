/* Handlers for ingestion of events, dead letters, webhooks and the administration of keys. */
#ifndef ASSAY_LIVEDATA_EVENTS_EVENTS_H
#define ASSAY_LIVEDATA_EVENTS_EVENTS_H

#include "livedata/access/analytics.h"
#include "livedata/alerts/rules.h"
#include "livedata/journal/dead_letters.h"
#include "livedata/operations/exceptions.h"
#include "livedata/operations/open_orders.h"
#include "livedata/service.h"
#include "livedata/webhooks/outbound.h"
#include "net/egress.h"

extern const struct schema ingest_schema, branches_schema, letters_query_schema, letters_schema,
    replay_request_schema, replay_schema, dismiss_schema;
extern const struct schema webhook_request_schema, webhooks_schema, webhook_result_schema,
    webhook_resent_schema, webhook_logs_schema;
extern const struct schema alert_request_schema, alert_change_schema, alerts_schema,
    alert_result_schema, alert_preview_schema;
extern const struct schema stuck_query_schema, exceptions_query_schema, triage_request_schema,
    triage_schema;
extern const struct schema key_request_schema, issued_key_schema, keys_schema, rotation_schema,
    rotation_status_schema, revoked_schema, window_query_schema, service_summary_schema;

struct heartbeats {
    size_t count;
    struct heartbeat *items;
};
/* Reads the list of a body; ERROR_MALFORMED with the faults of the request. */
MUST_CHECK enum error heartbeats_read(struct request *request, const json_t *list,
                                      struct heartbeats *beats);
enum error events_handle(struct request *request, struct reply *reply);
/* Counts them in the metrics. */
void events_count(const struct request *request, const struct apply_counts *counts);
enum error node_events_handle(struct request *request, struct reply *reply);
enum error node_branches_handle(struct request *request, struct reply *reply);

enum error letters_handle(struct request *request, struct reply *reply);
enum error letter_stats_handle(struct request *request, struct reply *reply);
enum error letter_handle(struct request *request, struct reply *reply);
enum error replay_handle(struct request *request, struct reply *reply);
enum error dismiss_handle(struct request *request, struct reply *reply);

enum error webhook_create_handle(struct request *request, struct reply *reply);
enum error webhook_list_handle(struct request *request, struct reply *reply);
enum error webhook_delete_handle(struct request *request, struct reply *reply);
enum error webhook_test_handle(struct request *request, struct reply *reply);
enum error webhook_resend_handle(struct request *request, struct reply *reply);
enum error webhook_logs_handle(struct request *request, struct reply *reply);

/* Validates the URL of a webhook. A malformed URL is a 422 of that field; a forbidden or unknown
 * address is a 400. */
struct egress_policy webhook_egress(const struct request *request);
MUST_CHECK enum error webhook_check_url(struct request *request, const char *field,
                                        const char *url);

/* Result of a test of a webhook or an alert. The row of the receiver's id names it. */
struct delivery_answer {
    const char *delivery_id, *receiver_id, *event_id, *event_type;
    bool success;
    struct optional_integer status_code;
    const char *error;
    int64_t attempts;
};
#define DELIVERY_ROWS(...)                                                                         \
    STRING(OWNER, delivery_id), __VA_ARGS__, STRING(OWNER, event_id), STRING(OWNER, event_type),   \
        BOOLEAN(OWNER, success), NULLABLE_INTEGER(OWNER, status_code),                             \
        STRING(OWNER, error, .nullable = true), INTEGER(OWNER, attempts)
/* From the arena; `result` may be freed earlier. */
const struct delivery_answer *delivery_answer(struct arena *arena, const char *receiver_id,
                                              const struct webhook_event *event,
                                              const struct webhook_result *result);

enum error alert_create_handle(struct request *request, struct reply *reply);
enum error alert_list_handle(struct request *request, struct reply *reply);
enum error alert_change_handle(struct request *request, struct reply *reply);
enum error alert_delete_handle(struct request *request, struct reply *reply);
enum error alert_test_handle(struct request *request, struct reply *reply);
enum error alert_history_handle(struct request *request, struct reply *reply);
enum error alert_recent_handle(struct request *request, struct reply *reply);
enum error alert_preview_handle(struct request *request, struct reply *reply);
enum error alert_try_handle(struct request *request, struct reply *reply);

enum error stuck_handle(struct request *request, struct reply *reply);
enum error exceptions_handle(struct request *request, struct reply *reply);
enum error exception_stats_handle(struct request *request, struct reply *reply);
enum error acknowledge_handle(struct request *request, struct reply *reply);
enum error resolve_handle(struct request *request, struct reply *reply);

enum error key_create_handle(struct request *request, struct reply *reply);
enum error key_list_handle(struct request *request, struct reply *reply);
enum error key_rotate_handle(struct request *request, struct reply *reply);
enum error key_rotation_handle(struct request *request, struct reply *reply);
enum error key_revoke_handle(struct request *request, struct reply *reply);
enum error key_delete_handle(struct request *request, struct reply *reply);
enum error summary_handle(struct request *request, struct reply *reply);
#define SUMMARY_PIECE_TYPE "text/html; charset=utf-8"
enum error summary_piece_handle(struct request *request, struct reply *reply);
enum error usage_handle(struct request *request, struct reply *reply);
enum error tenants_handle(struct request *request, struct reply *reply);
enum error top_queries_handle(struct request *request, struct reply *reply);
enum error top_entities_handle(struct request *request, struct reply *reply);
enum error latency_handle(struct request *request, struct reply *reply);
enum error anomalies_handle(struct request *request, struct reply *reply);

#endif
