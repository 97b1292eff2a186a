/* JSON of messages of the chat platform. */
#include "experiments/chat/message.h"

#include <string.h>

enum {
    FRAME_BYTES_MAX = 32 * 1024, /* round a text: facts, buttons, and the name once more */
};

const char chat_approve_action[] = "approve_analysis", chat_review_action[] = "request_review";

struct chat_format chat_format_of(const struct experiments_settings *settings, struct arena *arena)
{
    return (struct chat_format){.locale = locale_get(language_find(settings->chatapp_language)),
                                .arena = arena,
                                .text_max = (size_t)settings->chatapp_message_bytes,
                                .name_max = (size_t)settings->chatapp_name_bytes};
}

/* chat_text() removes control characters, so that JSON at most doubles a text. */
size_t chat_message_max(const struct chat_format *format)
{
    return 2 * format->text_max + FRAME_BYTES_MAX;
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

const char *chat_name(const struct chat_format *format, const char *text)
{
    return chat_text(format->arena, format->name_max, text);
}

const char *chat_translate(const struct chat_format *format, const char *key,
                           const struct text_argument *arguments, size_t count)
{
    return locale_format(format->locale, format->arena, key, arguments, count);
}

static const char *word(const struct chat_format *format, const char *key)
{
    return chat_translate(format, key, NO_TEXT_ARGUMENTS);
}

static void open_message(struct json_writer *writer, struct text *out,
                         const struct chat_format *format)
{
    text_start(out, format->arena, chat_message_max(format));
    writer_start(writer, out);
    writer_open_object(writer);
}

/* A reply does not replace the message whose button was pressed. */
static void open_reply(struct json_writer *writer, struct text *out,
                       const struct chat_format *format, const char *text)
{
    open_message(writer, out, format);
    writer_key_string(writer, "response_type", "ephemeral");
    writer_key_boolean(writer, "replace_original", false);
    writer_key_string(writer, "text", text);
}

const char *chat_reply(const struct chat_format *format, const char *text)
{
    struct json_writer writer;
    struct text out;

    open_reply(&writer, &out, format, text);
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

static void write_field(struct json_writer *writer, const struct chat_format *format,
                        const char *key, const char *value)
{
    write_text(writer, "mrkdwn", arena_print(format->arena, "*%s*\n%s", word(format, key), value));
}

static const char *number_text(const struct chat_format *format, struct optional_integer value)
{
    return value.given ? arena_print(format->arena, "%lld", (long long)value.value)
                       : word(format, "chats.unknown");
}

static const char *days_text(const struct chat_format *format, struct optional_integer days)
{
    return chat_translate(format, "chats.days",
                          TEXT_ARGUMENTS({"days", number_text(format, days)}));
}

static void write_facts(struct json_writer *writer, const struct chat_format *format,
                        const struct chat_project *about)
{
    const struct project *project = about->project;

    writer_open_object(writer);
    writer_key_string(writer, "type", "section");
    writer_key(writer, "fields");
    writer_open_array(writer);
    write_field(writer, format, "chats.project", chat_name(format, project->project_name));
    write_field(writer, format, "chats.id", arena_print(format->arena, "`%s`", project->id));
    if (project->last_analysis_at) {
        write_field(writer, format, "chats.last_analysis", project->last_analysis_at);
        write_field(writer, format, "chats.sample_size", number_text(format, about->total));
        write_field(writer, format, "chats.duration", days_text(format, about->days));
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

static void write_buttons(struct json_writer *writer, const struct chat_format *format,
                          const char *id)
{
    writer_open_object(writer);
    writer_key_string(writer, "type", "actions");
    writer_key(writer, "elements");
    writer_open_array(writer);
    write_button(writer, word(format, "chats.approve"), chat_approve_action, id, true);
    write_button(writer, word(format, "chats.review"), chat_review_action, id, false);
    writer_close_array(writer);
    writer_close_object(writer);
}

const char *chat_project_reply(const struct chat_format *format, const struct chat_project *about)
{
    const struct project *project = about->project;
    struct json_writer writer;
    struct text out;

    open_reply(&writer, &out, format,
               arena_print(format->arena, "*%s* `%s`", chat_name(format, project->project_name),
                           project->id));
    writer_key(&writer, "blocks");
    writer_open_array(&writer);
    write_facts(&writer, format, about);
    write_buttons(&writer, format, project->id);
    writer_close_array(&writer);
    writer_close_object(&writer);
    return out.bytes;
}

const char *chat_review_post(const struct chat_format *format, const char *channel,
                             const char *user, const struct project *project)
{
    const char *text = chat_translate(
        format, "chats.review_post",
        TEXT_ARGUMENTS({"user", user ? arena_print(format->arena, "<@%s>", user) : "?"},
                       {"name", chat_name(format, project->project_name)}, {"id", project->id}));
    struct json_writer writer;
    struct text out;

    open_message(&writer, &out, format);
    writer_key_string(&writer, "channel", channel);
    writer_key_string(&writer, "text", text);
    writer_close_object(&writer);
    return out.bytes;
}
