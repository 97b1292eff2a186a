/* What the fault walk has to know of the support service; tests/faults/walk.c includes it. */
#ifndef ASSAY_OF_SUPPORT_H
#define ASSAY_OF_SUPPORT_H

#include "counts.h"

#include "accounts/people.h"
#include "crypto/digest.h"
#include "crypto/jwt.h"
#include "db/query.h"
#include "http/people.h"
#include "support/service.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KEY "key-of-the-fault-walk"
#define SECRET "secret-of-the-fault-walk-with-32-bytes"
#define TRACE "0123456789abcdef0123456789abcdef"

static const char *const walk_settings[][2] = {
    {"API_KEY", KEY},
    {"RATE_LIMIT_ENABLED", "false"},
    {"ASSAY_SIGN_IN_FAILURES", "1000"}, /* as many attempts as faults */
    {"JWT_SECRET", SECRET},
    {"EMAIL_CHANNEL_MODE", "webhook"},
    {"EMAIL_WEBHOOK_SIGNING_SECRET", SECRET},
    {"SMTP_HOST", "127.0.0.1"}, /* answers are sent by another program */
    {"SMTP_FROM", "support@example.com"},
};

/* Of the user that make_room() keeps, until 2100. */
static const char *sign(const char *type)
{
    static char token[1024];
    struct arena *arena = arena_create((size_t)1 << 20);

    snprintf(token, sizeof token, "%s",
             jwt_sign(arena,
                      arena_print(arena,
                                  "{\"sub\":\"walk\",\"role\":\"agent\",\"tenant\":\"default\","
                                  "\"exp\":4102444800,\"jti\":\"walk-%s\",\"fid\":\"walk\","
                                  "\"type\":\"%s\"}",
                                  type, type),
                      SECRET));
    arena_destroy(arena);
    return token;
}

/* Elsewhere no token: one would be asked before the key is. */
static const char *token_of(const struct route *route)
{
    static const char *const paths[] = {"/api/auth/session", "/api/auth/logout"};

    for (size_t i = 0; i < COUNT_OF(paths); i++)
        if (strcmp(route->path, paths[i]) == 0)
            return sign("access");
    return NULL;
}

static const char *prove(const char *name, const char *body)
{
    static char signature[DIGEST_SHA256_TEXT];

    if (strcmp(name, "HTTP_X_API_KEY") == 0)
        return KEY;
    if (strcmp(name, "HTTP_X_SIGNATURE") != 0)
        return NULL;
    digest_hmac_sha256_hex(SECRET, strlen(SECRET), body, strlen(body), signature);
    return signature;
}
#define WALK_PROOF prove
#define WALK_EVERY_ONE 120
#define WALK_STRIDE 12
#define WALK_LAST_FRAME "data: {\"type\":\"result\""
/* With the time of the last look, the age of a session, an id of a trace. */
#define WALK_ANSWERS_VARY (strcmp(family.name, "ask") != 0)

static const char *type_of(const struct route *route)
{
    return route->form ? "multipart/form-data; boundary=walk" : "application/json";
}
#define WALK_TYPE type_of

static const char *query_of(const struct route *route)
{
    static const struct {
        const char *path, *query;
    } queries[] = {
        {"/api/agent/similar", "ticket_id=ticket-of-the-walk"},
        {"/api/admin/evaluations/trends", "evaluator=judge"},
        {"/api/admin/evaluations/worst", "evaluator=judge"},
        {"/api/admin/traces", "days=1"},
        {"/api/admin/audit-log", "before_days=1"},
        {"/api/admin/curated-dataset/rebuild", "tenant=default"},
    };

    for (size_t i = 0; i < COUNT_OF(queries); i++)
        if (strcmp(route->path, queries[i].path) == 0)
            return queries[i].query;
    return "";
}
#define WALK_QUERY query_of

