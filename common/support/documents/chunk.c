/* Chunking: sections by headings, pieces by increasingly fine splits, and packing with overlap. */
#include "support/documents/chunk.h"
#include "base/list.h"
#include "base/text.h"
#include "support/documents/tables.h"
#include "text/sentences.h"

#include <string.h>

enum {
    LEVELS = 5,    /* of splitting: blank line, line, sentence, blank, character */
    HEAD_SHARE = 2 /* a repeated table header uses at most this fraction of a chunk */
};

/* A piece of the text that is not split further, and its length in code points. */
struct piece {
    size_t start, end;
    int length;
};

struct cutter {
    struct arena *arena;
    const char *text;
    size_t length;
    const struct chunk_options *options;
    struct piece *pieces;
    size_t count, capacity;
    struct chunk_list *list;
    struct chunk frame; /* headings and page of the chunks being made */
    struct {
        size_t line;       /* start of the last line checked */
        size_t head, rule; /* of the table that `line` stands in, when `inside` */
        bool inside;
    } table;
};

struct section {
    size_t start, end;
    const char *headings[CHUNK_HEADINGS];
    bool only_heading;
    int level; /* of its heading; 0 = none */
};

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n' || byte == '\f';
}

static void add_piece(struct cutter *cutter, size_t start, size_t end, int length)
{
    if (cutter->count == cutter->capacity) {
        size_t capacity = cutter->capacity ? cutter->capacity * 2 : 64;
        struct piece *pieces = ARENA_ARRAY(cutter->arena, struct piece, capacity);

        if (cutter->count)
            memcpy(pieces, cutter->pieces, cutter->count * sizeof *pieces);
        cutter->pieces = pieces;
        cutter->capacity = capacity;
    }
    cutter->pieces[cutter->count++] = (struct piece){start, end, length};
}

/* Where the next piece begins at this level of splitting, after `at`. A separator belongs to the
 * piece after it. */
static size_t next_cut(const struct cutter *cutter, size_t at, size_t end, int level)
{
    const char *text = cutter->text;
    const char *found;

    switch (level) {
    case 0:
        found = memmem(text + at + 1, end - at - 1, "\n\n", 2);
        return found ? (size_t)(found - text) : end;
    case 1:
        found = memchr(text + at + 1, '\n', end - at - 1);
        return found ? (size_t)(found - text) : end;
    case 2: {
        struct sentence_reader reader;
        size_t start, stop;

        sentence_reader_start(&reader, text + at, end - at);
        if (!sentence_next(&reader, &start, &stop))
            return end;
        return at + stop > at ? at + stop : end;
    }
    case 3:
        found = memchr(text + at + 1, ' ', end - at - 1);
        return found ? (size_t)(found - text) : end;
    default:
        at++;
        while (at < end && ((unsigned char)text[at] & 0xc0) == 0x80)
            at++;
        return at;
    }
}

static void cut(struct cutter *cutter, size_t start, size_t end, int level)
{
    int length = (int)utf8_count_of(cutter->text + start, end - start);

    if (length <= cutter->options->size || level == LEVELS) {
        add_piece(cutter, start, end, length);
        return;
    }
    while (start < end) {
        size_t next = next_cut(cutter, start, end, level);

        cut(cutter, start, next, level + 1);
        start = next;
    }
}

static size_t line_end(const char *text, size_t at, size_t length)
{
    const char *feed = memchr(text + at, '\n', length - at);

    return feed ? (size_t)(feed - text) + 1 : length;
}

/* Advances to the line that contains `start`. Chunks come in order. */
static void find_table(struct cutter *cutter, size_t start)
{
    const char *text = cutter->text;
    size_t at = cutter->table.line, end;

    for (; at <= start && at < cutter->length; at = end) {
        end = line_end(text, at, cutter->length);
        if (!table_is_row(text + at, end - at)) {
            cutter->table.inside = false;
        } else if (!cutter->table.inside) {
            cutter->table.inside = true;
            cutter->table.head = cutter->table.rule = at;
        } else if (cutter->table.rule == cutter->table.head) {
            cutter->table.rule = at; /* the line after the head, whether or not it is a rule */
        }
        if (end > start)
            break;
    }
    cutter->table.line = at;
}

/* The header of the table, if a chunk from `start` on lacks it: its length, from cutter->table.head
 * on. */
static size_t missing_head(struct cutter *cutter, size_t start)
{
    size_t head, after;

    find_table(cutter, start);
    head = cutter->table.head;
    if (!cutter->table.inside || start <= head)
        return 0;
    after = line_end(cutter->text, head, cutter->length);
    if (start < after)
        return 0; /* within the head itself */
    if (start > after && cutter->table.rule == after) {
        size_t end = line_end(cutter->text, after, cutter->length);

        if (start >= end && table_is_rule(cutter->text + after, end - after))
            after = end;
    }
    return (int)utf8_count_of(cutter->text + head, after - head) * HEAD_SHARE <=
                   cutter->options->size
               ? after - head
               : 0;
}

static void add_chunk(struct cutter *cutter, size_t start, size_t end)
{
    struct chunk *chunk;
    size_t head;

    while (start < end && is_blank(cutter->text[start]))
        start++;
    while (end > start && is_blank(cutter->text[end - 1]))
        end--;
    if (start == end)
        return;
    chunk = LIST_ADD(cutter->arena, cutter->list);
    *chunk = cutter->frame;
    head = missing_head(cutter, start);
    chunk->body =
        arena_print(cutter->arena, "%.*s%.*s", (int)head, cutter->text + cutter->table.head,
                    (int)(end - start), cutter->text + start);
    chunk->length = head + end - start;
}

