/* The experiments service, family chat: what a chat platform calls. In a pool of its own, because
 * the platform waits for three seconds only. Routes only. */
#include "experiments-chat/calls.h"
#include "experiments/service.h"

#define FORM "application/x-www-form-urlencoded"

static const struct route routes[] = {
    {.method = METHOD_POST,
     .path = "/chatapp/commands",
     .body_limit = LIMIT_CHATAPP,
     .takes = FORM,
     .reply = &chat_reply_schema,
     .errors = ERRORS(401, 403, 429, 503),
     .headers = HEADERS("X-Chatapp-Request-Timestamp", "X-Chatapp-Signature"),
     .handler = chat_command_handle,
     .name = "chat_command",
     .tag = "chatapp",
     .summary = "The slash command",
     .help = "Signed by the chat platform. `projects`, `status <project_id>`, `run <project_id>`; "
             "an analysis is done afterwards and told at the response_url."},
};

static const struct http_family family = {
    .service = &experiments_service, .name = "chat", ROUTES(routes)};

int main(int argc, char **argv)
{
    return responder_main(argc, argv, &family);
}
