/* Finds the titles of a chunk, line by line. */
#include "support/documents/titles.h"
#include "base/text.h"
#include "support/documents/chunk.h"
#include "support/documents/tables.h"
#include "text/questions.h"

#include <string.h>

static bool is_space(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r';
}

/* What stands before the words: `#`, `**`, "- ", "12. ", "Q: ", "3) ". */
static size_t mark_length(const char *line, size_t length)
{
    size_t at = 0, digits;

    while (at < length && (is_space(line[at]) || strchr("#*_-+", line[at])))
        at++;
    for (digits = at; digits < length && line[digits] >= '0' && line[digits] <= '9';)
        digits++;
    if (digits == at && digits < length && strchr("QFP", line[digits]))
        digits++;
    if (digits > at && digits + 1 < length && strchr(".):", line[digits]) &&
        line[digits + 1] == ' ')
        at = digits + 2;
    while (at < length && (is_space(line[at]) || line[at] == '*'))
        at++;
    return at;
}

static const char *title_of_line(struct arena *arena, const char *line, size_t length)
{
    int level;
    size_t start = mark_length(line, length);
    bool heading = heading_of_line(arena, line, length, &level) != NULL;

    while (length > start &&
           (is_space(line[length - 1]) || line[length - 1] == '*' || line[length - 1] == '#'))
        length--;
    if (length == start || utf8_count_of(line + start, length - start) > TITLE_LENGTH_MAX)
        return NULL;
    if (!heading && (table_is_row(line, length) || !text_is_question(line + start, length - start)))
        return NULL;
    return arena_copy(arena, line + start, length - start);
}

void titles_of(struct arena *arena, const char *body, size_t length, struct title_list *titles)
{
    size_t at = 0;

    titles->count = 0;
    while (at < length && titles->count < TITLES_MAX) {
        const char *feed = memchr(body + at, '\n', length - at);
        size_t end = feed ? (size_t)(feed - body) : length;
        const char *title = title_of_line(arena, body + at, end - at);

        if (title)
            titles->items[titles->count++] = title;
        at = end + 1;
    }
}

bool title_is_above(const char *title, const struct passage *passage)
{
    size_t length = strlen(title), start = mark_length(passage->text, passage->length);
    size_t head = mark_length(passage->head, strlen(passage->head));

    return strncmp(passage->head + head, title, length) == 0 ||
           (passage->length - start > length && memcmp(passage->text + start, title, length) == 0);
}
