/* Passages: blocks between blank lines first, then what kind of block each is. */
#include "support/documents/passages.h"
#include "base/list.h"
#include "base/text.h"
#include "support/documents/chunk.h"
#include "support/documents/tables.h"
#include "text/lines.h"
#include "text/questions.h"
#include "text/sentences.h"

#include <string.h>

enum {
    FIELDS_LEAST = 3,
    LABEL_MAX = 40,
    VALUE_MAX = 80,      /* points of a field's parts */
    ABBREVIATION_MAX = 4 /* bytes */
};

struct splitter {
    struct arena *arena;
    struct line_text body;
    struct passage_list *list;
    const char *head;
    int paragraph;
    struct line_text *lines; /* of the block being read */
    size_t count;
    size_t parted;    /* blank lines stand between the lines up to this one, which are fields */
    bool waiting;     /* for another field after a blank line */
    const char *lead; /* a line ending with a colon, waiting for its list, or a question, waiting
                       * for its answer; NULL = none */
};

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r';
}

static struct line_text trim(const char *text, size_t length)
{
    while (length && is_blank(text[0])) {
        text++;
        length--;
    }
    while (length && is_blank(text[length - 1]))
        length--;
    return (struct line_text){text, length};
}

static bool is_item(const struct line_text *line)
{
    size_t digits = 0;

    if (line->length >= 2 && strchr("-*+", line->bytes[0]) && line->bytes[1] == ' ')
        return true;
    if (line->length >= 4 && memcmp(line->bytes, "\xe2\x80\xa2", 3) == 0) /* bullet */
        return true;
    while (digits < line->length && line->bytes[digits] >= '0' && line->bytes[digits] <= '9')
        digits++;
    return digits > 0 && digits <= 3 && digits + 1 < line->length &&
           (line->bytes[digits] == '.' || line->bytes[digits] == ')') &&
           line->bytes[digits + 1] == ' ';
}

static bool is_row(const struct line_text *line)
{
    return table_is_row(line->bytes, line->length);
}

static bool ends_with_colon(const char *text, size_t length)
{
    return (length && text[length - 1] == ':') ||
           (length >= 3 && memcmp(text + length - 3, "\xef\xbc\x9a", 3) == 0);
}

static void add(struct splitter *splitter, const char *text, size_t length)
{
    if (!length)
        return;
    *LIST_ADD(splitter->arena, splitter->list) = (struct passage){
        arena_copy(splitter->arena, text, length), length, splitter->head, splitter->paragraph};
}

/* Where the value begins in a line "label: value"; 0 when it is none. */
static size_t value_at(const struct line_text *line)
{
    const char *wide = memmem(line->bytes, line->length, "\xef\xbc\x9a", 3);
    const char *colon = memmem(line->bytes, line->length, ": ", 2);

    if (colon)
        return (size_t)(colon - line->bytes) + 2;
    return wide && wide + 3 < line->bytes + line->length ? (size_t)(wide - line->bytes) + 3 : 0;
}

/* Whether a full stop stands within a label, other than that of an abbreviation. */
static bool ends_sentence(const char *label, size_t length)
{
    size_t word = 0;

    for (size_t i = 0; i + 1 < length; i++) {
        if (label[i] == '.' && label[i + 1] == ' ' && word > ABBREVIATION_MAX)
            return true;
        word = label[i] == ' ' ? 0 : word + 1;
    }
    return false;
}

static bool is_field(const struct line_text *line)
{
    size_t value = value_at(line), label = utf8_count_of(line->bytes, value);

    return value && label >= 2 && label <= LABEL_MAX && !is_item(line) && !is_row(line) &&
           !ends_sentence(line->bytes, value) && !memmem(line->bytes, value, ", ", 2) &&
           utf8_count_of(line->bytes, line->length) - label <= VALUE_MAX &&
           !ends_with_colon(line->bytes, line->length) &&
           !text_is_question(line->bytes, line->length);
}

static bool are_fields(const struct splitter *splitter)
{
    for (size_t i = 0; i < splitter->count; i++) {
        if (!is_field(&splitter->lines[i]))
            return false;
    }
    return splitter->count > 0;
}

