/* Calls of the chat platform, each signed; answers are messages in its form. */
#include "experiments-chat/calls.h"

#include "experiments-chat/gate.h"
#include "experiments/chat/command.h"
#include "experiments/chat/platform.h"

#include <string.h>

enum { NAME_BYTES_MAX = 64 };

struct chat_message {
    const char *response_type;
    bool replace_original;
    const char *text;
    json_t *blocks;
};

#define OWNER struct chat_message
static const struct field reply_fields[] = {
    STRING(OWNER, response_type, .help = "Always ephemeral: only the one who asked sees it."),
    BOOLEAN(OWNER, replace_original),
    STRING(OWNER, text),
    JSON_OBJECTS(OWNER, blocks, .left_out = true, .help = "Sections and buttons of a status."),
};
#undef OWNER
SCHEMA(chat_reply_schema, struct chat_message, "ChatReply", reply_fields,
       .help = "A message in the chat platform's form.");

static const char *filled(const char *text)
{
    return text && *text ? text : NULL;
}

/* Who did it, for the audit log; ids of people are short and plain. */
static const char *user_name(const char *id)
{
    bool plain =
        filled(id) && strlen(id) <= NAME_BYTES_MAX &&
        !id[strspn(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")];

    return plain ? id : "chatapp";
}

static enum error open_session(struct request *request, const char *user, const char *response_url,
                               struct chat_session *session)
{
    const struct experiments_settings *settings = service_settings(request);
    struct chat_desk *desk = ARENA_NEW(request->arena, struct chat_desk);

    *desk =
        (struct chat_desk){locale_get((enum language)settings->chatapp_language), request->arena};
    *session = (struct chat_session){
        .settings = settings,
        .desk = desk,
        .actor = {.name = user_name(user),
                  .request_id = request->id,
                  .ip_address = request->client.resolved},
        .key = request_header(request, "HTTP_X_CHATAPP_SIGNATURE"), /* of this call and no other */
        .response_url = filled(response_url),
        .problem = &request->problem};
    if (session->response_url) {
        enum error error =
            platform_check_response_url(settings, session->response_url, &request->problem);

        if (error)
            return error;
    }
    return service_database(request, &session->db);
}

static enum error answer(struct reply *reply, enum error error, const char *message)
{
    if (!error)
        text_append_string(&reply->body, message);
    return error;
}

enum error chat_command_handle(struct request *request, struct reply *reply)
{
    const char *text, *message = NULL;
    struct chat_session session;
    enum error error = gate_signed(request, reply);

    if (!error)
        error = gate_team(request, request_form_value(request, "team_id"));
    if (!error)
        error = open_session(request, request_form_value(request, "user_id"),
                             request_form_value(request, "response_url"), &session);
    if (error)
        return error;
    text = request_form_value(request, "text");
    error = chat_command(&session, text ? text : "", &message);
    return answer(reply, error, message);
}
