/* What the fault walk has to know of the livedata service; tests/faults/walk.c includes it. */
#ifndef ASSAY_OF_LIVEDATA_H
#define ASSAY_OF_LIVEDATA_H

#include "counts.h"

#include "db/query.h"
#include "livedata/service_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CALLER_KEY "key-of-the-fault-walk"
#define ADMIN_KEY "administration-of-the-fault-walk"

static const char *const walk_settings[][2] = {
    {"LIVE_API_KEYS", CALLER_KEY ":walk"},
    {"LIVE_ADMIN_KEY", ADMIN_KEY},
    {"LIVE_EGRESS_ALLOWED_HOSTS", "127.0.0.1"},
    {"LIVE_RATE_LIMIT_RPM", "100000"},
};

static const char *token_of(const struct route *route)
{
    (void)route;
    return CALLER_KEY;
}

static const char *prove(const char *name, const char *body)
{
    (void)body;
    return strcmp(name, "HTTP_X_ADMIN_KEY") == 0 ? ADMIN_KEY : NULL;
}
#define WALK_PROOF prove
/* SLOs count the answers of the walk itself. */
#define WALK_ANSWERS_VARY                                                                          \
    (strcmp(family.name, "query") == 0 || strncmp(route->path, "/v1/slo", 7) == 0)
#define WALK_ID "key_id"

/* Another event each time: the same one again would change nothing. Two events of two kinds in one
 * request, all of which is one transaction. */
static const char *body_of(const struct route *route)
{
    static char text[2048];
    static unsigned number;

    number++;
    if (strcmp(route->path, "/v1/admin/keys") == 0 && route->method == METHOD_POST)
        return "{\"tenant\":\"walk\",\"name\":\"a key\"}";
    if (strncmp(route->path, "/v1/query", 9) == 0)
        return "{\"question\":\"top 5 products by revenue today\"}";
    if (strcmp(route->path, "/v1/batch") == 0)
        return "{\"requests\":[{\"id\":\"1\",\"type\":\"metric\",\"params\":{\"name\":\"order_"
               "count\","
               "\"window\":\"24h\"}},{\"id\":\"2\",\"type\":\"entity\",\"params\":{\"entity_type\":"
               "\"product\",\"entity_id\":\"PROD-001\"}}]}";
    if (strcmp(route->path, "/v1/webhooks") == 0)
        return "{\"url\":\"http://127.0.0.1:9/hook\"}";
    if (strcmp(route->path, "/v1/alerts") == 0)
        return "{\"name\":\"few\",\"metric\":\"revenue\",\"condition\":\"below\",\"threshold\":5,"
               "\"webhook_url\":\"http://127.0.0.1:9/hook\"}";
    if (strcmp(route->path, "/v1/alerts/{alert_id}") == 0 && route->method == METHOD_PUT)
        return "{\"threshold\":7}";
    if (strcmp(route->path, "/v1/events") != 0)
        return route->body ? route->body->example : NULL;
    snprintf(text, sizeof text,
             "{\"events\":[{\"event_id\":\"%08x-0000-4000-8000-000000000001\","
             "\"event_type\":\"order.created\",\"source\":\"walk\",\"status\":\"pending\","
             "\"timestamp\":\"2026-04-05T10:00:00+00:00\",\"order_id\":\"ORD-20260405-%06u\","
             "\"user_id\":\"USR-%u\",\"total_amount\":\"31.50\",\"items\":[{\"product_id\":"
             "\"PROD-%u\",\"quantity\":3,\"unit_price\":\"10.50\"}]},"
             "{\"event_id\":\"%08x-0000-4000-8000-000000000002\",\"event_type\":\"page_view\","
             "\"source\":\"walk\",\"timestamp\":\"2026-04-05T10:00:01+00:00\",\"session_id\":"
             "\"SES-%u\",\"user_id\":\"USR-%u\",\"page_url\":\"/p/1\",\"user_agent\":\"walk\"}]}",
             number, number, number, number, number, number, number);
    return text;
}

static bool is_envelope(const struct route *route, int status, const json_t *document)
{
    (void)route;
    (void)status;
    return json_object_get(document, "detail") && json_object_get(document, "request_id");
}

#define ROWS(table)                                                                                \
    {                                                                                              \
        "count_" table, "SELECT count(*) FROM " table                                              \
    }
static const struct statement row_counts[] = {
    ROWS("orders_v2"),
    ROWS("order_items"),
    ROWS("sessions_aggregated"),
    ROWS("session_pages"),
    ROWS("users_enriched"),
    ROWS("pipeline_events"),
    ROWS("dead_letter_events"),
    ROWS("api_keys"),
    ROWS("ops_exception_triage"),
    ROWS("search_docs"),
    ROWS("alert_rules"),
    ROWS("webhook_registrations"),
    {"active_webhooks", "SELECT count(*) FROM webhook_registrations WHERE active = 1"},
    {"rotating", "SELECT count(*) FROM api_keys WHERE previous_lookup IS NOT NULL"},
    {"active_alerts", "SELECT count(*) FROM alert_rules WHERE active = 1"},
};

/* What has to be done to a fresh object before the route can show what it does. */
static const struct {
    enum method method;
    const char *path;
    const char *action; /* posted below the object */
} preparations[] = {{METHOD_POST, "/v1/admin/keys/{key_id}/revoke-old", "/rotate"}};

/* Those of branches answer 404 here; what calls an address outside keeps that it will before it
 * does; figures of all workers are counted by requests themselves. */
static bool is_left_out(const struct route *route)
{
    static const char *const prefixes[] = {"/v1/node/",         "/v1/ops/e",
                                           "/v1/admin/usage",   "/v1/admin/analytics",
                                           "/v1/admin/summary", "/admin/"};

    for (size_t i = 0; i < COUNT_OF(prefixes); i++)
        if (strncmp(route->path, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return strstr(route->path, "/test") != NULL;
}

static void make_room(struct db *db)
{
    static const struct statement statements[] = {
        {"no_keys", "DELETE FROM api_keys"},
        {"no_alerts", "DELETE FROM alert_rules"},
        {"no_webhooks", "DELETE FROM webhook_registrations"},
    };

    do_all(db, statements, COUNT_OF(statements));
}

#endif
