/* What the fault walk has to know of the orchestrator, which calls nobody here; tests/faults/walk.c
 * includes it. */
#ifndef ASSAY_OF_ORCHESTRATOR_H
#define ASSAY_OF_ORCHESTRATOR_H

#include "counts.h"

#include "db/query.h"
#include "orchestrator/front_error.h"
#include "orchestrator/service.h"

#include <stdio.h>
#include <string.h>

#define VIRTUAL_KEY "sk-assay-key-of-the-fault-walk-000000000000000000000"
#define VIRTUAL_KEY_DIGEST "d3ac1371b772f8404a27d9695547c23d5c58a8822f09f4baf039ef3d6687c3f9"
#define WALK_TASK "00000000-0000-4000-8000-000000000000"
#define WALK_MODEL "gpt-5-4-api" /* known without being added */

static const char *const walk_settings[][2] = {
    {"ORCH_EXECUTION_PROFILE", "dry-run"},
    {"ORCH_RATE_LIMIT_RPM", "0"},
    {"ORCH_SECRETS_KEY", "secret-of-the-fault-walk-with-32-bytes"},
};

/* Of a virtual key where it asks about itself; nobody asks for one elsewhere. */
static const char *token_of(const struct route *route)
{
    return strncmp(route->path, "/v1/key", 7) == 0 ? VIRTUAL_KEY : "nobody asks for one";
}

/* Another name each time, and a change that can be counted. */
static const char *named_body(const struct route *route)
{
    static char text[512];
    static unsigned number;
    static const struct {
        const char *path, *rest;
    } bodies[] = {
        {"/api/v1/customers", ""},
        {"/api/v1/customers/{customer_id}", ",\"active\":false"},
        {"/api/v1/teams", ",\"customer_id\":\"customer-of-the-walk\""},
        {"/api/v1/teams/{team_id}", ",\"active\":false"},
        {"/api/v1/keys",
         ",\"team_id\":\"team-of-the-walk\",\"allowed_models\":[\"" WALK_MODEL "\"]"},
        {"/api/v1/keys/{key_id}", ",\"active\":false"},
        {"/api/v1/models",
         ",\"provider\":\"openai\",\"model\":\"m\",\"api_key\":\"key-of-a-provider\""},
        {"/api/v1/templates",
         ",\"messages\":[{\"role\":\"user\",\"content\":\"Greet {{name}}.\"}]"},
    };

    for (size_t i = 0; i < COUNT_OF(bodies); i++) {
        if (strcmp(route->path, bodies[i].path) != 0)
            continue;
        snprintf(text, sizeof text, "{\"%s\":\"name-%u\"%s}",
                 strcmp(route->path, "/api/v1/models") == 0 ? "id" : "name", ++number,
                 bodies[i].rest);
        return text;
    }
    return NULL;
}

static const char *body_of(const struct route *route)
{
    static const struct {
        const char *path, *body;
    } bodies[] = {
        {"/v1/chat/completions",
         "{\"model\":\"" WALK_MODEL "\",\"stream\":true,"
         "\"messages\":[{\"role\":\"user\",\"content\":\"What is Python?\"}]}"},
        {"/v1/messages", "{\"model\":\"" WALK_MODEL "\",\"max_tokens\":100,"
                         "\"messages\":[{\"role\":\"user\",\"content\":\"What is Python?\"}]}"},
        {"/api/v1/budgets", "{\"owner_kind\":\"team\",\"owner_id\":\"team-of-the-walk\","
                            "\"period\":\"month\",\"limit_usd\":100}"},
        {"/api/v1/budgets/{budget_id}", "{\"limit_usd\":7}"},
        {"/api/v1/templates/{name}/production", "{\"version\":1}"},
        {"/api/v1/models/{model_id}/key", "{\"api_key\":\"key-of-a-provider\"}"},
    };
    const char *named;

    if (route->method == METHOD_GET || route->method == METHOD_DELETE)
        return NULL;
    named = named_body(route);
    for (size_t i = 0; !named && i < COUNT_OF(bodies); i++)
        if (strcmp(route->path, bodies[i].path) == 0)
            named = bodies[i].body;
    if (named)
        return named;
    if (route->form)
        return "--walk\r\nContent-Disposition: form-data; name=\"prompt\"\r\n\r\nWhat is this?\r\n"
               "--walk\r\nContent-Disposition: form-data; name=\"files\"; filename=\"walk.txt\"\r\n"
               "Content-Type: text/plain\r\n\r\nA text.\r\n--walk--\r\n";
    return route->body ? route->body->example : NULL;
}

static const char *type_of(const struct route *route)
{
    return route->form ? "multipart/form-data; boundary=walk" : "application/json";
}
#define WALK_TYPE type_of

static const char *place_of(const char *name)
{
    return strcmp(name, "model_id") == 0 ? WALK_MODEL : WALK_TASK;
}
#define WALK_PLACE place_of
#define WALK_ID "name" /* of a template */

/* The state of the service, which tells a fault; and models that were added meanwhile. */
#define WALK_ANSWERS_VARY                                                                          \
    (strcmp(family.name, "system") == 0 || strstr(route->path, "/models") != NULL)

/* The front has a form of its own. */
static bool is_envelope(const struct route *route, int status, const json_t *document)
{
    if (front_has_path(route->path))
        return json_object_get(json_object_get(document, "error"), "message");
    return json_integer_value(json_object_get(document, "status")) == status &&
           json_object_get(document, "detail") && json_object_get(document, "title") &&
           json_object_get(document, "request_id");
}

