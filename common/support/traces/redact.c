/* Redaction. Values are redacted, never the JSON round them: a number that became stars would be no
 * JSON any more. */
#include "support/traces/redact.h"
#include "base/json.h"
#include "text/personal_data.h"

#include <string.h>

enum { TEXT_MOST = 1 << 24, STATE_DEPTH = 32 };

static void mask(struct text *out, const struct personal_match *match, void *context)
{
    (void)context;
    if (strcmp(match->mask, "*") != 0) {
        text_append_string(out, match->mask);
        return;
    }
    for (size_t i = 0; i < match->length; i++)
        text_append_byte(out, '*');
}

const char *redact_text(struct arena *arena, const char *text)
{
    return personal_data_replace(arena, text, false, mask, NULL);
}

static bool is_said_by_people(const char *key)
{
    static const char *const keys[] = {"question", "search_query",       "hyde_query", "answer",
                                       "content",  "action_summary",     "output",     "text",
                                       "evidence", "suggested_questions"};

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (strcmp(key, keys[i]) == 0)
            return true;
    }
    return false;
}

static void write_redacted(struct arena *arena, struct json_writer *writer, const json_t *value,
                           bool said)
{
    const char *key;
    json_t *item;
    size_t i;

    if (json_is_object(value)) {
        writer_open_object(writer);
        json_object_foreach((json_t *)(uintptr_t)value, key, item)
        {
            writer_key(writer, key);
            write_redacted(arena, writer, item, is_said_by_people(key));
        }
        writer_close_object(writer);
    } else if (json_is_array(value)) {
        writer_open_array(writer);
        json_array_foreach((json_t *)(uintptr_t)value, i, item)
            write_redacted(arena, writer, item, said);
        writer_close_array(writer);
    } else if (said && json_is_string(value)) {
        writer_string(writer, redact_text(arena, json_string_value(value)));
    } else {
        writer_value(writer, value);
    }
}

const char *redact_state(struct arena *arena, const char *json)
{
    struct json_fault fault;
    json_t *state;
    struct text text;
    struct json_writer writer;

    if (!personal_data_may_occur(json, true))
        return json;
    if (json_read(arena, json, strlen(json), STATE_DEPTH, &state, &fault))
        return "{}";
    text_start(&text, arena, TEXT_MOST);
    writer_start(&writer, &text);
    write_redacted(arena, &writer, state, false);
    return text.bytes;
}
