/* Bodies of webhooks: keys in a fixed order, ASCII, so that receivers can verify signatures. */
#include "experiments/webhooks/subscription_body.h"
#include "base/json.h"
#include "base/string_list.h"
#include "experiments/chat/message.h"

#include <string.h>

enum { BODY_BYTES_MAX = 512 * 1024, NAME_BYTES_MAX = 240 /* one line of a message */ };

const char *const subscription_format_names[FORMAT__MAX] = {"generic", "chatapp"};

static const char *const reported[] = {
    "project.create",    "project.update",          "project.archive",
    "project.restore",   "project.delete",          "analysis.approve",
    "export_created",    "analysis_run_created",    "workspace_imported",
    "api_key_created",   "api_key_revoked",         "api_key_deleted",
    "api_key_used",      "experiment.ship",         "experiment.stop",
    "experiment.reopen", "experiment.alarm_raised", "experiment.alarm_ended",
};

bool subscription_reports(const char *action)
{
    for (size_t i = 0; i < sizeof reported / sizeof reported[0]; i++)
        if (strcmp(reported[i], action) == 0)
            return true;
    return false;
}

/* A difference that is too large is omitted: the audit log has it. */
static void write_diff(struct json_writer *writer, struct arena *arena, const char *diff)
{
    struct json_fault fault;
    json_t *json;

    if (!diff || strlen(diff) > BODY_BYTES_MAX / 8 ||
        json_read(arena, diff, strlen(diff), JSON_DEPTH_LIMIT, &json, &fault))
        writer_null(writer);
    else
        writer_value_sorted(writer, json);
}

static void write_generic(struct json_writer *writer, struct arena *arena,
                          const struct audit_row *event)
{
    writer_open_object(writer);
    writer_key_string(writer, "event_type", event->action);
    writer_key_string(writer, "event_id", arena_print(arena, "%lld", (long long)event->id));
    writer_key_string(writer, "timestamp", event->ts);
    writer_key_string(writer, "actor", event->actor);
    writer_key(writer, "payload");
    writer_open_object(writer);
    writer_key_string(writer, "project_id", event->project_id);
    writer_key_string(writer, "project_name", event->project_name);
    writer_key_string(writer, "key_id", event->key_id);
    writer_key_string(writer, "request_id", event->request_id);
    writer_key_string(writer, "ip_address", event->ip_address);
    writer_key(writer, "payload_diff");
    write_diff(writer, arena, event->diff);
    writer_close_object(writer);
    writer_close_object(writer);
}

static void write_markdown(struct json_writer *writer, const char *text)
{
    writer_open_object(writer);
    writer_key_string(writer, "type", "mrkdwn");
    writer_key_string(writer, "text", text);
    writer_close_object(writer);
}

static void write_chatapp(struct json_writer *writer, struct arena *arena,
                          const struct audit_row *event)
{
    const char *about =
        event->project_name
            ? arena_print(arena, " for *%s*", chat_text(arena, NAME_BYTES_MAX, event->project_name))
            : (event->key_id ? arena_print(arena, " for `%s`", event->key_id) : "");
    const char *text = arena_print(arena, "`%s`%s", event->action, about);

    writer_open_object(writer);
    writer_key_string(writer, "text", text);
    writer_key(writer, "blocks");
    writer_open_array(writer);
    writer_open_object(writer);
    writer_key_string(writer, "type", "section");
    writer_key(writer, "text");
    write_markdown(writer, text);
    writer_close_object(writer);
    writer_open_object(writer);
    writer_key_string(writer, "type", "section");
    writer_key(writer, "fields");
    writer_open_array(writer);
    write_markdown(writer, arena_print(arena, "*Event*\n%s", event->action));
    write_markdown(writer,
                   arena_print(arena, "*Actor*\n%s", event->actor ? event->actor : "unknown"));
    writer_close_array(writer);
    writer_close_object(writer);
    writer_close_array(writer);
    writer_close_object(writer);
}

const char *subscription_body(struct arena *arena, enum subscription_format format,
                              const struct audit_row *event)
{
    struct json_writer writer;
    struct text text;

    text_start(&text, arena, BODY_BYTES_MAX);
    writer_start(&writer, &text);
    writer.ascii = true;
    if (format == FORMAT_CHATAPP)
        write_chatapp(&writer, arena, event);
    else
        write_generic(&writer, arena, event);
    return text.bytes;
}
