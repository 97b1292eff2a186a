/* Performs buttons and events. */
#include "experiments/chat/interaction.h"

#include "experiments/audit/audit_store.h"
#include "experiments/chat/command.h"
#include "experiments/chat/installation_store.h"

#include <string.h>

static const char *say_of(const struct chat_format *format, const char *key, const char *id)
{
    return chat_reply(format, chat_translate(format, key, TEXT_ARGUMENTS({"id", id})));
}

static struct key_call call_of(const struct chat_session *session)
{
    return (struct key_call){.db = session->db,
                             .arena = session->format->arena,
                             .actor = &session->actor,
                             .problem = session->problem};
}

static enum error note_approval(const struct chat_session *session, const struct project *project)
{
    const struct audit_event event = {.action = "analysis.approve",
                                      .project_id = project->id,
                                      .project_name = project->project_name};

    return audit_record(session->db, session->format->arena, &session->actor, &event,
                        session->problem);
}

static enum error approve(const struct chat_session *session, const struct project *project,
                          const char **reply)
{
    *reply = say_of(session->format, "chats.approved", project->id);
    return note_approval(session, project);
}

static enum error check_installed(const struct chat_session *session)
{
    const struct key_call call = call_of(session);
    struct installation installation;
    bool found;
    enum error error = installation_find(&call, session->settings->chatapp_client_secret,
                                         session->team_id, &installation, &found);

    if (!error && (!found || !installation.bot_token || !session->settings->chatapp_base_url))
        return problem_set(session->problem, ERROR_UNAVAILABLE, "chatapp_not_configured",
                           "The app is not installed");
    return error;
}

static enum error request_review(const struct chat_session *session, const struct project *project,
                                 const char **reply)
{
    const char *channel = session->settings->chatapp_review_channel;
    const char *user = strcmp(session->actor.name, "chatapp") == 0 ? NULL : session->actor.name;
    enum error error;

    *reply = say_of(session->format, channel ? "chats.review_requested" : "chats.no_review",
                    project->id);
    if (!channel)
        return ERROR_NONE;
    error = check_installed(session);
    return error ? error
                 : chat_enqueue_post(session,
                                     chat_review_post(session->format, channel, user, project));
}

static const struct {
    const char *action;
    enum error (*act)(const struct chat_session *session, const struct project *project,
                      const char **reply);
} buttons[] = {{chat_approve_action, approve}, {chat_review_action, request_review}};

/* A repeated press finds its receipt, and gets the same answer. */
static enum error act_once(const struct chat_session *session, size_t button,
                           const struct project *project, const char **reply)
{
    bool is_new = false;
    enum error error =
        receipt_take(session->db, arena_print(session->format->arena, "press %s", session->key),
                     &is_new, session->problem);

    if (!error && !is_new)
        *reply = say_of(session->format, "chats.noted", project->id);
    if (error || !is_new)
        return error;
    error = buttons[button].act(session, project, reply);
    return error ? error : chat_enqueue_message(session, *reply);
}

static enum error press(const struct chat_session *session, size_t button, const char *id,
                        const char **reply)
{
    struct project project;
    bool found;
    enum error error = chat_find_project(session, id, &project, &found);

    if (error)
        return error;
    if (!found) {
        *reply = chat_not_found(session->format, id);
        return chat_enqueue_message(session, *reply);
    }
    error = db_begin(session->db, DB_WRITE, session->problem);
    if (error)
        return error;
    error = act_once(session, button, &project, reply);
    return db_finish(session->db, error, session->problem);
}

enum error chat_press(const struct chat_session *session, const char *action, const char *value,
                      const char **reply)
{
    for (size_t i = 0; i < sizeof buttons / sizeof buttons[0]; i++)
        if (action && value && *value && strcmp(action, buttons[i].action) == 0)
            return press(session, i, value, reply);
    *reply = chat_reply(session->format,
                        chat_translate(session->format, "chats.noted", NO_TEXT_ARGUMENTS));
    return ERROR_NONE;
}

/* A workspace has uninstalled the app, or revoked its bot's tokens. */
static bool ends_installation(const json_t *event)
{
    const char *type = json_string_value(json_object_get(event, "type"));

    if (!type)
        return false;
    return strcmp(type, "app_uninstalled") == 0 ||
           (strcmp(type, "tokens_revoked") == 0 &&
            json_array_size(json_object_get(json_object_get(event, "tokens"), "bot")) > 0);
}

enum error chat_take_event(const struct chat_session *session, const json_t *event)
{
    const char *id = json_string_value(json_object_get(event, "event_id"));
    const struct key_call call = call_of(session);
    bool is_new = false;
    enum error error;

    if (!session->team_id || !ends_installation(json_object_get(event, "event")))
        return ERROR_NONE; /* has no effect, however often it is sent */
    error = db_begin(session->db, DB_WRITE, session->problem);
    if (error)
        return error;
    error = receipt_take(session->db,
                         arena_print(session->format->arena, "event %s", id ? id : session->key),
                         &is_new, session->problem);
    if (!error && is_new)
        error = installation_remove(&call, session->team_id);
    return db_finish(session->db, error, session->problem);
}
