/* The orchestrator, family streams: words as they come, and the front that clients of OpenAI's
 * interface speak to. A worker here holds one conversation at a time. */
#include "orchestrator-streams/completion.h"
#include "orchestrator-streams/conversation.h"
#include "orchestrator-streams/front.h"
#include "orchestrator-streams/stream.h"
#include "orchestrator/bodies.h"
#include "orchestrator/service.h"

static const struct route routes[] = {
    {.method = METHOD_POST,
     .path = "/api/v1/orchestrate/stream",
     .role = ORCHESTRATOR_CALLER,
     .body = &orchestrate_body_schema,
     .media_type = "text/event-stream",
     .errors = ERRORS(429, 503),
     .handler = orchestrate_stream_handle,
     .name = "orchestrate_stream",
     .tag = "orchestration",
     .summary = "Put a prompt to one model, word by word",
     .help = "Events: accepted, delta, splice where another model goes on, complete or error."},
    {.method = METHOD_POST,
     .path = "/v1/chat/completions",
     .role = ORCHESTRATOR_CALLER,
     .body = &completion_body_schema,
     .unfit_status = 400,
     .reply = &completion_schema,
     .errors = ERRORS(404, 409, 415, 422, 429, 502, 503, 504),
     .handler = completions_handle,
     .name = "chat_completions",
     .tag = "front",
     .summary = "Complete a conversation, as clients of OpenAI ask for it",
     .help = "With `stream`, chunks come as server-sent events."},
    {.method = METHOD_GET,
     .path = "/v1/models",
     .role = ORCHESTRATOR_CALLER,
     .reply = &front_models_schema,
     .errors = ERRORS(429),
     .handler = front_models_handle,
     .name = "front_models",
     .tag = "front",
     .summary = "Models, as clients of OpenAI ask for them"},
    {.method = METHOD_GET,
     .path = "/v1/models/{model}",
     .tail = true,
     .role = ORCHESTRATOR_CALLER,
     .reply = &front_model_schema,
     .errors = ERRORS(429),
     .handler = front_model_handle,
     .name = "front_model",
     .tag = "front",
     .summary = "One of them"},
};

static const struct http_family family = {
    .service = &orchestrator_service, .name = "streams", ROUTES(routes)};

int main(int argc, char **argv)
{
    return responder_main(argc, argv, &family);
}