static const char *place_of(const char *name)
{
    static const struct {
        const char *name, *id;
    } places[] = {
        {"session_id", "session-of-the-walk"},
        {"ticket_id", "ticket-of-the-walk"},
        {"trace_id", TRACE},
        {"gap_id", "1"},
        {"draft_id", "draft-of-the-walk"},
        {"doc_id", "kept.md"},
        {"task_id", "00000000-0000-4000-8000-000000000000"},
        {"metric", "quality_threshold"},
        {"provider", "google"},
        {"review_id", "900"},
        {"run_id", "run-of-the-walk"},
        {"job_id", "job-of-the-walk"},
    };

    for (size_t i = 0; i < COUNT_OF(places); i++)
        if (strcmp(name, places[i].name) == 0)
            return places[i].id;
    return "00000000-0000-4000-8000-000000000000";
}
#define WALK_PLACE place_of

static const char *body_of(const struct route *route)
{
    static char text[2048];
    static unsigned number;
    static const struct {
        const char *path, *body;
    } bodies[] = {
        {"/api/ask", "{\"question\":\"How long can goods be returned?\"}"},
        {"/api/ask/stream", "{\"question\":\"How long can goods be returned?\"}"},
        {"/api/chat", "{\"question\":\"How long can goods be returned?\"}"},
        {"/api/chat/stream", "{\"question\":\"How long can goods be returned?\"}"},
        {"/api/feedback", "{\"trace_id\":\"t\",\"session_id\":\"s\",\"rating\":\"up\"}"},
        {"/api/escalate", "{\"session_id\":\"s\",\"question\":\"Help?\"}"},
        {"/api/auth/login", "{\"username\":\"walk\",\"password\":\"walk\"}"},
    };

    for (size_t i = 0; i < COUNT_OF(bodies); i++)
        if (strcmp(route->path, bodies[i].path) == 0)
            return bodies[i].body;
    if (strcmp(route->path, "/api/auth/refresh") == 0) {
        snprintf(text, sizeof text, "{\"refresh_token\":\"%s\"}", sign("refresh"));
        return text;
    }
    if (route->access && strcmp(route->access, "signature") == 0) { /* nor would the same e-mail */
        snprintf(text, sizeof text,
                 "{\"from\":\"Walk <walk@example.org>\",\"subject\":\"Help?\",\"text\":\"Where is "
                 "my order?\",\"message_id\":\"mail-%u@example.org\"}",
                 ++number);
        return text;
    }
    if (route->form) { /* the same text again would change nothing */
        snprintf(text, sizeof text,
                 "--walk\r\nContent-Disposition: form-data; name=\"file\"; "
                 "filename=\"walk.md\"\r\nContent-Type: text/markdown\r\n\r\n"
                 "# Returns\n\nGoods can be returned for %u days.\n\r\n--walk--\r\n",
                 ++number);
        return text;
    }
    return route->body ? route->body->example : NULL;
}

static bool is_envelope(const struct route *route, int status, const json_t *document)
{
    (void)route;
    (void)status;
    return json_object_get(document, "detail") && json_object_get(document, "error_code") &&
           json_object_get(document, "request_id");
}

/* An answer to a question is given even where its conversation or its trace could not be kept, so
 * that of these only what must never be is counted: a trace that is over without its steps, steps
 * and messages of nobody. Nor is a change refused that the audit log has no room for. */
#define ROWS(table)                                                                                \
    {                                                                                              \
        "count_" table, "SELECT count(*) FROM " table                                              \
    }
