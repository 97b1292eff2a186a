/* Markers and sentences of answers. */
#include "support/answer/citations.h"
#include "base/text.h"
#include "text/words.h"

#include <stdio.h>
#include <string.h>

enum { ANSWER_MAX = 1 << 20 };

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\n' || byte == '\t' || byte == '\r';
}

/* Full-width marks and those of other scripts that need no blank behind them; their length. */
static size_t wide_mark(const char *at, size_t left)
{
    static const char *const marks[] = {"\xe3\x80\x82", "\xef\xbc\x81", "\xef\xbc\x9f", "\xd8\x9f",
                                        "\xe0\xa5\xa4"};

    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        size_t length = strlen(marks[i]);

        if (left >= length && memcmp(at, marks[i], length) == 0)
            return length;
    }
    return 0;
}

/* Whether the full stop at `at` closes the number of an item. */
static bool is_list_number(const char *text, size_t at)
{
    size_t digits = 0, before;

    while (digits < at && digits < 3 && text[at - digits - 1] >= '0' &&
           text[at - digits - 1] <= '9')
        digits++;
    if (digits == 0 || digits > 2)
        return false;
    before = at - digits;
    if (before == 0 || text[before - 1] == '\n')
        return true;
    if (!is_blank(text[before - 1]))
        return false;
    while (before > 0 && is_blank(text[before - 1]))
        before--;
    return before == 0 || strchr(".!?;:", text[before - 1]) != NULL;
}

size_t citation_sentence_end(const char *text, size_t length, size_t at)
{
    while (at < length) {
        size_t wide = wide_mark(text + at, length - at);

        if (wide) {
            at += wide;
            break;
        }
        at++;
        if (strchr(".!?", text[at - 1]) && text[at - 1] && (at == length || is_blank(text[at])) &&
            !(text[at - 1] == '.' && is_list_number(text, at - 1)))
            break;
    }
    while (at < length && is_blank(text[at]))
        at++;
    return at;
}

size_t citation_read(const char *text, int *number)
{
    size_t at = 1;

    if (text[0] != '[')
        return 0;
    for (*number = 0; text[at] >= '0' && text[at] <= '9'; at++)
        *number = *number < 100000 ? *number * 10 + (text[at] - '0') : *number;
    return at > 1 && text[at] == ']' ? at + 1 : 0;
}

static bool has_marker(const char *text, size_t length)
{
    int number;

    for (size_t i = 0; i < length; i++) {
        if (text[i] == '[' && citation_read(text + i, &number))
            return true;
    }
    return false;
}

struct citation_coverage citation_coverage_of(const char *text)
{
    struct citation_coverage coverage = {0, 0};
    size_t length = strlen(text), at = 0;

    while (at < length && is_blank(text[at]))
        at++;
    while (at < length) {
        size_t end = citation_sentence_end(text, length, at);

        coverage.sentences++;
        coverage.cited += has_marker(text + at, end - at);
        at = end;
    }
    return coverage;
}

/* Where the closing marks of a sentence begin; its end when it has none. */
static size_t closing_place(const char *text, size_t start, size_t end)
{
    size_t at = end;

    for (;;) {
        size_t wide = 0;

        for (size_t back = 2; back <= 3 && !wide; back++) {
            if (at >= start + back && wide_mark(text + at - back, back) == back)
                wide = back;
        }
        if (wide)
            at -= wide;
        else if (at > start && text[at - 1] && strchr(".!?;:", text[at - 1]))
            at--;
        else
            return at == start ? end : at;
    }
}

const char *citation_mark(struct arena *arena, const char *text, size_t length, int number)
{
    struct text marked;
    size_t at = 0;

    text_start(&marked, arena, ANSWER_MAX);
    while (at < length) {
        size_t next = citation_sentence_end(text, length, at), end = next, mark;

        while (end > at && is_blank(text[end - 1]))
            end--;
        mark = closing_place(text, at, end);
        text_append(&marked, text + at, mark - at);
        text_append_format(&marked, " [%d]", number);
        text_append(&marked, text + mark, next - mark);
        at = next;
    }
    return marked.bytes;
}

/* Copies the text; `keeps` decides over each marker. */
static const char *filter(struct arena *arena, const char *text, int highest)
{
    struct text kept;
    int number;

    text_start(&kept, arena, ANSWER_MAX);
    for (size_t at = 0; text[at];) {
        size_t marker = citation_read(text + at, &number);

        if (marker && (number < 1 || number > highest)) {
            if (kept.length && kept.bytes[kept.length - 1] == ' ')
                text_cut(&kept, kept.length - 1);
            at += marker;
        } else {
            text_append_byte(&kept, text[at++]);
        }
    }
    return kept.bytes;
}

const char *citation_escape(struct arena *arena, const char *text)
{
    char *escaped = arena_copy_string(arena, text);
    int number;

    for (size_t at = 0; escaped[at]; at++) {
        size_t marker = citation_read(escaped + at, &number);

        if (marker) {
            escaped[at] = '(';
            escaped[at + marker - 1] = ')';
        }
    }
    return escaped;
}

const char *citation_strip(struct arena *arena, const char *text)
{
    return filter(arena, text, 0);
}

const char *citation_drop_orphans(struct arena *arena, const char *text, int count)
{
    return filter(arena, text, count);
}