/* A paragraph as groups of whole sentences. */
static void add_paragraph(struct splitter *splitter, const char *text, size_t length)
{
    struct sentence_reader reader;
    size_t start, end, group = 0, group_end = 0;

    if (utf8_count_of(text, length) <= PASSAGE_LENGTH_MAX) {
        add(splitter, text, length);
        return;
    }
    sentence_reader_start(&reader, text, length);
    while (sentence_next(&reader, &start, &end)) {
        if (group_end > group && utf8_count_of(text + group, end - group) > PASSAGE_LENGTH_MAX) {
            add(splitter, text + group, group_end - group);
            group = start;
        } else if (group_end == 0) {
            group = start;
        }
        group_end = end;
    }
    add(splitter, text + group, group_end - group);
}

/* A line that goes on in the next one, or a new one after a line feed. */
static void join_line(const struct splitter *splitter, struct text *text, struct line_text line,
                      bool feed)
{
    enum line_join join =
        feed || !text->length
            ? JOIN_NOTHING
            : line_join((struct line_text){text->bytes, text->length}, line, splitter->body);

    if (feed && text->length)
        text_append_byte(text, '\n');
    else if (join == JOIN_BLANK)
        text_append_byte(text, ' ');
    else if (join == JOIN_WITHOUT_HYPHEN)
        text_cut(text, text->length - 1);
    text_append(text, line.bytes, line.length);
}

/* The lines from `from` to `to` joined as a paragraph is, or by line feeds. */
static struct text join(struct splitter *splitter, const char *lead, size_t from, size_t to,
                        bool as_list)
{
    struct text text;

    text_start(&text, splitter->arena, (size_t)1 << 26);
    if (lead)
        text_append_string(&text, lead);
    for (size_t i = from; i < to; i++) {
        bool feed = as_list && (is_item(&splitter->lines[i]) || is_row(&splitter->lines[i]));

        join_line(splitter, &text, splitter->lines[i], feed);
    }
    return text;
}

/* A list from line `from` on with what leads to it; long ones in parts, each with the lead. */
static void add_list(struct splitter *splitter, const char *lead, size_t from)
{
    size_t start = from, next = from;

    while (next < splitter->count) {
        size_t length = lead ? utf8_count(lead) : 0;
        struct text text;

        while (next < splitter->count &&
               (next == start ||
                length + utf8_count_of(splitter->lines[next].bytes, splitter->lines[next].length) <
                    PASSAGE_LIST_MAX ||
                !is_item(&splitter->lines[next]))) {
            length += utf8_count_of(splitter->lines[next].bytes, splitter->lines[next].length) + 1;
            next++;
        }
        text = join(splitter, lead, start, next, true);
        add(splitter, text.bytes, text.length);
        start = next;
    }
}

static void add_table(struct splitter *splitter)
{
    size_t first =
        splitter->count > 1 && table_is_rule(splitter->lines[1].bytes, splitter->lines[1].length)
            ? 2
            : 1;

    if (splitter->count <= first) {
        add(splitter, splitter->lines[0].bytes, splitter->lines[0].length);
        return;
    }
    for (size_t i = first; i < splitter->count; i++) {
        const char *row = arena_print(splitter->arena, "%.*s\n%.*s", (int)splitter->lines[0].length,
                                      splitter->lines[0].bytes, (int)splitter->lines[i].length,
                                      splitter->lines[i].bytes);

        add(splitter, row, strlen(row));
    }
}

/* Whether line `place` is a question whose answer comes after it. Items that ask make a list,
 * unless something else stands between them. */
static bool asks(const struct splitter *splitter, size_t place)
{
    const struct line_text *line = &splitter->lines[place], *before = line - (place > 0);

    if (!text_is_question(line->bytes, line->length))
        return false;
    if (is_item(line) && splitter->count > 1 && (place + 1 == splitter->count || is_item(line + 1)))
        return false;
    return place == 0 ||
           text_sentence_may_begin(before->bytes, before->length, line->bytes, line->length);
}

static void flush_lead(struct splitter *splitter)
{
    if (splitter->lead)
        add_paragraph(splitter, splitter->lead, strlen(splitter->lead));
    splitter->lead = NULL;
}

