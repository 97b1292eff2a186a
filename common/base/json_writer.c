/* Writes JSON: compact, UTF-8, shortest numbers. A scope stack checks the nesting; a mistake there
 * aborts with its position, because only a bug can cause it. */
#include "base/json.h"
#include "base/number.h"
#include "base/string_list.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void require(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "json writer misused: %s\n", what);
    abort();
}

void writer_start(struct json_writer *writer, struct text *out)
{
    *writer = (struct json_writer){.out = out};
}

static void break_line(struct json_writer *writer)
{
    if (!writer->indent)
        return;
    text_append_byte(writer->out, '\n');
    for (int i = 0; i < writer->depth * writer->indent; i++)
        text_append_byte(writer->out, ' ');
}

/* Writes the comma before a value if one is due. */
static void before_value(struct json_writer *writer)
{
    if (writer->after_key) {
        writer->after_key = false;
        return;
    }
    if (writer->depth == 0)
        return;
    require(writer->scope[writer->depth - 1] == '[', "value without key in an object");
    if (writer->has_items[writer->depth - 1])
        text_append_string(writer->out, writer->spaced ? ", " : ",");
    writer->has_items[writer->depth - 1] = true;
    break_line(writer);
}

static void open_scope(struct json_writer *writer, char bracket)
{
    before_value(writer);
    require(writer->depth < JSON_WRITER_DEPTH_MAX, "nested too deeply");
    writer->scope[writer->depth] = bracket;
    writer->has_items[writer->depth] = false;
    writer->depth++;
    text_append_byte(writer->out, bracket);
}

static void close_scope(struct json_writer *writer, char open, char bracket)
{
    require(writer->depth > 0 && writer->scope[writer->depth - 1] == open && !writer->after_key,
            "closing what is not open");
    writer->depth--;
    if (writer->has_items[writer->depth])
        break_line(writer);
    text_append_byte(writer->out, bracket);
}

void writer_open_object(struct json_writer *writer)
{
    open_scope(writer, '{');
}

void writer_close_object(struct json_writer *writer)
{
    close_scope(writer, '{', '}');
}

void writer_open_array(struct json_writer *writer)
{
    open_scope(writer, '[');
}

void writer_close_array(struct json_writer *writer)
{
    close_scope(writer, '[', ']');
}

static const char *short_escape(unsigned char byte)
{
    switch (byte) {
    case '"':
        return "\\\"";
    case '\\':
        return "\\\\";
    case '\b':
        return "\\b";
    case '\f':
        return "\\f";
    case '\n':
        return "\\n";
    case '\r':
        return "\\r";
    case '\t':
        return "\\t";
    default:
        return NULL;
    }
}

/* Writes the code point at `s` as \uXXXX (a pair above the BMP); returns its length in bytes. */
static size_t escape_code_point(struct text *out, const unsigned char *s)
{
    size_t length = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
    unsigned code = s[0] & (0xffU >> (length + 1));

    for (size_t i = 1; i < length; i++)
        code = code << 6 | (s[i] & 0x3fU);
    if (code >= 0x10000)
        text_append_format(out, "\\u%04x\\u%04x", 0xd800 + ((code - 0x10000) >> 10),
                           0xdc00 + ((code - 0x10000) & 0x3ff));
    else
        text_append_format(out, "\\u%04x", code);
    return length;
}

/* Length of the run at `s` that needs no escape. Control characters, the quote and the backslash
 * need one. So does non-ASCII text if `ascii` is set or it is not valid UTF-8. 0 = the next
 * character has to be escaped. */
static size_t plain_length(const char *s, size_t left, bool ascii)
{
    static const unsigned char special[256] = {
        [0 ... 0x1f] = 1, ['"'] = 1, ['\\'] = 1, [0x7f] = 2, [0x80 ... 0xff] = 3};

    switch (special[(unsigned char)*s]) {
    case 0:
        return 1;
    case 2:
        return ascii ? 0 : 1;
    case 3:
        return ascii ? 0 : utf8_sequence_length(s, left);
    default:
        return 0;
    }
}

/* Writes the character at `s`, which needs an escape; returns its length in bytes. Invalid UTF-8
 * becomes U+FFFD byte by byte: echoed text may contain any bytes. */
