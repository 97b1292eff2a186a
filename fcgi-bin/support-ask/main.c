/* The support service, family ask: questions, votes on answers, asking for a person. A worker is
 * held as long as its question takes. Routes only. */
#include "support-ask/ask.h"
#include "support/service.h"

#define ASKING                                                                                     \
    .method = METHOD_POST, .role = SUPPORT_VIEWER, .traits = TRAIT_ASK, .body = &ask_schema,       \
    .cost = ask_cost, .tag = "ask"

static const struct route routes[] = {
    {ASKING, .path = "/api/ask", .reply = &answer_schema, .errors = ERRORS(400, 404, 429, 503, 504),
     .handler = ask_handle, .name = "ask", .summary = "Ask the knowledge base",
     .help = "Answers from the documents with markers to its sources, or says that it cannot."},
    {ASKING, .path = "/api/chat", .reply = &answer_schema,
     .errors = ERRORS(400, 404, 429, 503, 504), .handler = ask_handle, .name = "chat",
     .summary = "The same", .hidden = true},
    {ASKING, .path = "/api/ask/stream", .media_type = "text/event-stream",
     .errors = ERRORS(400, 404, 429, 503), .handler = ask_stream_handle, .name = "ask_stream",
     .summary = "Ask, and read the answer as it is written",
     .help = "Frames of JSON with a `type`: status, token_start, token, result; or error."},
    {ASKING, .path = "/api/chat/stream", .media_type = "text/event-stream",
     .errors = ERRORS(400, 404, 429, 503), .handler = ask_stream_handle, .name = "chat_stream",
     .summary = "The same", .hidden = true},
    {.method = METHOD_POST,
     .path = "/api/feedback",
     .role = SUPPORT_VIEWER,
     .body = &feedback_schema,
     .status = 204,
     .errors = ERRORS(404),
     .handler = feedback_handle,
     .name = "feedback",
     .tag = "ask",
     .summary = "Vote on an answer"},
    {.method = METHOD_POST,
     .path = "/api/escalate",
     .role = SUPPORT_VIEWER,
     .body = &escalate_schema,
     .reply = &escalated_schema,
     .errors = ERRORS(404),
     .handler = escalate_handle,
     .name = "escalate",
     .tag = "ask",
     .summary = "Ask for a person"},
};

static const struct http_family family = {
    .service = &support_service, .name = "ask", ROUTES(routes)};

int main(int argc, char **argv)
{
    return responder_main(argc, argv, &family);
}
