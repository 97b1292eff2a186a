/* Calls of the chat platform, each signed; answers are messages in its form. */
#include "experiments-chat/calls.h"

#include "experiments-chat/gate.h"
#include "experiments/chat/command.h"
#include "experiments/chat/installation_store.h"
#include "experiments/chat/interaction.h"
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
    JSON_OBJECTS(OWNER, blocks, .omit_if_null = true, .help = "Sections and buttons of a status."),
};
#undef OWNER
SCHEMA(chat_reply_schema, struct chat_message, "ChatReply", reply_fields,
       .help = "A message in the chat platform's form.");

struct event_reply {
    struct optional_boolean ok;
    const char *challenge;
};

#define OWNER struct event_reply
static const struct field event_reply_fields[] = {
    NULLABLE_BOOLEAN(OWNER, ok, .omit_if_null = true),
    STRING(OWNER, challenge, .nullable = true, .omit_if_null = true,
           .help = "What was sent, where the platform verifies the address."),
};
#undef OWNER
SCHEMA(chat_event_reply_schema, struct event_reply, "ChatEventReply", event_reply_fields,
       .help = "The event was taken.");

static const char *filled(const char *text)
{
    return text && *text ? text : NULL;
}

/* The actor for the audit log; ids of users are short and plain. */
static const char *user_name(const char *id)
{
    bool plain =
        filled(id) && strlen(id) <= NAME_BYTES_MAX &&
        !id[strspn(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")];

    return plain ? id : "chatapp";
}

/* The caller, as named in the call; NULL = unknown. */
struct chat_caller {
    const char *team_id;
    const char *user_id;
    const char *response_url;
};

static enum error open_session(struct request *request, const struct chat_caller *caller,
                               struct chat_session *session)
{
    const struct experiments_settings *settings = service_settings(request);
    struct chat_format *format = ARENA_NEW(request->arena, struct chat_format);
    enum error error = ERROR_NONE;

    *format = chat_format_of(settings, request->arena);
    *session = (struct chat_session){
        .settings = settings,
        .format = format,
        .actor = {.name = user_name(caller->user_id),
                  .request_id = request->id,
                  .ip_address = request->client.resolved},
        .team_id = filled(caller->team_id),
        .key = request_header(request, "HTTP_X_CHATAPP_SIGNATURE"), /* unique for this call */
        .response_url = filled(caller->response_url),
        .problem = &request->problem};
    if (session->response_url)
        error = platform_check_response_url(settings, session->response_url, &request->problem);
    if (error)
        return error;
    error = service_database(request, &session->db);
    if (!error)
        installation_note_event(session->db, request->arena, session->team_id);
    return error;
}

static enum error answer(struct reply *reply, enum error error, const char *message)
{
    if (!error)
        text_append_string(&reply->body, message);
    return error;
}

enum error chat_command_handle(struct request *request, struct reply *reply)
{
    enum error error = gate_signed(request, reply);
    const char *text, *message = NULL;
    struct chat_session session;
    struct chat_caller caller;

    if (error)
        return error;
    caller = (struct chat_caller){request_form_value(request, "team_id"),
                                  request_form_value(request, "user_id"),
                                  request_form_value(request, "response_url")};
    error = gate_team(request, caller.team_id);
    if (!error)
        error = open_session(request, &caller, &session);
    if (error)
        return error;
    text = request_form_value(request, "text");
    error = chat_command(&session, text ? text : "", &message);
    return answer(reply, error, message);
}

/* A document that the platform sends is an object. */
static enum error read_object(struct request *request, const char *bytes, size_t length,
                              json_t **object)
{
    int depth = request->server->policy.json_depth;
    struct json_fault fault;

    if (!bytes || json_read(request->arena, bytes, length, depth, object, &fault) ||
        !json_is_object(*object))
        return problem_set(&request->problem, ERROR_INVALID, "chatapp_payload",
                           "What was sent is no JSON object");
    return ERROR_NONE;
}

static const char *text_in(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

enum error chat_interactive_handle(struct request *request, struct reply *reply)
{
    enum error error = gate_signed(request, reply);
    const char *payload, *message = NULL;
    struct chat_session session;
    struct chat_caller caller;
    const json_t *action;
    json_t *object = NULL;

    if (error)
        return error;
    payload = request_form_value(request, "payload");
    error = read_object(request, payload, payload ? strlen(payload) : 0, &object);
    if (error)
        return error;
    caller = (struct chat_caller){text_in(json_object_get(object, "team"), "id"),
                                  text_in(json_object_get(object, "user"), "id"),
                                  text_in(object, "response_url")};
    error = gate_team(request, caller.team_id);
    if (!error)
        error = open_session(request, &caller, &session);
    if (error)
        return error;
    action = json_array_get(json_object_get(object, "actions"), 0);
    error = chat_press(&session, text_in(action, "action_id"), text_in(action, "value"), &message);
    return answer(reply, error, message);
}

enum error chat_event_handle(struct request *request, struct reply *reply)
{
    struct event_reply *answer = ARENA_NEW(request->arena, struct event_reply);
    enum error error = gate_signed(request, reply);
    struct chat_session session;
    const char *type;
    json_t *event = NULL;

    if (!error)
        error = read_object(request, request->bytes, request->length, &event);
    if (error)
        return error;
    reply->object = answer;
    type = text_in(event, "type");
    if (type && strcmp(type, "url_verification") == 0) {
        answer->challenge = text_in(event, "challenge");
        return answer->challenge ? ERROR_NONE
                                 : problem_set(&request->problem, ERROR_INVALID, "chatapp_payload",
                                               "challenge must be a text");
    }
    answer->ok = (struct optional_boolean){true, true};
    error = open_session(request, &(struct chat_caller){.team_id = text_in(event, "team_id")},
                         &session);
    return error ? error : chat_take_event(&session, event);
}
