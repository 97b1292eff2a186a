/* Strings that grow up to a limit, and UTF-8 helpers. */
#include "base/text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

void text_start(struct text *text, struct arena *arena, size_t maximum)
{
    *text = (struct text){.arena = arena, .maximum = maximum, .capacity = 256};
    text->bytes = arena_alloc(arena, text->capacity);
}

/* Moves to a larger buffer; false past the maximum. */
static bool grow(struct text *text, size_t more)
{
    size_t capacity = text->capacity;
    char *bytes;

    if (more > text->maximum - text->length) {
        text->overflowed = true;
        return false;
    }
    while (capacity <= text->length + more)
        capacity *= 2;
    bytes = arena_alloc(text->arena, capacity);
    memcpy(bytes, text->bytes, text->length + 1);
    text->bytes = bytes;
    text->capacity = capacity;
    return true;
}

/* Ensures room for `more` bytes and the NUL. */
static inline bool make_room(struct text *text, size_t more)
{
    if (text->overflowed)
        return false;
    if (more < text->capacity - text->length && more <= text->maximum - text->length)
        return true;
    return grow(text, more);
}

void text_reserve(struct text *text, size_t more)
{
    if (more <= text->maximum - text->length)
        make_room(text, more);
}

char *text_extend(struct text *text, size_t most)
{
    if (most > text->maximum - text->length || !make_room(text, most))
        return NULL;
    return text->bytes + text->length;
}

void text_extend_to(struct text *text, const char *end)
{
    text->length = (size_t)(end - text->bytes);
    text->bytes[text->length] = '\0';
}

void text_append(struct text *text, const char *bytes, size_t length)
{
    if (!make_room(text, length))
        return;
    memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
    text->bytes[text->length] = '\0';
}

void text_append_string(struct text *text, const char *string)
{
    text_append(text, string, strlen(string));
}

void text_append_strings(struct text *text, const char *const *strings)
{
    for (; *strings; strings++)
        text_append_string(text, *strings);
}

void text_append_byte(struct text *text, char byte)
{
    if (!make_room(text, 1))
        return;
    text->bytes[text->length++] = byte;
    text->bytes[text->length] = '\0';
}

/* Most formatted output fits the room that is already allocated. */
void text_append_format(struct text *text, const char *format, ...)
{
    size_t room = text->overflowed ? 0 : text->capacity - text->length;
    char none[1];
    char *at = room ? text->bytes + text->length : none;
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(at, room, format, arguments);
    va_end(arguments);
    if (length < 0 || !make_room(text, (size_t)length)) {
        text->overflowed = true;
        text->bytes[text->length] = '\0';
        return;
    }
    if ((size_t)length >= room) {
        va_start(arguments, format);
        vsnprintf(text->bytes + text->length, text->capacity - text->length, format, arguments);
        va_end(arguments);
    }
    text->length += (size_t)length;
}

void text_append_base64(struct text *text, const void *bytes, size_t length)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *at = bytes;

    for (; length; at += 3) {
        size_t size = length < 3 ? length : 3;
        unsigned group = (unsigned)at[0] << 16 | (size > 1 ? (unsigned)at[1] << 8 : 0) |
                         (size > 2 ? (unsigned)at[2] : 0);
        const char four[] = {letters[group >> 18], letters[group >> 12 & 63],
                             size > 1 ? letters[group >> 6 & 63] : '=',
                             size > 2 ? letters[group & 63] : '='};

        text_append(text, four, sizeof four);
        length -= size;
    }
}

void text_append_url(struct text *text, const char *string)
{
    static const char digits[] = "0123456789ABCDEF";
    static const char unreserved[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";

    for (; *string; string++) {
        unsigned char byte = (unsigned char)*string;
        const char escaped[] = {'%', digits[byte >> 4], digits[byte & 15]};

        if (strchr(unreserved, byte))
            text_append_byte(text, (char)byte);
        else
            text_append(text, escaped, sizeof escaped);
    }
}

void text_cut(struct text *text, size_t length)
{
    if (length < text->length)
        text->length = length;
    text->bytes[text->length] = '\0';
    text->overflowed = false;
}

/* Table 3-7 of the Unicode standard. */
size_t utf8_sequence_length(const char *bytes, size_t left)
{
    const unsigned char *s = (const unsigned char *)bytes;
    unsigned char low = 0x80, high = 0xbf;
    size_t length;

    if (s[0] < 0x80)
        return 1;
    if (s[0] < 0xc2 || s[0] > 0xf4)
        return 0;
    length = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
    if (left < length)
        return 0;
    if (s[0] == 0xe0)
        low = 0xa0;
    else if (s[0] == 0xed)
        high = 0x9f;
    else if (s[0] == 0xf0)
        low = 0x90;
    else if (s[0] == 0xf4)
        high = 0x8f;
    if (s[1] < low || s[1] > high)
        return 0;
    for (size_t i = 2; i < length; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    return length;
}

char *text_trimmed(struct arena *arena, const char *bytes, size_t length)
{
    while (length && isspace((unsigned char)*bytes))
        bytes++, length--;
    while (length && isspace((unsigned char)bytes[length - 1]))
        length--;
    return arena_copy(arena, bytes, length);
}

size_t utf8_valid_prefix(const char *bytes, size_t length)
{
    size_t at = 0, step;
    uint64_t eight;

    while (at < length) {
        /* Eight bytes of ASCII at a time. */
        for (; length - at >= sizeof eight; at += sizeof eight) {
            memcpy(&eight, bytes + at, sizeof eight);
            if (eight & UINT64_C(0x8080808080808080))
                break;
        }
        if (at == length)
            break;
        step = utf8_sequence_length(bytes + at, length - at);
        if (!step)
            break;
        at += step;
    }
    return at;
}

size_t utf8_prefix(const char *string, size_t points)
{
    size_t at = 0;

    for (; points && string[at]; points--) {
        size_t length = utf8_sequence_length(string + at, strnlen(string + at, 4));

        at += length ? length : 1;
    }
    return at;
}

char *utf8_copy_prefix(struct arena *arena, const char *string, size_t points)
{
    return arena_copy(arena, string, utf8_prefix(string, points));
}

size_t utf8_count_of(const char *bytes, size_t length)
{
    size_t count = 0;

    for (size_t i = 0; i < length; i++)
        count += ((unsigned char)bytes[i] & 0xc0) != 0x80;
    return count;
}

size_t utf8_count(const char *string)
{
    return utf8_count_of(string, strlen(string));
}
