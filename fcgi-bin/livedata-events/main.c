/* Live data, family events: events in, also of branches, dead letters, webhooks, alerts,
 * operations, the administration. Routes only. */
#include "livedata-events/events.h"

#define CALL(how) .method = METHOD_##how, .role = LIVE_CALLER
#define ADMIN(how) .method = METHOD_##how, .role = LIVE_ADMIN, .tag = "administration"
#define TRIAGE(title, handle, what)                                                                \
    {                                                                                              \
        CALL(POST), .path = "/v1/ops/exceptions/{item_id}/" title,                                 \
                    .traits = TRAIT_WHOLE | TRAIT_SIGNED, .body = &triage_request_schema,          \
                    .body_optional = true, .reply = &triage_schema,                                \
                    .errors = ERRORS(400, 403, 404, 409, 429, 503), .idempotent = true,            \
                    .handler = (handle), .name = title "_exception", .tag = "operations",          \
                    .summary = (what)                                                              \
    }
#define FIGURES(where, handle, shape, title, what)                                                 \
    {                                                                                              \
        ADMIN(GET), .path = "/v1/admin/analytics/" where, .query = &window_query_schema,           \
                    .reply = &(shape), .errors = ERRORS(400, 404, 429, 503), .handler = (handle),  \
                    .name = (title), .summary = (what)                                             \
    }

