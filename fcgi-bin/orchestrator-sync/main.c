/* The orchestrator, family sync: what waits for models until it can be answered as a whole. A
 * worker here waits and does nothing else; how many there are is how many requests wait at a time.
 */
#include "orchestrator-sync/orchestrate.h"
#include "orchestrator-sync/patterns.h"
#include "orchestrator-sync/smart.h"
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
    {.method = METHOD_POST,
     .path = "/api/v1/smart",
     .role = ORCHESTRATOR_CALLER,
     .body = &smart_body_schema,
     .reply = &smart_answer_schema,
     .errors = ERRORS(400, 429, 503),
     .handler = smart_handle,
     .name = "smart",
     .tag = "orchestration",
     .summary = "Ask as the prompt deserves",
     .help = "With `Accept: text/event-stream`, candidates come as events before the answer."},
    {.method = METHOD_POST,
     .path = "/api/v1/smart/v2",
     .role = ORCHESTRATOR_CALLER,
     .body = &smart_body_schema,
     .reply = &smart_v2_answer_schema,
     .errors = ERRORS(400, 429, 503),
     .handler = smart_v2_handle,
     .name = "smart_v2",
     .tag = "orchestration",
     .summary = "The same, with debated consensus",
     .help = "With `Accept: text/event-stream`, candidates come as events before the answer."},
    {.method = METHOD_POST,
     .path = "/api/v1/consensus",
     .role = ORCHESTRATOR_CALLER,
     .body = &consensus_body_schema,
     .reply = &consensus_answer_schema,
     .errors = ERRORS(400, 429, 500, 503),
     .handler = consensus_handle,
     .name = "consensus",
     .tag = "orchestration",
     .summary = "Ask until the answers agree"},
    {.method = METHOD_POST,
     .path = "/api/v1/compare",
     .role = ORCHESTRATOR_CALLER,
     .body = &compare_body_schema,
     .reply = &compare_answer_schema,
     .errors = ERRORS(429, 503),
     .handler = compare_handle,
     .name = "compare",
     .tag = "orchestration",
     .summary = "Put a prompt to models side by side"},
    {.method = METHOD_POST,
     .path = "/api/v1/debate",
     .role = ORCHESTRATOR_CALLER,
     .body = &debate_body_schema,
     .reply = &debate_answer_schema,
     .errors = ERRORS(400, 429, 503),
     .handler = debate_handle,
     .name = "debate",
     .tag = "orchestration",
     .summary = "Let a model argue with itself"},
    {.method = METHOD_POST,
     .path = "/api/v1/batch",
     .role = ORCHESTRATOR_CALLER,
     .body = &batch_body_schema,
     .reply = &batch_answer_schema,
     .errors = ERRORS(400, 429, 503),
     .handler = batch_handle,
     .name = "batch",
     .tag = "orchestration",
     .summary = "Put several prompts to one model"},
    {.method = METHOD_POST,
     .path = "/api/v1/pipeline",
     .role = ORCHESTRATOR_CALLER,
     .body = &pipeline_body_schema,
     .reply = &pipeline_answer_schema,
     .errors = ERRORS(400, 429, 503),
     .handler = pipeline_handle,
     .name = "pipeline",
     .tag = "orchestration",
     .summary = "Ask by level, perhaps a model of each provider"},
};

static const struct http_family family = {
    .service = &orchestrator_service, .name = "sync", ROUTES(routes)};

int main(int argc, char **argv)
{
    return responder_main(argc, argv, &family);
}
