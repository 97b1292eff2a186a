/* The orchestrator, family streams: streamed answers, and the OpenAI-compatible endpoint. A worker
 * here serves one conversation at a time. */
#include "orchestrator-streams/completion.h"
#include "orchestrator-streams/conversation.h"
#include "orchestrator-streams/front.h"
#include "orchestrator-streams/stream.h"
#include "orchestrator/bodies.h"
#include "orchestrator/service.h"

static const struct route routes[] = {
    {.method = METHOD_POST,
     .path = "/api/v1/orchestrate/stream",
     .traits = TRAIT_PROMPT,
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
};

static const struct http_family family = {
    .service = &orchestrator_service, .name = "streams", ROUTES(routes)};

int main(int argc, char **argv)
{
    return responder_main(argc, argv, &family);
}
