/* What the fault walk has to know of the orchestrator, which calls nobody here; tests/faults/walk.c
 * includes it. */
#ifndef ASSAY_OF_ORCHESTRATOR_H
#define ASSAY_OF_ORCHESTRATOR_H

#include "db/query.h"
#include "orchestrator/front_error.h"
#include "orchestrator/service.h"

#include <string.h>

static const char *const walk_settings[][2] = {
    {"ORCH_EXECUTION_PROFILE", "dry-run"},
    {"ORCH_RATE_LIMIT_RPM", "0"},
};

static const char *token_of(const struct route *route)
{
    (void)route;
    return "nobody asks for one";
}

static const char *body_of(const struct route *route)
{
    if (strcmp(route->path, "/v1/chat/completions") == 0)
        return "{\"model\":\"gpt-5-4-api\",\"stream\":true,"
               "\"messages\":[{\"role\":\"user\",\"content\":\"What is Python?\"}]}";
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

/* How the service is, which a fault is told of by. */
#define WALK_ANSWERS_VARY (strcmp(family.name, "system") == 0)

/* The front has a form of its own. */
static bool is_envelope(const struct route *route, int status, const json_t *document)
{
    if (front_has_path(route->path))
        return json_object_get(json_object_get(document, "error"), "message");
    return json_integer_value(json_object_get(document, "status")) == status &&
           json_object_get(document, "detail") && json_object_get(document, "title") &&
           json_object_get(document, "request_id");
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
};

/* Of these a second request meets what the first has made or deleted: names that are taken, a
 * budget of an owner that the walk would have to make, a stored answer whose deletion is counted as
 * one. */
static bool is_left_out(const struct route *route)
{
    static const char *const prefixes[] = {"/api/v1/customers", "/api/v1/teams", "/api/v1/keys",
                                           "/api/v1/budgets"};

    for (size_t i = 0; i < COUNT_OF(prefixes); i++)
        if (strncmp(route->path, prefixes[i], strlen(prefixes[i])) == 0 &&
            route->method != METHOD_GET)
            return true;
    return route->method == METHOD_DELETE && strncmp(route->path, "/v1/responses", 13) == 0;
}

static void make_room(struct db *db)
{
    (void)db; /* nothing of it is limited */
}

static const struct {
    enum method method;
    const char *path;
    const char *action;
} preparations[] = {{METHOD_GET, "", ""}}; /* no route needs any */

#endif