static void end_paragraph(struct splitter *splitter)
{
    struct text text = join(splitter, splitter->lead, 0, splitter->count, false);

    splitter->lead = NULL;
    if (ends_with_colon(text.bytes, text.length) || text_is_question(text.bytes, text.length))
        splitter->lead = text.bytes;
    else
        add_paragraph(splitter, text.bytes, text.length);
}

/* Lines before the first item are the list's lead; a lead kept from the block before counts too.
 * A question is the lead of a paragraph as well. */
static void end_part(struct splitter *splitter)
{
    size_t item = 0;
    bool table = is_row(&splitter->lines[0]), asking = asks(splitter, 0), asked;
    struct text lead;

    splitter->paragraph++;
    while (item < splitter->count && !is_item(&splitter->lines[item]))
        item++;
    if (asking && splitter->count == 1)
        item = 1;
    table = table && item == splitter->count;
    asked = splitter->lead && !table && !asking &&
            text_is_question(splitter->lead, strlen(splitter->lead));
    if (item > 0 && !asked)
        flush_lead(splitter);
    if (table) {
        add_table(splitter);
    } else if (item == splitter->count) {
        end_paragraph(splitter);
    } else {
        lead = join(splitter, splitter->lead, 0, item, false);
        add_list(splitter, lead.length ? lead.bytes : NULL, item);
        splitter->lead = NULL;
    }
}

/* Fields become the items of a list. */
static void list_fields(struct splitter *splitter)
{
    for (size_t i = 0; i < splitter->count; i++) {
        struct line_text *line = &splitter->lines[i];

        line->bytes = arena_print(splitter->arena, "- %.*s", (int)line->length, line->bytes);
        line->length += 2;
    }
}

/* A question in a line of its own begins a part of the block, with the answer after it; so does
 * every line where blank lines stand between them, unless they make a list of fields. */
static void end_block(struct splitter *splitter)
{
    struct line_text *lines = splitter->lines;
    size_t count = splitter->count, from = 0;
    size_t parted = splitter->parted;

    if (count >= FIELDS_LEAST && are_fields(splitter)) {
        list_fields(splitter);
        parted = 0;
    }
    for (size_t next = 1; next <= count; next++) {
        if (next < count && next > parted && !asks(splitter, next))
            continue;
        splitter->lines = lines + from;
        splitter->count = next - from;
        end_part(splitter);
        splitter->lines = lines;
        splitter->count = count;
        from = next;
    }
    splitter->count = 0;
    splitter->parted = 0;
    splitter->waiting = false;
}

/* Fields in paragraphs of their own may make one list. */
static bool may_go_on(const struct splitter *splitter)
{
    return splitter->parted + 1 == splitter->count && are_fields(splitter);
}

static void read_line(struct splitter *splitter, const char *text, size_t length)
{
    struct line_text line = trim(text, length);
    int level;
    const char *title = heading_of_line(splitter->arena, line.bytes, line.length, &level);

    if (line.length == 0 && may_go_on(splitter))
        splitter->waiting = true;
    else if (line.length == 0 || title || (splitter->waiting && !is_field(&line)))
        end_block(splitter);
    if (title) {
        flush_lead(splitter);
        splitter->head = title;
    } else if (line.length) {
        splitter->parted = splitter->waiting ? splitter->count : splitter->parted;
        splitter->waiting = false;
        splitter->lines[splitter->count++] = line;
    }
}

struct passage_list passages_of(struct arena *arena, const char *body, size_t length)
{
    struct passage_list list = {0};
    struct splitter splitter = {.arena = arena, .body = {body, length}, .list = &list, .head = ""};
    size_t lines = 0;

    for (size_t i = 0; i < length; i++)
        lines += body[i] == '\n';
    splitter.lines = ARENA_ARRAY(arena, struct line_text, lines + 2);
    for (size_t at = 0; at < length;) {
        const char *feed = memchr(body + at, '\n', length - at);
        size_t end = feed ? (size_t)(feed - body) : length;

        read_line(&splitter, body + at, end - at);
        at = end + 1;
    }
    end_block(&splitter);
    flush_lead(&splitter);
    return list;
}
