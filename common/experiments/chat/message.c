/* JSON of messages of the chat platform. */
#include "experiments/chat/message.h"

#include <string.h>

enum {
    FRAME_BYTES_MAX = 32 * 1024, /* round a text: facts, buttons, and the name once more */
};

const char chat_approve_action[] = "approve_analysis", chat_review_action[] = "request_review";

struct chat_desk chat_desk_of(const struct experiments_settings *settings, struct arena *arena)
{
    return (struct chat_desk){.locale = locale_get((enum language)settings->chatapp_language),
                              .arena = arena,
                              .text_max = (size_t)settings->chatapp_message_bytes,
                              .name_max = (size_t)settings->chatapp_name_bytes};
}

/* No control character comes through chat_text(), so that JSON at most doubles a text. */
size_t chat_message_max(const struct chat_desk *desk)
{
    return 2 * desk->text_max + FRAME_BYTES_MAX;
}

/* The three characters that the platform gives a meaning to, and line ends. */
static void append_escaped(struct text *out, char byte)
{
    switch (byte) {
    case '&':
        text_append_string(out, "&amp;");
        break;
    case '<':
        text_append_string(out, "&lt;");
        break;
    case '>':
        text_append_string(out, "&gt;");
        break;
    default:
        text_append_byte(out, (unsigned char)byte < 0x20 || byte == 0x7f ? ' ' : byte);
    }
}

const char *chat_text(struct arena *arena, size_t most, const char *text)
{
    size_t length = strlen(text);
    bool cut = length > most;
    struct text out;

    if (cut)
        length = utf8_valid_prefix(text, most);
    text_start(&out, arena, 6 * most);
    for (size_t i = 0; i < length; i++)
        append_escaped(&out, text[i]);
    text_append_string(&out, cut ? "…" : "");
    return out.bytes;
}

const char *chat_name(const struct chat_desk *desk, const char *text)
{
    return chat_text(desk->arena, desk->name_max, text);
}

const char *chat_words(const struct chat_desk *desk, const char *key,
                       const struct text_argument *arguments, size_t count)
{
    return locale_format(desk->locale, desk->arena, key, arguments, count);
}

static const char *word(const struct chat_desk *desk, const char *key)
{
    return chat_words(desk, key, NO_TEXT_ARGUMENTS);
}

static void open_message(struct json_writer *writer, struct text *out, const struct chat_desk *desk)
{
    text_start(out, desk->arena, chat_message_max(desk));
    writer_start(writer, out);
    writer_open_object(writer);
}

/* A reply does not take the place of the message whose button was pressed. */
static void open_reply(struct json_writer *writer, struct text *out, const struct chat_desk *desk,
                       const char *text)
{
    open_message(writer, out, desk);
    writer_key_string(writer, "response_type", "ephemeral");
    writer_key_boolean(writer, "replace_original", false);
    writer_key_string(writer, "text", text);
}

const char *chat_reply(const struct chat_desk *desk, const char *text)
{
    struct json_writer writer;
    struct text out;

    open_reply(&writer, &out, desk, text);
    writer_close_object(&writer);
    return out.bytes;
}

static void write_text(struct json_writer *writer, const char *type, const char *text)
{
    writer_open_object(writer);
    writer_key_string(writer, "type", type);
    writer_key_string(writer, "text", text);
    writer_close_object(writer);
}

static void write_field(struct json_writer *writer, const struct chat_desk *desk, const char *key,
                        const char *value)
{
    write_text(writer, "mrkdwn", arena_print(desk->arena, "*%s*\n%s", word(desk, key), value));
}

static const char *figure(const struct chat_desk *desk, struct optional_integer value)
{
    return value.given ? arena_print(desk->arena, "%lld", (long long)value.value)
                       : word(desk, "chats.unknown");
}

static const char *days_text(const struct chat_desk *desk, struct optional_integer days)
{
    return chat_words(desk, "chats.days", TEXT_ARGUMENTS({"days", figure(desk, days)}));
}

static void write_facts(struct json_writer *writer, const struct chat_desk *desk,
                        const struct chat_project *about)
{
    const struct project *project = about->project;

    writer_open_object(writer);
    writer_key_string(writer, "type", "section");
    writer_key(writer, "fields");
    writer_open_array(writer);
    write_field(writer, desk, "chats.project", chat_name(desk, project->project_name));
    write_field(writer, desk, "chats.id", arena_print(desk->arena, "`%s`", project->id));
    if (project->last_analysis_at) {
        write_field(writer, desk, "chats.last_analysis", project->last_analysis_at);
        write_field(writer, desk, "chats.sample_size", figure(desk, about->total));
        write_field(writer, desk, "chats.duration", days_text(desk, about->days));
    }
    writer_close_array(writer);
    writer_close_object(writer);
}

static void write_button(struct json_writer *writer, const char *text, const char *action,
                         const char *value, bool primary)
{
    writer_open_object(writer);
    writer_key_string(writer, "type", "button");
    writer_key(writer, "text");
    write_text(writer, "plain_text", text);
    if (primary)
        writer_key_string(writer, "style", "primary");
    writer_key_string(writer, "action_id", action);
    writer_key_string(writer, "value", value);
    writer_close_object(writer);
}

static void write_buttons(struct json_writer *writer, const struct chat_desk *desk, const char *id)
{
    writer_open_object(writer);
    writer_key_string(writer, "type", "actions");
    writer_key(writer, "elements");
    writer_open_array(writer);
    write_button(writer, word(desk, "chats.approve"), chat_approve_action, id, true);
    write_button(writer, word(desk, "chats.review"), chat_review_action, id, false);
    writer_close_array(writer);
    writer_close_object(writer);
}

const char *chat_project_reply(const struct chat_desk *desk, const struct chat_project *about)
{
    const struct project *project = about->project;
    struct json_writer writer;
    struct text out;

    open_reply(
        &writer, &out, desk,
        arena_print(desk->arena, "*%s* `%s`", chat_name(desk, project->project_name), project->id));
    writer_key(&writer, "blocks");
    writer_open_array(&writer);
    write_facts(&writer, desk, about);
    write_buttons(&writer, desk, project->id);
    writer_close_array(&writer);
    writer_close_object(&writer);
    return out.bytes;
}

const char *chat_review_post(const struct chat_desk *desk, const char *channel, const char *user,
                             const struct project *project)
{
    const char *text = chat_words(
        desk, "chats.review_post",
        TEXT_ARGUMENTS({"user", user ? arena_print(desk->arena, "<@%s>", user) : "?"},
                       {"name", chat_name(desk, project->project_name)}, {"id", project->id}));
    struct json_writer writer;
    struct text out;

    open_message(&writer, &out, desk);
    writer_key_string(&writer, "channel", channel);
    writer_key_string(&writer, "text", text);
    writer_close_object(&writer);
    return out.bytes;
}
