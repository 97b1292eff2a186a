/* Tags of HTML and XML. Never goes back, so that its time is linear whatever the text is. */
#include "support/sources/markup.h"
#include "base/text.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { TEXT_MOST = 4000 /* bytes of a title or a value */, NAME_MOST = 12 /* of a reference */ };

static size_t left(const struct markup_reader *reader)
{
    return (size_t)(reader->end - reader->at);
}

static bool begins(const struct markup_reader *reader, const char *with)
{
    return left(reader) >= strlen(with) && memcmp(reader->at, with, strlen(with)) == 0;
}

static const char *find(const char *from, const char *end, const char *what)
{
    const char *found = memmem(from, (size_t)(end - from), what, strlen(what));

    return found ? found : end;
}

static void pass(struct markup_reader *reader, const char *what)
{
    reader->at = find(reader->at, reader->end, what);
    reader->at += left(reader) < strlen(what) ? left(reader) : strlen(what);
}

static bool is_name_byte(char byte)
{
    return isalnum((unsigned char)byte) || (byte && strchr("-_:.", byte)) || (byte & 0x80);
}

/* The end of a tag; a ">" in a quoted value is none. */
static const char *tag_end(const char *at, const char *end)
{
    char quote = 0;

    for (; at < end; at++) {
        if (quote)
            quote = *at == quote ? 0 : quote;
        else if ((*at == '"' || *at == '\'') && at[-1] == '=')
            quote = *at;
        else if (*at == '>')
            return at + 1;
    }
    return end;
}

bool markup_is(const struct markup_tag *tag, const char *name)
{
    return tag->length == strlen(name) && strncasecmp(tag->name, name, tag->length) == 0;
}

static void pass_content(struct markup_reader *reader, const char *end)
{
    while (left(reader)) {
        const char *close = find(reader->at, reader->end, "</");

        reader->at = close;
        if (left(reader) < strlen(end) + 2 || strncasecmp(close + 2, end, strlen(end)) == 0)
            return;
        reader->at += 2;
    }
}

static bool read_tag(struct markup_reader *reader, struct markup_tag *tag)
{
    const char *at = reader->at + 1;

    tag->from = reader->at;
    tag->closes = at < reader->end && *at == '/';
    tag->name = at + tag->closes;
    if (tag->name >= reader->end || !isalpha((unsigned char)*tag->name)) {
        reader->at++;
        return false;
    }
    for (at = tag->name; at < reader->end && is_name_byte(*at); at++)
        continue;
    tag->length = (size_t)(at - tag->name);
    tag->to = reader->at = tag_end(at, reader->end);
    if (!tag->closes && markup_is(tag, "script"))
        pass_content(reader, "script");
    else if (!tag->closes && markup_is(tag, "style"))
        pass_content(reader, "style");
    return true;
}

bool markup_next(struct markup_reader *reader, struct markup_tag *tag)
{
    for (;;) {
        reader->at = find(reader->at, reader->end, "<");
        if (!left(reader))
            return false;
        if (begins(reader, "<!--"))
            pass(reader, "-->");
        else if (begins(reader, "<![CDATA["))
            pass(reader, "]]>");
        else if (begins(reader, "<!") || begins(reader, "<?"))
            pass(reader, ">");
        else if (read_tag(reader, tag))
            return true;
    }
}

static void append_point(struct text *text, unsigned long point)
{
    if (point < 0x20 || point == 0x7f || point > 0x10ffff || (point >= 0xd800 && point < 0xe000))
        point = ' ';
    if (point < 0x80) {
        text_append_byte(text, (char)point);
    } else if (point < 0x800) {
        text_append_byte(text, (char)(0xc0 | point >> 6));
    } else if (point < 0x10000) {
        text_append_byte(text, (char)(0xe0 | point >> 12));
        text_append_byte(text, (char)(0x80 | (point >> 6 & 0x3f)));
    } else {
        text_append_byte(text, (char)(0xf0 | point >> 18));
        text_append_byte(text, (char)(0x80 | (point >> 12 & 0x3f)));
        text_append_byte(text, (char)(0x80 | (point >> 6 & 0x3f)));
    }
    if (point >= 0x80)
        text_append_byte(text, (char)(0x80 | (point & 0x3f)));
}

