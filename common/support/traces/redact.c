/* Redaction. Values are redacted, never the JSON round them: a number that became stars would be no
 * JSON any more. */
#include "support/traces/redact.h"
#include "base/json.h"
#include "text/pattern.h"
#include "text/words.h"

#include <string.h>

/* In this order. A `*` as replacement stands for as many stars as the match is long. */
static struct rule {
    struct pattern pattern;
    const char *replacement;
} rules[] = {
    {{"[a-zA-Z0-9._%+-]+@[a-zA-Z0-9.-]+\\.[a-zA-Z]{2,}", false, NULL}, "***@***.***"},
    {{"(?<!\\w)(?:\\+7|8)[\\s-]?\\(?\\d{3}\\)?[\\s-]?\\d{3}[\\s-]?\\d{2}[\\s-]?\\d{2}(?!\\w)",
      false, NULL},
     "+7-***-***-**-**"},
    {{"(?<!\\w)\\+\\d{1,3}[\\s-]?\\d{6,14}(?!\\w)", false, NULL}, "+*-*****"},
    {{"\\b\\d{4}[\\s-]?\\d{4}[\\s-]?\\d{4}[\\s-]?\\d{4}\\b", false, NULL}, "****-****-****-****"},
    {{"\\b\\d{2}\\s?\\d{2}\\s?\\d{6}\\b", false, NULL}, "** ** ******"},
    {{"\\b\\d{10,12}\\b", false, NULL}, "*"},
};

/* The shortest that a rule matches: a country code of one digit and six more. */
enum { TEXT_MOST = 1 << 24, STATE_DEPTH = 32, LEAST_DIGITS = 7 };

static const char *apply(struct arena *arena, struct rule *rule, const char *text)
{
    size_t length = strlen(text), from = 0;
    struct pattern_match match;
    struct text out;

    if (!pattern_find(&rule->pattern, text, length, 0, &match))
        return text;
    text_start(&out, arena, TEXT_MOST);
    do {
        text_append(&out, text + from, match.start - from);
        if (strcmp(rule->replacement, "*") == 0) {
            for (size_t i = match.start; i < match.end; i++)
                text_append_byte(&out, '*');
        } else {
            text_append_string(&out, rule->replacement);
        }
        from = match.end;
    } while (pattern_find(&rule->pattern, text, length, from, &match));
    text_append(&out, text + from, length - from);
    return out.bytes;
}

/* What may stand between the digits of one number; beyond ASCII all that is no letter may. */
static bool separates(const char *at, int32_t character)
{
    return (unsigned char)*at < 0x80 ? strchr(" -()\t\n\v\f\r", *at) != NULL
                                     : letter_kind(character) == LETTER_NONE;
}

static bool is_digit(const char *at, int32_t character)
{
    return (unsigned char)*at < 0x80 ? *at >= '0' && *at <= '9'
                                     : letter_kind(character) == LETTER_DIGIT;
}

/* Whether any rule could match anywhere: an at sign, or seven digits with nothing but separators
 * between them. Most texts have neither and need not be looked at closely. Of JSON only what stands
 * in strings; an escape separates. */
static bool may_hold(const char *text, bool is_json)
{
    size_t left = strlen(text), length;
    bool inside = !is_json;
    int digits = 0;

    for (; left; text += length, left -= length) {
        int32_t character = 0;

        length = (unsigned char)*text < 0x80 ? 1 : letter_read(text, left, &character);
        if (length == 0) {
            length = 1;
            continue;
        }
        if (is_json && *text == '"') {
            inside = !inside;
            digits = 0;
        } else if (is_json && *text == '\\' && left > 1) {
            length = 2;
        } else if (inside && *text == '@') {
            return true;
        } else if (inside && is_digit(text, character)) {
            if (++digits == LEAST_DIGITS)
                return true;
        } else if (!separates(text, character)) {
            digits = 0;
        }
    }
    return false;
}

const char *redact_text(struct arena *arena, const char *text)
{
    if (!may_hold(text, false))
        return text;
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        text = apply(arena, &rules[i], text);
    return text;
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

    if (!may_hold(json, true))
        return json;
    if (json_read(arena, json, strlen(json), STATE_DEPTH, &state, &fault))
        return "{}";
    text_start(&text, arena, TEXT_MOST);
    writer_start(&writer, &text);
    write_redacted(arena, &writer, state, false);
    return text.bytes;
}
