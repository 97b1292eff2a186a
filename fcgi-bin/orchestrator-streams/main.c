/* The orchestrator, family streams: streamed answers, and the OpenAI-compatible endpoint. A worker
 * serves thousands of conversations, which mostly wait. */
#include "orchestrator-streams/chat_completions.h"
#include "orchestrator-streams/completion.h"
#include "orchestrator-streams/completions.h"
#include "orchestrator-streams/conversation.h"
#include "orchestrator-streams/embeddings.h"
#include "orchestrator-streams/messages.h"
#include "orchestrator-streams/messages_body.h"
#include "orchestrator-streams/response_body.h"
#include "orchestrator-streams/response_rows.h"
#include "orchestrator-streams/responses.h"
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
     .body_limit = LIMIT_GATEWAY,
     .unfit_status = 400,
     .reply = &completion_schema,
     .errors = ERRORS(404, 409, 415, 422, 429, 502, 503, 504),
     .handler = chat_completions_handle,
     .name = "chat_completions",
     .tag = "front",
     .summary = "Complete a conversation, as clients of OpenAI ask for it",
     .help = "With `stream`, chunks come as server-sent events."},
    {.method = METHOD_POST,
     .path = "/v1/messages",
     .role = ORCHESTRATOR_CALLER,
     .body = &messages_body_schema,
     .body_limit = LIMIT_GATEWAY,
     .unfit_status = 400,
     .reply = &message_answer_schema,
     .errors = ERRORS(404, 409, 415, 422, 429, 502, 503, 504),
     .handler = messages_handle,
     .name = "messages",
     .tag = "front",
     .summary = "Complete a conversation, as clients of Anthropic ask for it",
     .help = "With `stream`, Anthropic's events come as server-sent events."},
    {.method = METHOD_POST,
     .path = "/v1/responses",
     .role = ORCHESTRATOR_CALLER,
     .body = &response_body_schema,
     .body_limit = LIMIT_GATEWAY,
     .unfit_status = 400,
     .reply = &response_schema,
     .errors = ERRORS(404, 409, 415, 422, 429, 502, 503, 504),
     .handler = responses_handle,
     .name = "responses",
     .tag = "front",
     .summary = "Answer, and keep the answer for requests that build on it",
     .help = "With `stream`, OpenAI's events come as server-sent events."},
    {.method = METHOD_GET,
     .path = "/v1/responses/{response_id}",
     .role = ORCHESTRATOR_CALLER,
     .reply = &response_schema,
     .errors = ERRORS(404, 429, 503),
     .handler = response_get_handle,
     .name = "response",
     .tag = "front",
     .summary = "An own stored answer"},
    {.method = METHOD_DELETE,
     .path = "/v1/responses/{response_id}",
     .role = ORCHESTRATOR_CALLER,
     .reply = &response_deleted_schema,
     .errors = ERRORS(404, 429, 503),
     .handler = response_delete_handle,
     .name = "response_delete",
     .tag = "front",
     .summary = "Delete an own stored answer"},
    {.method = METHOD_GET,
     .path = "/v1/responses/{response_id}/input_items",
     .role = ORCHESTRATOR_CALLER,
     .query = &response_items_query_schema,
     .reply = &response_items_schema,
     .errors = ERRORS(404, 422, 429, 503),
     .handler = response_input_handle,
     .name = "response_input_items",
     .tag = "front",
     .summary = "The items that a stored answer was asked with"},
    {.method = METHOD_POST,
     .path = "/v1/embeddings",
     .role = ORCHESTRATOR_CALLER,
     .body = &embeddings_body_schema,
     .body_limit = LIMIT_GATEWAY,
     .unfit_status = 400,
     .reply = &embeddings_schema,
     .errors = ERRORS(404, 409, 415, 422, 429, 502, 503, 504),
     .handler = embeddings_handle,
     .name = "embeddings",
     .tag = "front",
     .summary = "Vectors of texts"},
    {.method = METHOD_POST,
     .path = "/v1/completions",
     .role = ORCHESTRATOR_CALLER,
     .body = &text_completion_body_schema,
     .body_limit = LIMIT_GATEWAY,
     .unfit_status = 400,
     .reply = &text_completion_schema,
     .errors = ERRORS(404, 409, 415, 422, 429, 502, 503, 504),
     .handler = completions_handle,
     .name = "completions",
     .tag = "front",
     .summary = "Complete a prompt, as older clients of OpenAI ask for it",
     .help = "With `stream`, chunks come as server-sent events."},
};

static const struct http_family family = {
    .service = &orchestrator_service, .name = "streams", ROUTES(routes), .concurrent = true};

int main(int argc, char **argv)
{
    return responder_main(argc, argv, &family);
}
