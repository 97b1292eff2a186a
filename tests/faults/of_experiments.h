/* What the fault walk has to know of the experiments service; tests/faults/walk.c includes it. */
#ifndef ASSAY_OF_EXPERIMENTS_H
#define ASSAY_OF_EXPERIMENTS_H

#include "counts.h"

#include "db/query.h"
#include "experiments/chat/signature.h"
#include "experiments/service.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WRITE_TOKEN "write-token-of-the-fault-walk"
#define ADMIN_TOKEN "admin-token-of-the-fault-walk"
#define CHAT_SECRET "signing-secret-of-the-fault-walk"

static const char *const walk_settings[][2] = {
    {"AB_API_TOKEN", WRITE_TOKEN},
    {"AB_ADMIN_TOKEN", ADMIN_TOKEN},
    {"AB_RATE_LIMIT_ENABLED", "false"},
    {"AB_CHATAPP_CLIENT_ID", "app-of-the-fault-walk"},
    {"AB_CHATAPP_CLIENT_SECRET", "client-secret-of-the-fault-walk"},
    {"AB_CHATAPP_SIGNING_SECRET", CHAT_SECRET},
    {"AB_CHATAPP_BASE_URL", "http://127.0.0.1:1"},
};

/* What the chat platform would sign now. */
static const char *prove(const char *name, const char *body)
{
    static char moment[24], signature[CHAT_SIGNATURE_TEXT];

    snprintf(moment, sizeof moment, "%lld", (long long)time(NULL));
    chat_sign(CHAT_SECRET, moment, body, strlen(body), signature);
    if (strcmp(name, "HTTP_X_CHATAPP_REQUEST_TIMESTAMP") == 0)
        return moment;
    return strcmp(name, "HTTP_X_CHATAPP_SIGNATURE") == 0 ? signature : NULL;
}
#define WALK_PROOF prove
#define WALK_INSIDE "metric"
#define WALK_DATABASE service_database_for_keys /* families without storage check keys */

static const char *token_of(const struct route *route)
{
    return route->role == ROLE_OPERATOR ? ADMIN_TOKEN : WRITE_TOKEN;
}

/* A backup without projects, with its checksum. */
static const char empty_workspace[] =
    "{\"schema_version\":3,\"generated_at\":\"2026-07-30T12:00:00+00:00\",\"projects\":[],"
    "\"analysis_runs\":[],\"export_events\":[],\"project_revisions\":[],\"integrity\":{\"counts\":"
    "{\"projects\":0,\"analysis_runs\":0,\"export_events\":0,\"project_revisions\":0},"
    "\"checksum_sha256\":\"39af1edf1421127323d9c1dc2deae4633968b0c85ead09982c2a12545e4f0503\"}}";

/* A form with a file of users. */
static const char data_form[] =
    "--walk\r\nContent-Disposition: form-data; name=\"mapping\"\r\n\r\n"
    "{\"arm\":\"a\",\"value\":\"y\",\"covariates\":[\"x\"],\"metric_type\":\"continuous\"}\r\n"
    "--walk\r\nContent-Disposition: form-data; name=\"file\"; filename=\"u.csv\"\r\n\r\n"
    "a,y,x\nc,1,2\nc,3,2\nc,2,5\nc,4,1\nt,2,3\nt,5,1\nt,3,\nt,6,7\n\r\n--walk--\r\n";

static const char *type_of(const struct route *route)
{
    return route->form ? "multipart/form-data; boundary=walk" : "application/json";
}
#define WALK_TYPE type_of

static const char *body_of(const struct route *route)
{
    if (route->form)
        return data_form;
    if (route->takes && strstr(route->path, "/segments/"))
        return "user-1,Ada\nuser-2\n";
    if (route->takes && strstr(route->path, "/workspace/"))
        return empty_workspace;
    if (route->takes && strcmp(route->path, "/chatapp/commands") == 0)
        return "team_id=T1&user_id=U1&text=projects";
    if (route->takes && strcmp(route->path, "/chatapp/interactive") == 0)
        return "payload={\"team\":{\"id\":\"T1\"},\"actions\":[{\"action_id\":\"approve_analysis\","
               "\"value\":\"00000000-0000-4000-8000-000000000000\"}]}";
    if (route->takes && strcmp(route->path, "/chatapp/events") == 0)
        return "{\"type\":\"event_callback\",\"team_id\":\"T1\",\"event_id\":\"E1\","
               "\"event\":{\"type\":\"app_uninstalled\"}}";
    return route->body ? route->body->example : NULL;
}

static bool is_envelope(const struct route *route, int status, const json_t *document)
{
    (void)route;
    return json_integer_value(json_object_get(document, "status_code")) == status &&
           json_object_get(document, "detail") && json_object_get(document, "error_code") &&
           json_object_get(document, "request_id");
}

/* Rows of every table: what a request has changed. */
#define ROWS(table)                                                                                \
    {                                                                                              \
        "count_" table, "SELECT count(*) FROM " table                                              \
    }
static const struct statement row_counts[] = {
    ROWS("projects"),
    ROWS("project_revisions"),
    ROWS("analysis_runs"),
    ROWS("export_events"),
    ROWS("audit_log"),
    ROWS("api_keys"),
    ROWS("project_templates"),
    ROWS("catalog_metrics"),
    ROWS("catalog_metric_versions"),
    ROWS("catalog_metric_uses"),
    ROWS("segments"),
    ROWS("segment_users"),
    ROWS("experiment_alarms"),
    ROWS("webhook_subscriptions"),
    ROWS("webhook_deliveries"),
    ROWS("jobs"),
    ROWS("data_tasks"),
    ROWS("chatapp_installations"),
    ROWS("chatapp_receipts"),
    {"template_uses", "SELECT coalesce(sum(usage_count), 0) FROM project_templates"},
    {"archived", "SELECT count(*) FROM projects WHERE archived_at IS NOT NULL"},
    {"revoked", "SELECT count(*) FROM api_keys WHERE revoked_at IS NOT NULL"},
};
/* It calls an address outside, and keeps that it will before it does. */
static bool is_left_out(const struct route *route)
{
    return strcmp(route->path, "/api/v1/webhooks/{webhook_id}/test") == 0 ||
           strcmp(route->path, "/api/v1/webhooks/new/test") == 0 ||
           strcmp(route->path, "/chatapp/install") == 0; /* has a header for an answer */
}

/* There is a limit to webhooks and to alarms, and each change writes to those webhooks that there
 * are. No two metrics of the catalog have one name, and no two segments. */
static void make_room(struct db *db)
{
    static const struct statement statements[] = {
        {"no_deliveries", "DELETE FROM webhook_deliveries"},
        {"no_webhooks", "DELETE FROM webhook_subscriptions"},
        {"no_metrics", "DELETE FROM catalog_metrics"},
        {"no_segments", "DELETE FROM segments"},
        {"no_alarms", "DELETE FROM experiment_alarms"},
    };

    do_all(db, statements, COUNT_OF(statements));
}

/* What has to be done to a fresh object before the route can show what it does. */
static const struct {
    enum method method;
    const char *path;
    const char *action; /* posted below the object */
} preparations[] = {
    {METHOD_DELETE, "/api/v1/keys/{api_key_id}", "/revoke"},
    {METHOD_POST, "/api/v1/projects/{project_id}/restore", "/archive"},
};

#endif
