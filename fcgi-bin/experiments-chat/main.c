/* The experiments service, family chat: calls of the chat platform, and the install of the app. In
 * a pool of its own, because the platform waits for three seconds only. Routes only. */
#include "experiments-chat/calls.h"
#include "experiments-chat/install.h"
#include "experiments/service.h"

#define FORM "application/x-www-form-urlencoded"
#define PROOF HEADERS("X-Chatapp-Request-Timestamp", "X-Chatapp-Signature")

static const struct route routes[] = {
    {.method = METHOD_POST,
     .path = "/chatapp/commands",
     .any_query = true,
     .body_limit = LIMIT_CHATAPP,
     .takes = FORM,
     .reply = &chat_reply_schema,
     .errors = ERRORS(401, 403, 429, 503),
     .headers = PROOF,
     .handler = chat_command_handle,
     .no_tool = true,
     .name = "chat_command",
     .tag = "chatapp",
     .summary = "The slash command",
     .help = "Signed by the chat platform. `projects`, `status <project_id>`, `run <project_id>`; "
             "an analysis is done afterwards and told at the response_url."},
    {.method = METHOD_POST,
     .path = "/chatapp/interactive",
     .any_query = true,
     .body_limit = LIMIT_CHATAPP,
     .takes = FORM,
     .reply = &chat_reply_schema,
     .errors = ERRORS(401, 403, 429, 503),
     .headers = PROOF,
     .handler = chat_interactive_handle,
     .no_tool = true,
     .name = "chat_interactive",
     .tag = "chatapp",
     .summary = "A button was pressed",
     .help = "Signed by the chat platform; the field `payload` is JSON."},
    {.method = METHOD_POST,
     .path = "/chatapp/events",
     .any_query = true,
     .body_limit = LIMIT_CHATAPP,
     .takes = "application/json",
     .reply = &chat_event_reply_schema,
     .errors = ERRORS(401, 429, 503),
     .headers = PROOF,
     .handler = chat_event_handle,
     .no_tool = true,
     .name = "chat_event",
     .tag = "chatapp",
     .summary = "An event of the platform",
     .help = "Signed by the chat platform. The challenge of `url_verification` is given back."},
    {.method = METHOD_GET,
     .path = "/chatapp/install",
     .any_query = true,
     .status = 307,
     .errors = ERRORS(503),
     .handler = install_handle,
     .no_tool = true,
     .name = "chat_install",
     .tag = "chatapp",
     .summary = "Begin to install the app",
     .help = "Sends the browser to the chat platform."},
    {.method = METHOD_GET,
     .path = "/chatapp/oauth/callback",
     .query = &install_query_schema,
     .reply = &installed_schema,
     .errors = ERRORS(400, 403, 502, 503),
     .handler = install_callback_handle,
     .no_tool = true,
     .name = "chat_install_callback",
     .tag = "chatapp",
     .summary = "End of an install",
     .help =
         "Where the chat platform sends the browser that began it. Who prefers HTML is sent on to "
         "the settings page with 303, however it went."},
    {.method = METHOD_GET,
     .path = "/api/v1/chatapp/status",
     .role = ROLE_READER,
     .reply = &chat_status_schema,
     .handler = chat_status_handle,
     .name = "chat_status",
     .tag = "chatapp",
     .summary = "Is the app configured and installed?"},
};

static const struct http_family family = {
    .service = &experiments_service, .name = "chat", ROUTES(routes)};

int main(int argc, char **argv)
{
    return responder_main(argc, argv, &family);
}
