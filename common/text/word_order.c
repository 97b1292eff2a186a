/* The order of letters in words of scripts from right to left, and letters in other forms. */
#include "text/word_order.h"

#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

static void *memory(size_t count, size_t size)
{
    void *made = calloc(count, size);

    if (!made)
        abort(); /* a child without memory ends like one killed for it */
    return made;
}

static bool is_from_right(utf8proc_int32_t point)
{
    return (point >= 0x590 && point <= 0x8ff) || (point >= 0xfb1d && point <= 0xfdff) ||
           (point >= 0xfe70 && point <= 0xfefc);
}

bool word_is_unspaced(unsigned point)
{
    return (point >= 0x2e80 && point <= 0xa4cf && !(point >= 0x3130 && point <= 0x318f)) ||
           (point >= 0xf900 && point <= 0xfaff) || (point >= 0xff00 && point <= 0xff60) ||
           (point >= 0x20000 && point <= 0x3ffff) || (point >= 0xe00 && point <= 0xeff);
}

bool word_is_from_right(const char *text)
{
    utf8proc_int32_t point;

    for (utf8proc_ssize_t taken; *text; text += taken) {
        taken = utf8proc_iterate((const utf8proc_uint8_t *)text, -1, &point);
        if (taken <= 0)
            return false;
        if (is_from_right(point))
            return true;
    }
    return false;
}

unsigned word_first_point(const char *text)
{
    utf8proc_int32_t point = 0;

    return utf8proc_iterate((const utf8proc_uint8_t *)text, -1, &point) > 0 ? (unsigned)point : 0;
}

unsigned word_last_point(const char *text)
{
    size_t at = strlen(text);

    while (at && ((unsigned char)text[at - 1] & 0xc0) == 0x80)
        at--;
    return at ? word_first_point(text + at - 1) : 0;
}

static bool keeps_order(utf8proc_int32_t point)
{
    return (point < 0x80 && strchr("0123456789.,:/%+-", point) && point) ||
           (point >= 0x660 && point <= 0x669) ||
           (point < 0x250 && ((point | 32) >= 'a' && (point | 32) <= 'z'));
}

static utf8proc_int32_t mirrored(utf8proc_int32_t point)
{
    static const char pairs[] = "()[]{}<>";
    const char *found = point > 0 && point < 0x80 ? strchr(pairs, point) : NULL;

    return found ? pairs[(found - pairs) ^ 1] : point;
}

static void reverse(utf8proc_int32_t *points, size_t from, size_t to)
{
    while (from + 1 < to) {
        utf8proc_int32_t kept = points[from];

        points[from++] = points[--to];
        points[to] = kept;
    }
}

char *word_in_reading_order(const char *text)
{
    size_t length = strlen(text), count = 0, written = 0;
    utf8proc_int32_t *points = memory(length + 1, sizeof *points);
    char *result = memory(length * 4 + 1, 1);

    for (utf8proc_ssize_t taken; *text; text += taken) {
        taken = utf8proc_iterate((const utf8proc_uint8_t *)text, -1, &points[count]);
        if (taken <= 0)
            break;
        points[count] = mirrored(points[count]);
        count++;
    }
    reverse(points, 0, count);
    for (size_t i = 0; i < count;) {
        size_t end = i;

        while (end < count && keeps_order(points[end]))
            end++;
        reverse(points, i, end);
        i = end + (end == i);
    }
    for (size_t i = 0; i < count; i++)
        written += (size_t)utf8proc_encode_char(points[i], (utf8proc_uint8_t *)result + written);
    result[written] = '\0';
    free(points);
    return result;
}

const char *word_with_plain_letters(const char *text)
{
    const char *form = text;
    utf8proc_uint8_t *plain;

    while ((form = strchr(form, '\xef'))) {
        unsigned char next = (unsigned char)form[1];

        if ((next >= 0xac && next <= 0xb7) || (next >= 0xb9 && next <= 0xbb))
            break;
        form++;
    }
    if (!form)
        return text;
    plain = utf8proc_NFKC((const utf8proc_uint8_t *)text);
    return plain ? (const char *)plain : text;
}