static size_t escape_character(struct json_writer *writer, const char *s, size_t left)
{
    struct text *out = writer->out;
    const char *escape = short_escape((unsigned char)*s);

    if (escape)
        text_append_string(out, escape);
    else if ((unsigned char)*s < 0x80)
        text_append_format(out, "\\u%04x", (unsigned char)*s);
    else if (utf8_sequence_length(s, left))
        return escape_code_point(out, (const unsigned char *)s);
    else
        text_append_string(out, writer->ascii ? "\\ufffd" : "\xef\xbf\xbd");
    return 1;
}

/* Copies runs that need no escape, and escapes the characters between them. */
static void quoted_with_escapes(struct json_writer *writer, const char *bytes, size_t length)
{
    struct text *out = writer->out;
    size_t plain = 0; /* start of the run that needs no escape */
    size_t i = 0;

    text_append_byte(out, '"');
    while (i < length) {
        size_t step = plain_length(bytes + i, length - i, writer->ascii);

        if (!step) {
            text_append(out, bytes + plain, i - plain);
            step = escape_character(writer, bytes + i, length - i);
            plain = i + step;
        }
        i += step;
    }
    text_append(out, bytes + plain, length - plain);
    text_append_byte(out, '"');
}

/* Writes the quoted text at `at`; NULL when it contains a character that is not ASCII, or needs an
 * escape. */
static char *put_plain(char *at, const char *bytes, size_t length)
{
    *at++ = '"';
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)bytes[i];

        if (byte < ' ' || byte == '"' || byte == '\\' || byte >= 0x7f)
            return NULL;
        *at++ = bytes[i];
    }
    *at++ = '"';
    return at;
}

static void quoted(struct json_writer *writer, const char *bytes, size_t length)
{
    char *at = text_extend(writer->out, length + 2);

    at = at ? put_plain(at, bytes, length) : NULL;
    if (at)
        text_extend_to(writer->out, at);
    else
        quoted_with_escapes(writer, bytes, length);
}

/* Writes a key that needs no escape, in compact form; false when nothing was written. */
static bool put_short_key(struct json_writer *writer, const char *key, bool comma)
{
    size_t length = strlen(key);
    char *at = writer->indent || writer->spaced ? NULL : text_extend(writer->out, length + 4);

    if (at && comma)
        *at++ = ',';
    at = at ? put_plain(at, key, length) : NULL;
    if (!at)
        return false;
    *at++ = ':';
    text_extend_to(writer->out, at);
    return true;
}

void writer_key(struct json_writer *writer, const char *key)
{
    bool comma;

    require(writer->depth > 0 && writer->scope[writer->depth - 1] == '{' && !writer->after_key,
            "key outside an object");
    comma = writer->has_items[writer->depth - 1];
    writer->has_items[writer->depth - 1] = true;
    writer->after_key = true;
    if (put_short_key(writer, key, comma))
        return;
    if (comma)
        text_append_string(writer->out, writer->spaced ? ", " : ",");
    break_line(writer);
    quoted(writer, key, strlen(key));
    text_append_byte(writer->out, ':');
    if (writer->indent || writer->spaced)
        text_append_byte(writer->out, ' ');
}

void writer_string(struct json_writer *writer, const char *value)
{
    if (value)
        writer_bytes(writer, value, strlen(value));
    else
        writer_null(writer);
}

void writer_bytes(struct json_writer *writer, const char *bytes, size_t length)
{
    before_value(writer);
    quoted(writer, bytes, length);
}

void writer_number(struct json_writer *writer, double value)
{
    char text[NUMBER_TEXT_MAX];

    if (!isfinite(value)) {
        writer_null(writer);
        return;
    }
    before_value(writer);
    text_append(writer->out, text, number_format(value, text));
}

void writer_integer(struct json_writer *writer, int64_t value)
{
    char text[NUMBER_TEXT_MAX];

    before_value(writer);
    text_append(writer->out, text, integer_format(value, text));
}

void writer_boolean(struct json_writer *writer, bool value)
{
    before_value(writer);
    text_append_string(writer->out, value ? "true" : "false");
}

void writer_null(struct json_writer *writer)
{
    before_value(writer);
    text_append(writer->out, "null", 4);
}

