/* The orchestrator, family sync: what waits for models until it can be answered as a whole. A
 * worker here waits and does nothing else; how many there are is how many requests wait at a time.
 */
#include "orchestrator-sync/orchestrate.h"
#include "orchestrator/bodies.h"
#include "orchestrator/service.h"
#include "orchestrator/task_answer.h"

static const struct route routes[] = {
    {.method = METHOD_POST,
     .path = "/api/v1/orchestrate",
     .role = ORCHESTRATOR_CALLER,
     .body = &orchestrate_body_schema,
     .reply = &task_answer_schema,
     .errors = ERRORS(429, 503, 504),
     .handler = orchestrate_handle,
     .name = "orchestrate",
     .tag = "orchestration",
     .summary = "Put a prompt to several models",
     .help = "Answered with 200 also when the task has failed: `status` says so."},
};

static const struct http_family family = {
    .service = &orchestrator_service, .name = "sync", ROUTES(routes)};

int main(int argc, char **argv)
{
    return responder_main(argc, argv, &family);
}