static const struct statement row_counts[] = {
    {"traces without steps",
     "SELECT count(*) FROM traces WHERE finished_at IS NOT NULL AND NOT EXISTS"
     " (SELECT 1 FROM trace_steps WHERE trace_steps.trace_id = traces.trace_id)"},
    {"steps of nobody", "SELECT count(*) FROM trace_steps WHERE NOT EXISTS"
                        " (SELECT 1 FROM traces WHERE traces.trace_id = trace_steps.trace_id)"},
    {"votes", "SELECT count(*) FROM feedback"},
    ROWS("revoked_tokens"),
    ROWS("token_families"),
    {"sessions", "SELECT count(*) FROM sessions WHERE id = 'session-of-the-walk'"},
    ROWS("kb_documents"),
    ROWS("kb_chunks"),
    {"chunks of nobody", "SELECT count(*) FROM kb_chunks WHERE NOT EXISTS (SELECT 1 FROM"
                         " kb_documents WHERE kb_documents.document_key = kb_chunks.document_key)"},
    ROWS("kb_ingest_log"),
    ROWS("model_spend"),
    ROWS("tasks"),
    {"ended tasks", "SELECT count(*) FROM tasks WHERE finished_at IS NOT NULL"},
    ROWS("jobs"),
    ROWS("email_received"),
    {"waiting jobs", "SELECT count(*) FROM jobs WHERE state = 'waiting'"},
    {"open tickets", "SELECT count(*) FROM escalated_tickets WHERE status = 'pending'"},
    {"operators' words", "SELECT count(*) FROM messages WHERE role = 'operator'"},
    {"open gaps", "SELECT count(*) FROM knowledge_gaps WHERE resolved_at IS NULL"},
    {"drafts of the first text", "SELECT count(*) FROM kb_drafts WHERE draft_content = 'text'"},
    {"open drafts", "SELECT count(*) FROM kb_drafts WHERE status = 'pending'"},
    ROWS("review_queue"),
    {"open cases", "SELECT count(*) FROM review_queue WHERE status = 'pending'"},
    ROWS("eval_results"),
    ROWS("experiment_deployments"),
    {"deployed", "SELECT count(*) FROM experiment_deployments WHERE deployed_at IS NOT NULL"},
    {"taken back", "SELECT count(*) FROM experiment_deployments WHERE rolled_back_at IS NOT NULL"},
    ROWS("experiment_assignments"),
    ROWS("threshold_choices"),
    {"looked at", "SELECT count(*) FROM cited_spans WHERE reviewed_at IS NOT NULL"},
};

/* Other names of routes are for a walk that has the time. */
static bool is_left_out(const struct route *route)
{
    return route->hidden && !getenv("ASSAY_TEST_SOAK");
}

#define PUT(table) "INSERT INTO " table " VALUES "
#define THEN "'2026-01-01T00:00:00.000000+00:00'"

static const char *file_path(const char *name)
{
    static char path[512];

    snprintf(path, sizeof path, "%s/evaluation/experiments/%s", getenv("DATA_DIR"), name);
    return path;
}

/* Of experiments. Hidden is what the next writer of the folder begins anew. */
static int64_t count_files(void)
{
    DIR *directory = opendir(file_path(""));
    const struct dirent *entry;
    int64_t count = 0;

    while (directory && (entry = readdir(directory)))
        count += entry->d_name[0] != '.';
    if (directory)
        closedir(directory);
    return count;
}
#define WALK_FILES count_files

static void remove_files(void)
{
    DIR *directory = opendir(file_path(""));
    const struct dirent *entry;

    while (directory && (entry = readdir(directory)))
        if (entry->d_name[0] != '.')
            (void)unlink(file_path(entry->d_name));
    if (directory)
        closedir(directory);
}

static struct server server; /* of walk.c */

/* Who signs in is in the account store. */
static void add_person(void)
{
    struct new_person person = {.username = "walk",
                                .password_hash =
                                    "$2b$04$abcdefghijklmnopqrstuuczIdKB3PuPUe8ZxmpiYpTQFB9v12pOa",
                                .roles = PERSON_ROLES_NONE,
                                .source = "local"};
    struct arena *arena = arena_create((size_t)1 << 20);
    struct request request = {.server = &server, .arena = arena};
    struct accounts_call call;
    struct person found;
    enum error error = request_accounts(&request, &call);

    roles_set(&person.roles, AREA_SUPPORT, ACCOUNT_AGENT);
    if (!error && person_find(&call, "walk", &found))
        error = person_add(&call, &person, &found);
    if (error) {
        printf("person: %s\n", request.problem.text);
        exit(2);
    }
    arena_destroy(arena);
}

