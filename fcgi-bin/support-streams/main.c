/* The support service, family streams: pages that wait for replies and tickets. One process keeps
 * all streams. Routes only. */
#include "support-streams/events.h"
#include "support/service.h"

static const struct route routes[] = {
    {.method = METHOD_GET,
     .path = "/api/sessions/{session_id}/events",
     .role = SUPPORT_VIEWER,
     .traits = TRAIT_VISITOR,
     .media_type = "text/event-stream",
     .errors = ERRORS(404, 503),
     .headers = HEADERS("Last-Event-ID"),
     .handler = conversation_stream_handle,
     .name = "session_events",
     .tag = "sessions",
     .summary = "Replies of the support team in a conversation, as they arrive",
     .help = "An event names the conversation; its history has the reply."},
    {.method = METHOD_GET,
     .path = "/api/agent/events",
     .role = SUPPORT_AGENT,
     .media_type = "text/event-stream",
     .errors = ERRORS(503),
     .headers = HEADERS("Last-Event-ID"),
     .handler = inbox_stream_handle,
     .name = "inbox_events",
     .tag = "tickets",
     .summary = "Tickets as they are opened, assigned and resolved"},
};

static const struct http_family family = {
    .service = &support_service, .name = "streams", ROUTES(routes), .hub = &conversation_hub};

int main(int argc, char **argv)
{
    return responder_main(argc, argv, &family);
}