static const struct {
    const char *name;
    unsigned long point;
} references[] = {{"amp", '&'},       {"lt", '<'},      {"gt", '>'},       {"quot", '"'},
                  {"apos", '\''},     {"nbsp", ' '},    {"ndash", 0x2013}, {"mdash", 0x2014},
                  {"middot", 0xb7},   {"laquo", 0xab},  {"raquo", 0xbb},   {"copy", 0xa9},
                  {"hellip", 0x2026}, {"bull", 0x2022}, {"rsquo", 0x2019}, {"lsquo", 0x2018}};

/* The bytes that a reference takes; 0 when it is none, or one without a meaning here. */
static size_t append_reference(struct text *text, const char *at, const char *end)
{
    char name[NAME_MOST + 1];
    size_t length = 0;

    while (at + 1 + length < end && length < NAME_MOST && at[1 + length] != ';')
        length++;
    if (at + 1 + length >= end || at[1 + length] != ';' || !length)
        return 0;
    memcpy(name, at + 1, length);
    name[length] = 0;
    if (name[0] == '#') {
        bool is_hex = name[1] == 'x' || name[1] == 'X';

        append_point(text, strtoul(name + 1 + is_hex, NULL, is_hex ? 16 : 10));
        return length + 2;
    }
    for (size_t i = 0; i < sizeof references / sizeof references[0]; i++) {
        if (strcmp(references[i].name, name) == 0) {
            append_point(text, references[i].point);
            return length + 2;
        }
    }
    return 0;
}

static const char *decode(struct arena *arena, const char *from, const char *to)
{
    struct text text;

    text_start(&text, arena, TEXT_MOST);
    while (from < to && text.length + 1 < TEXT_MOST) {
        size_t taken = *from == '&' ? append_reference(&text, from, to) : 0;

        if (!taken) {
            bool is_blank = (unsigned char)*from <= ' ';

            if (!is_blank)
                text_append_byte(&text, *from);
            else if (text.length && text.bytes[text.length - 1] != ' ')
                text_append_byte(&text, ' ');
            taken = 1;
        }
        from += taken;
    }
    text_cut(&text, utf8_valid_prefix(text.bytes, text.length));
    return text_trimmed(arena, text.bytes, text.length);
}

/* The end of the value at `at`, which begins at `*from` behind its quote. */
static const char *value_end(const char **from, const char *end)
{
    char quote = *from < end && (**from == '"' || **from == '\'') ? **from : 0;
    const char *at;

    *from += quote != 0;
    for (at = *from; at < end; at++) {
        if (quote ? *at == quote : (isspace((unsigned char)*at) || *at == '>'))
            break;
    }
    return at;
}

static const char *pass_blanks(const char *at, const char *end)
{
    while (at < end && isspace((unsigned char)*at))
        at++;
    return at;
}

const char *markup_attribute(struct arena *arena, const struct markup_tag *tag, const char *name)
{
    const char *at = tag->name + tag->length;

    while (at < tag->to) {
        const char *from = at, *end, *value;

        while (at < tag->to && is_name_byte(*at))
            at++;
        end = at;
        if (end == from) {
            at++;
            continue;
        }
        at = pass_blanks(at, tag->to);
        if (at >= tag->to || *at != '=')
            continue;
        value = pass_blanks(at + 1, tag->to);
        at = value_end(&value, tag->to);
        if ((size_t)(end - from) == strlen(name) && strncasecmp(from, name, strlen(name)) == 0)
            return decode(arena, value, at);
        at++;
    }
    return NULL;
}

const char *markup_text(struct arena *arena, const struct markup_reader *reader)
{
    const char *at = pass_blanks(reader->at, reader->end);
    const struct markup_reader here = {at, reader->end};

    if (begins(&here, "<![CDATA["))
        return decode(arena, at + strlen("<![CDATA["), find(at, reader->end, "]]>"));
    return decode(arena, at, find(at, reader->end, "<"));
}

const char *markup_escape(struct arena *arena, const char *string)
{
    struct text text;

    text_start(&text, arena, strlen(string) * 6 + 1);
    for (; *string; string++) {
        if (strchr("&<>\"'", *string))
            text_append_format(&text, "&#%d;", *string);
        else
            text_append_byte(&text, *string);
    }
    return text.bytes;
}