void writer_raw(struct json_writer *writer, const char *json)
{
    before_value(writer);
    text_append_string(writer->out, json);
}

static void object_members(struct json_writer *writer, const json_t *value)
{
    /* Jansson's iterators take a non-const object but do not change it. */
    json_t *object = (json_t *)(uintptr_t)value;

    for (void *at = json_object_iter(object); at; at = json_object_iter_next(object, at)) {
        writer_key(writer, json_object_iter_key(at));
        writer_value(writer, json_object_iter_value(at));
    }
}

void writer_value(struct json_writer *writer, const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        writer_open_object(writer);
        object_members(writer, value);
        writer_close_object(writer);
        break;
    case JSON_ARRAY:
        writer_open_array(writer);
        for (size_t i = 0; i < json_array_size(value); i++)
            writer_value(writer, json_array_get(value, i));
        writer_close_array(writer);
        break;
    case JSON_STRING:
        writer_bytes(writer, json_string_value(value), json_string_length(value));
        break;
    case JSON_INTEGER:
        writer_integer(writer, json_integer_value(value));
        break;
    case JSON_REAL:
        writer_number(writer, json_real_value(value));
        break;
    case JSON_TRUE:
    case JSON_FALSE:
        writer_boolean(writer, json_is_true(value));
        break;
    default:
        writer_null(writer);
    }
}

static void sorted_members(struct json_writer *writer, const json_t *value)
{
    json_t *object = (json_t *)(uintptr_t)value;
    size_t count = json_object_size(value), place = 0;
    const char **keys = ARENA_ARRAY(writer->out->arena, const char *, count);

    for (void *at = json_object_iter(object); at; at = json_object_iter_next(object, at))
        keys[place++] = json_object_iter_key(at);
    qsort(keys, count, sizeof *keys, string_list_order);
    for (size_t i = 0; i < count; i++) {
        writer_key(writer, keys[i]);
        writer_value_sorted(writer, json_object_get(value, keys[i]));
    }
}

void writer_value_sorted(struct json_writer *writer, const json_t *value)
{
    if (json_is_object(value)) {
        writer_open_object(writer);
        sorted_members(writer, value);
        writer_close_object(writer);
    } else if (json_is_array(value)) {
        writer_open_array(writer);
        for (size_t i = 0; i < json_array_size(value); i++)
            writer_value_sorted(writer, json_array_get(value, i));
        writer_close_array(writer);
    } else {
        writer_value(writer, value);
    }
}

void writer_key_string(struct json_writer *writer, const char *key, const char *value)
{
    writer_key(writer, key);
    writer_string(writer, value);
}

void writer_key_number(struct json_writer *writer, const char *key, double value)
{
    writer_key(writer, key);
    writer_number(writer, value);
}

void writer_key_integer(struct json_writer *writer, const char *key, int64_t value)
{
    writer_key(writer, key);
    writer_integer(writer, value);
}

void writer_key_boolean(struct json_writer *writer, const char *key, bool value)
{
    writer_key(writer, key);
    writer_boolean(writer, value);
}

void writer_key_null(struct json_writer *writer, const char *key)
{
    writer_key(writer, key);
    writer_null(writer);
}

void writer_strings(struct json_writer *writer, const char *const *items, size_t count)
{
    writer_open_array(writer);
    for (size_t i = 0; i < count; i++)
        writer_string(writer, items[i]);
    writer_close_array(writer);
}

void writer_key_strings(struct json_writer *writer, const char *key, const struct string_list *list)
{
    writer_key(writer, key);
    writer_strings(writer, list->items, list->count);
}

const char *json_of_strings(struct arena *arena, size_t maximum, const char *const *items,
                            size_t count)
{
    struct json_writer writer;
    struct text text;

    text_start(&text, arena, maximum);
    writer_start(&writer, &text);
    writer_strings(&writer, items, count);
    return text.bytes;
}

const char *json_join(struct arena *arena, const char *object, const char *more)
{
    size_t length = strlen(object);

    if (length <= 2)
        return more;
    if (strlen(more) <= 2)
        return object;
    return arena_print(arena, "%.*s,%s", (int)length - 1, object, more + 1);
}
