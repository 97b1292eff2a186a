/* What the fault walk has to know of the support service, family ask; tests/api/faults.c includes
 * it. */
#ifndef ASSAY_FAULTS_OF_SUPPORT_ASK_H
#define ASSAY_FAULTS_OF_SUPPORT_ASK_H

#include "db/query.h"
#include "support/service.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEY "key-of-the-fault-walk"

static const char *const walk_settings[][2] = {
    {"API_KEY", KEY},
    {"RATE_LIMIT_ENABLED", "false"},
};

/* Not a token: what is no JWT would be refused before the key is looked at. */
static const char *token_of(const struct route *route)
{
    (void)route;
    return NULL;
}

static const char *prove(const char *name, const char *body)
{
    (void)body;
    return strcmp(name, "HTTP_X_API_KEY") == 0 ? KEY : NULL;
}
#define WALK_PROOF prove
#define WALK_EVERY_ONE 120
#define WALK_STRIDE 12

static const char *body_of(const struct route *route)
{
    static const struct {
        const char *path, *body;
    } bodies[] = {
        {"/api/ask", "{\"question\":\"How long can goods be returned?\"}"},
        {"/api/chat", "{\"question\":\"How long can goods be returned?\"}"},
        {"/api/feedback", "{\"trace_id\":\"t\",\"session_id\":\"s\",\"rating\":\"up\"}"},
        {"/api/escalate", "{\"session_id\":\"s\",\"question\":\"Help?\"}"},
        {"/api/auth/login", "{\"username\":\"admin\",\"password\":\"admin\"}"},
        {"/api/auth/refresh", "{\"refresh_token\":\"nobody's\"}"},
    };

    for (size_t i = 0; i < COUNT_OF(bodies); i++)
        if (strcmp(route->path, bodies[i].path) == 0)
            return bodies[i].body;
    return route->body ? route->body->example : NULL;
}

static bool is_envelope(const struct route *route, int status, const json_t *document)
{
    (void)route;
    (void)status;
    return json_object_get(document, "detail") && json_object_get(document, "error_code") &&
           json_object_get(document, "request_id");
}

/* An answer is given even where its conversation or its trace could not be kept, so that only what
 * must never be is counted: a trace that is over without its steps, steps and messages of nobody.
 */
static const struct statement row_counts[] = {
    {"traces without steps",
     "SELECT count(*) FROM traces WHERE finished_at IS NOT NULL AND NOT EXISTS"
     " (SELECT 1 FROM trace_steps WHERE trace_steps.trace_id = traces.trace_id)"},
    {"steps of nobody", "SELECT count(*) FROM trace_steps WHERE NOT EXISTS"
                        " (SELECT 1 FROM traces WHERE traces.trace_id = trace_steps.trace_id)"},
    {"votes", "SELECT count(*) FROM feedback"},
};

/* The other name of a route, and streams, whose frames name their kind inside. */
static bool is_left_out(const struct route *route)
{
    return strstr(route->path, "/stream") || strcmp(route->path, "/api/chat") == 0;
}

static void make_room(struct db *db)
{
    (void)db;
}

static const struct {
    enum method method;
    const char *path;
    const char *action;
} preparations[] = {{METHOD_GET, "", ""}}; /* no route needs any */

#endif