#define ROWS(table)                                                                                \
    {                                                                                              \
        "count_" table, "SELECT count(*) FROM " table                                              \
    }
/* What is written before the end is a task in progress: a sweep ends it when its worker is gone. */
static const struct statement row_counts[] = {
    {"succeeded", "SELECT count(*) FROM orch_tasks WHERE status = 'succeeded'"},
    {"steps of those", "SELECT count(*) FROM orch_task_steps WHERE task_id IN"
                       " (SELECT task_id FROM orch_tasks WHERE status = 'succeeded')"},
    {"ends of those", "SELECT count(*) FROM orch_task_events WHERE event_type = 'task.completed'"
                      " AND task_id IN"
                      " (SELECT task_id FROM orch_tasks WHERE status = 'succeeded')"},
    {"ended without success", "SELECT count(*) FROM orch_tasks WHERE status = 'succeeded'"
                              " AND failure_code IS NOT NULL"},
    ROWS("orch_responses"),
    ROWS("orch_customers"),
    ROWS("orch_teams"),
    ROWS("orch_keys"),
    ROWS("orch_budgets"),
    ROWS("orch_templates"),
    ROWS("orch_models"),
    {"idle customers", "SELECT count(*) FROM orch_customers WHERE active = 0"},
    {"idle teams", "SELECT count(*) FROM orch_teams WHERE active = 0"},
    {"idle keys", "SELECT count(*) FROM orch_keys WHERE active = 0"},
    {"changed budgets", "SELECT count(*) FROM orch_budgets WHERE limit_nano_usd = 7000000000"},
    {"templates in production", "SELECT count(*) FROM orch_templates WHERE production = 1"},
    {"keys of models", "SELECT count(*) FROM orch_models WHERE sealed_key IS NOT NULL"},
    {"versions of models", "SELECT version FROM orch_models_version"},
    {"judged votes", "SELECT count(*) FROM orch_votes WHERE right_votes IS NOT NULL"},
};

/* An answer goes out also where it could not be stored, and says so. */
static bool counts_for(const struct route *route, const char *name)
{
    return strcmp(name, "count_orch_responses") != 0 || route->method == METHOD_DELETE;
}
#define WALK_COUNTS counts_for

static bool is_left_out(const struct route *route)
{
    (void)route;
    return false;
}

static const struct http_family family; /* of its main.c */

/* What there is of everything, whatever a request has done to it. */
static void make_room(struct db *db)
{
    static const struct statement owners[] = {
        {"no_keys", "DELETE FROM orch_keys"},
        {"no_teams", "DELETE FROM orch_teams"},
        {"no_customers", "DELETE FROM orch_customers"},
        {"no_budgets", "DELETE FROM orch_budgets"},
        {"no_templates", "DELETE FROM orch_templates"},
        {"customer", "INSERT INTO orch_customers (customer_id, name, created_at)"
                     " VALUES ('customer-of-the-walk', 'walk', 1)"},
        {"team", "INSERT INTO orch_teams (team_id, customer_id, name, created_at)"
                 " VALUES ('team-of-the-walk', 'customer-of-the-walk', 'walk', 1)"},
        {"key", "INSERT INTO orch_keys (key_id, team_id, name, key_hash, key_prefix, created_at)"
                " VALUES ('key-of-the-walk', 'team-of-the-walk', 'walk', '" VIRTUAL_KEY_DIGEST
                "', 'sk-assay-key', 1)"},
    };
    static const struct statement models[] = {{"no_models", "DELETE FROM orch_models"}};
    static const struct statement tasks[] = {
        {"no_task", "DELETE FROM orch_tasks WHERE task_id = '" WALK_TASK "'"},
        {"task", "INSERT INTO orch_tasks (task_id, status, accepted_at, prompt, execution_mode)"
                 " VALUES ('" WALK_TASK "', 'failed', '2026-01-01T00:00:00.000000+00:00',"
                 " 'What is Python?', 'dry_run')"},
        {"accepted",
         "INSERT INTO orch_task_events (event_id, task_id, sequence_no, event_type, created_at,"
         " payload) VALUES ('event-of-the-walk', '" WALK_TASK "', 1, 'task.accepted',"
         " '2026-01-01T00:00:00.000000+00:00',"
         " '{\"execution_plan\":{\"steps\":[{\"model_id\":\"" WALK_MODEL "\"}]}}')"},
        {"no_votes", "DELETE FROM orch_votes"},
        {"votes",
         "INSERT INTO orch_votes (task_id, task_type, models, voters, first_votes,"
         " second_votes, sizes, asked_at) VALUES ('" WALK_TASK "', 'general', 'a,b,c', 3, 2,"
         " 1, '[2,1]', '2026-01-01T00:00:00.000000+00:00')"},
        {"no_models", "DELETE FROM orch_models"},
        {"model",
         "INSERT INTO orch_models (model_id, spec, added_at) VALUES ('" WALK_MODEL "', '{}', 1)"},
    };

    if (strcmp(family.name, "light") == 0)
        do_all(db, models, COUNT_OF(models));
    if (strcmp(family.name, "keys") == 0)
        do_all(db, owners, COUNT_OF(owners));
    if (strcmp(family.name, "tasks") == 0)
        do_all(db, tasks, COUNT_OF(tasks));
}

static const struct {
    enum method method;
    const char *path;
    const char *action;
} preparations[] = {{METHOD_GET, "", ""}}; /* no route needs any */

#endif