static const struct route routes[] = {
    {CALL(POST), .path = "/v1/events", .takes = "application/json", .reply = &ingest_schema,
     .errors = ERRORS(400, 403, 409, 422, 429, 503), .idempotent = true, .handler = events_handle,
     .name = "ingest_events", .tag = "events",
     .summary = "Events in: one, {\"events\": [...]}, or lines of JSON"},
    {.method = METHOD_POST,
     .path = "/v1/node/events",
     .role = LIVE_NODE,
     .traits = TRAIT_DEMO,
     .takes = "application/json",
     .errors = ERRORS(400, 403, 404, 422, 429, 503),
     .handler = node_events_handle,
     .name = "node_events",
     .tag = "events",
     .summary = "Events of a branch, for the centre",
     .hidden = true},
    {CALL(GET), .path = "/v1/node/branches", .errors = ERRORS(400, 403, 404, 429, 503),
     .handler = node_branches_handle, .name = "node_branches", .tag = "events",
     .summary = "The branches of a centre", .hidden = true},
    {CALL(GET), .path = "/v1/deadletter", .query = &letters_query_schema, .reply = &letters_schema,
     .errors = ERRORS(400, 403, 429, 503), .handler = letters_handle, .name = "list_dead_letters",
     .tag = "events", .summary = "Events that could not be applied"},
    {CALL(GET), .path = "/v1/deadletter/stats", .reply = &letter_stats_schema,
     .errors = ERRORS(400, 403, 429, 503), .handler = letter_stats_handle,
     .name = "dead_letter_stats", .tag = "events", .summary = "How many, why and when"},
    {CALL(GET), .path = "/v1/deadletter/{event_id}", .reply = &letter_schema,
     .errors = ERRORS(400, 403, 404, 429, 503), .handler = letter_handle, .name = "get_dead_letter",
     .tag = "events", .summary = "One of them with its payload"},
    {CALL(POST), .path = "/v1/deadletter/{event_id}/replay", .traits = TRAIT_WHOLE | TRAIT_SIGNED,
     .body = &replay_request_schema, .body_optional = true, .reply = &replay_schema,
     .errors = ERRORS(400, 403, 404, 409, 422, 429, 503), .idempotent = true,
     .handler = replay_handle, .name = "replay_dead_letter", .tag = "events",
     .summary = "Apply it after all, corrected"},
    {CALL(POST), .path = "/v1/deadletter/{event_id}/dismiss", .traits = TRAIT_WHOLE | TRAIT_SIGNED,
     .reply = &dismiss_schema, .errors = ERRORS(400, 403, 404, 409, 429, 503), .idempotent = true,
     .handler = dismiss_handle, .name = "dismiss_dead_letter", .tag = "events",
     .summary = "Give it up"},
    {CALL(POST), .path = "/v1/webhooks", .status = 201, .body = &webhook_request_schema,
     .reply = &webhook_schema, .errors = ERRORS(400, 403, 409, 429, 503), .idempotent = true,
     .handler = webhook_create_handle, .name = "create_webhook", .tag = "webhooks",
     .summary = "Have events sent"},
    {CALL(GET), .path = "/v1/webhooks", .reply = &webhooks_schema,
     .errors = ERRORS(400, 403, 429, 503), .handler = webhook_list_handle, .name = "list_webhooks",
     .tag = "webhooks", .summary = "Where events are sent"},
    {CALL(DELETE), .path = "/v1/webhooks/{webhook_id}", .status = 204,
     .errors = ERRORS(400, 403, 404, 429, 503), .handler = webhook_delete_handle,
     .name = "delete_webhook", .tag = "webhooks", .summary = "Have no more events sent"},
    {CALL(POST), .path = "/v1/webhooks/{webhook_id}/test", .reply = &webhook_result_schema,
     .errors = ERRORS(400, 403, 404, 409, 429, 503), .idempotent = true,
     .handler = webhook_test_handle, .name = "test_webhook", .tag = "webhooks",
     .summary = "Send an event that means nothing"},
    {CALL(POST), .path = "/v1/webhooks/{webhook_id}/events/{event_id}/resend",
     .reply = &webhook_resent_schema, .errors = ERRORS(400, 403, 404, 409, 429, 503),
     .idempotent = true, .handler = webhook_resend_handle, .name = "resend_webhook_event",
     .tag = "webhooks", .summary = "Send an event again that was given up"},
    {CALL(GET), .path = "/v1/webhooks/{webhook_id}/logs", .reply = &webhook_logs_schema,
     .errors = ERRORS(400, 403, 404, 429, 503), .handler = webhook_logs_handle,
     .name = "webhook_logs", .tag = "webhooks", .summary = "What became of deliveries"},
    {CALL(POST), .path = "/v1/alerts", .status = 201, .body = &alert_request_schema,
     .reply = &alert_secret_schema, .errors = ERRORS(400, 403, 404, 409, 422, 429, 503),
     .idempotent = true, .handler = alert_create_handle, .name = "create_alert", .tag = "alerts",
     .summary = "Have a metric watched"},
    {CALL(GET), .path = "/v1/alerts", .reply = &alerts_schema, .errors = ERRORS(400, 403, 429, 503),
     .handler = alert_list_handle, .name = "list_alerts", .tag = "alerts",
     .summary = "Alerts and how they stand"},
    {CALL(PUT), .path = "/v1/alerts/{alert_id}", .body = &alert_change_schema,
     .reply = &alert_schema, .errors = ERRORS(400, 403, 404, 409, 422, 429, 503),
     .idempotent = true, .handler = alert_change_handle, .name = "change_alert", .tag = "alerts",
     .summary = "Change an alert, or switch it off or on"},
    {CALL(DELETE), .path = "/v1/alerts/{alert_id}", .status = 204,
     .errors = ERRORS(400, 403, 404, 429, 503), .handler = alert_delete_handle,
     .name = "delete_alert", .tag = "alerts", .summary = "Have a metric watched no more"},
    {CALL(POST), .path = "/v1/alerts/{alert_id}/test", .reply = &alert_result_schema,
     .errors = ERRORS(400, 403, 404, 409, 429, 503), .idempotent = true,
     .handler = alert_test_handle, .name = "test_alert", .tag = "alerts",
     .summary = "Send a notice that means nothing"},
    {CALL(GET), .path = "/v1/alerts/{alert_id}/history", .reply = &alert_history_schema,
     .errors = ERRORS(400, 403, 404, 429, 503), .handler = alert_history_handle,
     .name = "alert_history", .tag = "alerts", .summary = "Notices that were sent"},
    {CALL(GET), .path = "/v1/ops/stuck-orders", .query = &stuck_query_schema,
     .reply = &stuck_schema, .errors = ERRORS(400, 403, 422, 429, 503), .handler = stuck_handle,
     .name = "stuck_orders", .tag = "operations",
     .summary = "Orders that are in their stage for too long"},
    {CALL(GET), .path = "/v1/ops/exceptions", .query = &exceptions_query_schema,
     .reply = &exceptions_schema, .errors = ERRORS(400, 403, 422, 429, 503),
     .handler = exceptions_handle, .name = "list_exceptions", .tag = "operations",
     .summary = "What needs somebody"},
    {CALL(GET), .path = "/v1/ops/exceptions/stats", .reply = &exception_stats_schema,
     .errors = ERRORS(400, 403, 429, 503), .handler = exception_stats_handle,
     .name = "exception_stats", .tag = "operations", .summary = "How much of it, and of what kind"},
    TRIAGE("acknowledge", acknowledge_handle, "Say that somebody looks after it"),
    TRIAGE("resolve", resolve_handle, "Say that it is over"),
    {ADMIN(POST), .path = "/v1/admin/keys", .status = 201, .body = &key_request_schema,
     .reply = &issued_key_schema, .errors = ERRORS(400, 404, 409, 429, 503),
     .handler = key_create_handle, .name = "create_key", .summary = "Issue a key"},
    {ADMIN(GET), .path = "/v1/admin/keys", .reply = &keys_schema,
     .errors = ERRORS(400, 404, 429, 503), .handler = key_list_handle, .name = "list_keys",
     .summary = "Keys and their use"},
    {ADMIN(POST), .path = "/v1/admin/keys/{key_id}/rotate", .reply = &rotation_schema,
     .errors = ERRORS(400, 404, 409, 429, 503), .handler = key_rotate_handle, .name = "rotate_key",
     .summary = "Give a key a new secret"},
    {ADMIN(GET), .path = "/v1/admin/keys/{key_id}/rotation-status",
     .reply = &rotation_status_schema, .errors = ERRORS(400, 404, 429, 503),
     .handler = key_rotation_handle, .name = "key_rotation", .summary = "How far a rotation is"},
    {ADMIN(POST), .path = "/v1/admin/keys/{key_id}/revoke-old", .reply = &revoked_schema,
     .errors = ERRORS(400, 404, 409, 429, 503), .handler = key_revoke_handle,
     .name = "revoke_old_key", .summary = "End the grace of the old secret"},
    {ADMIN(DELETE), .path = "/v1/admin/keys/{key_id}", .status = 204,
     .errors = ERRORS(400, 404, 429, 503), .handler = key_delete_handle, .name = "delete_key",
     .summary = "Take a key away"},
    {ADMIN(GET), .path = "/v1/admin/summary", .reply = &service_summary_schema,
     .errors = ERRORS(400, 404, 429, 503), .handler = summary_handle, .name = "summary",
     .summary = "Health, requests a second, cache and connections"},
    {ADMIN(GET), .path = "/admin/partials/summary", .media_type = SUMMARY_PIECE_TYPE,
     .errors = ERRORS(400, 404, 429, 503), .handler = summary_piece_handle, .name = "summary_piece",
     .summary = "The same and the keys, as a piece of a page"},
    {ADMIN(GET), .path = "/v1/admin/usage", .reply = &usage_schema,
     .errors = ERRORS(400, 404, 429, 503), .handler = usage_handle, .name = "usage",
     .summary = "Requests of the last day, by tenant"},
    FIGURES("usage", tenants_handle, tenants_schema, "analytics_usage", "Figures by tenant"),
    FIGURES("top-queries", top_queries_handle, queries_schema, "analytics_queries",
            "What is asked most"),
    FIGURES("top-entities", top_entities_handle, entities_schema, "analytics_entities",
            "What is read most"),
    FIGURES("latency", latency_handle, endpoints_schema, "analytics_latency",
            "How long answers take"),
    FIGURES("anomalies", anomalies_handle, anomalies_schema, "analytics_anomalies",
            "Who asks unusually much"),
};

static const struct http_family family = {
    .service = &livedata_service, .name = "events", ROUTES(routes)};

int main(int argc, char **argv)
{
    return responder_main(argc, argv, &family);
}