/* Where the next chunk begins: with trailing pieces of the last one whose total is at most the
 * overlap, and which leave space for the next piece. */
static size_t overlap_start(const struct cutter *cutter, size_t first, size_t next)
{
    int room = cutter->options->overlap, length = 0;

    if (cutter->options->size - cutter->pieces[next].length < room)
        room = cutter->options->size - cutter->pieces[next].length;
    while (next > first + 1 && length + cutter->pieces[next - 1].length <= room)
        length += cutter->pieces[--next].length;
    return next;
}

/* Packs the pieces of a section greedily. */
static void pack(struct cutter *cutter)
{
    size_t first = 0;

    while (first < cutter->count) {
        size_t next = first;
        int length = 0;

        while (next < cutter->count &&
               (next == first || length + cutter->pieces[next].length <= cutter->options->size))
            length += cutter->pieces[next++].length;
        add_chunk(cutter, cutter->pieces[first].start, cutter->pieces[next - 1].end);
        if (next == cutter->count)
            return;
        first = overlap_start(cutter, first, next);
    }
}

static void chunk_section(struct cutter *cutter, size_t start, size_t end)
{
    cutter->count = 0;
    if (start < end)
        cut(cutter, start, end, 0);
    pack(cutter);
}

const char *heading_of_line(struct arena *arena, const char *line, size_t length, int *level)
{
    size_t marks = 0;

    while (length && is_blank(line[length - 1]))
        length--;
    while (marks < length && line[marks] == '#')
        marks++;
    if (marks == 0 || marks > CHUNK_HEADINGS || (marks < length && line[marks] != ' '))
        return NULL;
    *level = (int)marks;
    while (marks < length && line[marks] == ' ')
        marks++;
    while (length > marks && line[length - 1] == '#')
        length--;
    while (length > marks && line[length - 1] == ' ')
        length--;
    return arena_copy(arena, line + marks, length - marks);
}

static bool is_fence(const char *line, size_t length)
{
    return length >= 3 && (memcmp(line, "```", 3) == 0 || memcmp(line, "~~~", 3) == 0);
}

static void open_heading(struct section *section, const char *title, int level)
{
    section->headings[level - 1] = title;
    for (int i = level; i < CHUNK_HEADINGS; i++)
        section->headings[i] = NULL;
    section->only_heading = true;
    section->level = level;
}

static void close_section(struct cutter *cutter, const struct section *section)
{
    memcpy(cutter->frame.headings, section->headings, sizeof section->headings);
    chunk_section(cutter, section->start, section->end);
}

/* A section with only a heading is merged with the deeper one that follows. */
static void chunk_by_headings(struct cutter *cutter, size_t length)
{
    struct section section = {.start = 0};
    bool fenced = false;

    for (size_t at = 0; at < length;) {
        size_t end = line_end(cutter->text, at, length);
        const char *line = cutter->text + at;
        int level = 0;
        const char *title = NULL;

        if (is_fence(line, end - at))
            fenced = !fenced;
        else if (!fenced)
            title = heading_of_line(cutter->arena, line, end - at, &level);
        if (title) {
            bool joins = section.only_heading && level > section.level;

            section.end = at;
            if (!joins && at > section.start) {
                close_section(cutter, &section);
                section.start = at;
            }
            open_heading(&section, title, level);
        } else {
            for (size_t i = at; i < end && section.only_heading; i++)
                section.only_heading = is_blank(cutter->text[i]);
        }
        at = end;
    }
    section.end = length;
    close_section(cutter, &section);
}

static void chunk_by_subjects(struct cutter *cutter, size_t length)
{
    const struct subject_list subjects =
        subjects_of(cutter->arena, cutter->text, length, cutter->options->subjects);

    for (size_t i = 0; i < subjects.count; i++)
        chunk_section(cutter, subjects.starts[i],
                      i + 1 < subjects.count ? subjects.starts[i + 1] : length);
}

void chunk_text(struct arena *arena, const char *text, size_t length, int page,
                const struct chunk_options *options, struct chunk_list *list)
{
    struct cutter cutter = {.arena = arena,
                            .text = text,
                            .length = length,
                            .options = options,
                            .list = list,
                            .frame = {.page = page}};

    if (options->structural)
        chunk_by_headings(&cutter, length);
    else if (options->subjects)
        chunk_by_subjects(&cutter, length);
    else
        chunk_section(&cutter, 0, length);
}

struct chunk_list chunk_children(struct arena *arena, const char *body, size_t length)
{
    static const struct chunk_options options = {CHUNK_CHILD, CHUNK_CHILD_OVERLAP, false};
    struct chunk_list children = {0};

    chunk_text(arena, body, length, 0, &options, &children);
    return children;
}

const char *chunk_header(struct arena *arena, const char *name, const struct chunk *chunk)
{
    struct text header;
    int points = 0;
    size_t at = 0;

    text_start(&header, arena, 64 * 1024);
    text_append_string(&header, name);
    for (int i = 0; i < CHUNK_HEADINGS; i++) {
        if (chunk->headings[i])
            text_append_format(&header, " \xe2\x80\xba %s", chunk->headings[i]);
    }
    if (chunk->page)
        text_append_format(&header, " \xe2\x80\xba %d", chunk->page);
    while (at < header.length && points < CHUNK_HEADER_MAX) {
        at += utf8_sequence_length(header.bytes + at, header.length - at);
        points++;
    }
    text_cut(&header, at);
    return header.bytes;
}