/* What there is of everything, whatever a request has done to it. */
static void make_room(struct db *db)
{
    static const struct statement statements[] = {
        {"no_tokens", "DELETE FROM revoked_tokens"},
        {"no_families", "DELETE FROM token_families"},
        {"no_family", "DELETE FROM token_families WHERE family_id = 'walk'"},
        {"family", PUT("token_families") "('walk', 'walk-refresh', 4102444800)"},
        {"no_sessions", "DELETE FROM sessions WHERE id = 'session-of-the-walk'"},
        {"session", PUT("sessions") "('default', 'session-of-the-walk', " THEN ", " THEN
                                    ", 1, NULL, 'walk', 0)"},
        {"no_ticket", "DELETE FROM escalated_tickets WHERE id = 'ticket-of-the-walk'"},
        {"ticket",
         PUT("escalated_tickets") "('ticket-of-the-walk', 'default', "
                                  "'session-of-the-walk', '" TRACE
                                  "', 'Help?', 'A draft', NULL, 'pending', " THEN ", NULL, NULL)"},
        {"trace",
         "INSERT INTO traces (trace_id, tenant_id, started_at, finished_at,"
         " question, answer, channel, knowledge_gap, cost_usd) VALUES ('" TRACE
         "', 'default', " THEN ", " THEN ", 'Help?', 'No.', 'web', 0, 0) ON CONFLICT DO NOTHING"},
        {"step", "INSERT INTO trace_steps (trace_id, step_order, node_name, state_json,"
                 " ts) VALUES ('" TRACE "', 0, 'log', '{}', " THEN ") ON CONFLICT DO NOTHING"},
        {"no_evaluation", "DELETE FROM trace_evaluations WHERE trace_id = '" TRACE "'"},
        {"evaluation", PUT("trace_evaluations") "('" TRACE "', 'default', 'judge', 0.5, 'ok', "
                                                "'{}', " THEN ")"},
        {"no_gap", "DELETE FROM knowledge_gaps WHERE id = 1"},
        {"gap", PUT("knowledge_gaps") "(1, 'default', 'c', 'Parking', '[]', 3, " THEN ", NULL)"},
        {"no_draft", "DELETE FROM kb_drafts WHERE id = 'draft-of-the-walk'"},
        {"draft", PUT("kb_drafts") "('draft-of-the-walk', 'default', 'Parking', 'text', '[]', "
                                   "'pending', " THEN ", NULL)"},
        {"no_cases", "DELETE FROM review_queue"},
        {"case", PUT("review_queue") "(900, 'case-of-the-walk', 'default', 'manual', 'pending', "
                                     "NULL, " THEN ", NULL, NULL, NULL, 0, NULL, -1, NULL, '')"},
        {"no_deployments", "DELETE FROM experiment_deployments"},
        {"no_assignments", "DELETE FROM experiment_assignments"},
        {"no_jobs", "DELETE FROM jobs"},
        {"no_runs", "DELETE FROM eval_results"},
        {"no_choices", "DELETE FROM threshold_choices"},
        {"choice",
         PUT("threshold_choices") "('default', 'quality_threshold', 80, 'manual', NULL,"
                                  " NULL, NULL, " THEN ", 'walk', NULL, NULL, NULL, NULL)"},
        {"no_span", "DELETE FROM cited_spans WHERE trace_id = '" TRACE "'"},
        {"span", PUT("cited_spans") "('" TRACE "', 1, 'default', 'walk.md', 1, 'No.', 'No.', " THEN
                                    ", " THEN ", NULL)"},
        {"no_document", "DELETE FROM kb_documents WHERE doc_id = 'kept.md'"},
        {"document",
         PUT("kb_documents") "('default', 'kept.md', 1000000, 1, 'Kept', 'upload', 'md',"
                             " 'en', 'x', 4, '[]', 1, 0, 0, " THEN ", " THEN ", 0, NULL, '')"},
        {"no_task", "DELETE FROM tasks WHERE task_id = '00000000-0000-4000-8000-000000000000'"},
        {"task", PUT("tasks") "('00000000-0000-4000-8000-000000000000', 'default', 'walk.md', 'x',"
                              " 'PENDING', NULL, NULL, " THEN ", NULL, '', '')"},
    };

    add_person();
    remove_files();
    do_all(db, statements, COUNT_OF(statements));
}

/* What has to be done to a fresh object before the route can show what it does. */
static const struct {
    enum method method;
    const char *path;
    const char *action;                    /* posted below the object */
} preparations[] = {{METHOD_GET, "", ""}}; /* no route needs any */

#endif
