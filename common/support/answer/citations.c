/* Markers and sentences of answers. */
#include "support/answer/citations.h"
#include "base/text.h"
#include "text/sentences.h"
#include "text/words.h"

#include <stdio.h>
#include <string.h>

enum { ANSWER_MAX = 1 << 20 };

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\n' || byte == '\t' || byte == '\r';
}

/* Whether the full stop at `at` belongs to the number of a list item. */
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

/* Sentences end as in `text/sentences.h`, except after the number of a list item. A closing bracket
 * after the mark may end a citation marker, which belongs to the sentence. */
size_t citation_sentence_end(const char *text, size_t length, size_t at)
{
    size_t from = at, end = 0;

    for (; at < length && !end; at++) {
        if (text[at] == '\n' && at > from && text[at - 1] == '\n')
            end = at;
        else if (!(text[at] == '.' && is_list_number(text, at)))
            end = sentence_mark_end(text, length, from, at);
    }
    if (!end)
        return length;
    while (end < length && is_blank(text[end]))
        end++;
    return end;
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

static bool is_closing_mark(int32_t character)
{
    static const int32_t marks[] = {'.',    '!',    '?',    ';',    ':',    0x2026,
                                    0x061b, 0x061f, 0x06d4, 0x0964, 0x0965, 0x3002,
                                    0xff01, 0xff0e, 0xff1a, 0xff1b, 0xff1f};

    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        if (marks[i] == character)
            return true;
    }
    return false;
}

/* Where the final marks of a sentence begin; its end when it has none. */
static size_t closing_place(const char *text, size_t start, size_t end)
{
    size_t at = end;

    while (at > start) {
        int32_t character = 0;
        size_t taken = letter_read_back(text + start, at - start, &character);

        if (!taken || !is_closing_mark(character))
            return at;
        at -= taken;
    }
    return end;
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

/* Copies the text without markers whose number is outside 1 to `highest`. */
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
