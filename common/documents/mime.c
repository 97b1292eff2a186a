/* E-mails: header fields, the tree of parts, transfer encodings. */
#include "documents/mime.h"
#include "base/text.h"
#include "documents/charset.h"
#include "documents/mime_words.h"
#include "net/mail.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

enum { FILE_NAME_POINTS = 200, PARAMETER_MAX = 200, ID_MAX = 250, LINE_SEARCHED = 998 };

/* A range of the message. */
struct range {
    const char *at, *end;
};

/* What one part's header says of its body. */
struct part {
    char type[PARAMETER_MAX], charset[PARAMETER_MAX], boundary[PARAMETER_MAX];
    char file_name[PARAMETER_MAX];
    bool is_base64, is_quoted, is_attachment;
};

struct walk {
    struct arena *arena;
    struct mime_message *message;
    struct text text, html;
    size_t text_most, parts;
};

/* -- header fields ----------------------------------------------------------------------------- */

/* Moves `range` behind its first line, which is returned without its end. */
static struct range take_line(struct range *range)
{
    const char *newline = memchr(range->at, '\n', (size_t)(range->end - range->at));
    struct range line = {range->at, newline ? newline : range->end};

    range->at = newline ? newline + 1 : range->end;
    if (line.end > line.at && line.end[-1] == '\r')
        line.end--;
    return line;
}

static bool goes_on(const struct range *range)
{
    return range->at < range->end && (*range->at == ' ' || *range->at == '\t');
}

/* A copy in which control characters are blanks. */
static char *one_line(struct arena *arena, struct range range)
{
    char *copy = arena_copy(arena, range.at, (size_t)(range.end - range.at));

    for (size_t i = 0; range.at + i < range.end; i++)
        if ((unsigned char)copy[i] < ' ' || copy[i] == '\x7f')
            copy[i] = ' ';
    return text_trimmed(arena, copy, (size_t)(range.end - range.at));
}

/* Reads the header to its blank line; `range` is then the body. */
static size_t read_headers(struct arena *arena, struct range *range, struct mime_header *headers)
{
    size_t count = 0, bytes = 0;

    while (range->at < range->end) {
        struct range field = take_line(range);
        const char *colon;

        if (field.at == field.end)
            break;
        while (goes_on(range))
            field.end = take_line(range).end;
        colon = memchr(field.at, ':', (size_t)(field.end - field.at));
        bytes += (size_t)(field.end - field.at);
        if (!colon || count == MIME_HEADERS_MAX || bytes > MIME_HEADER_BYTES_MAX)
            continue;
        headers[count].name = text_trimmed(arena, field.at, (size_t)(colon - field.at));
        headers[count++].value = one_line(arena, (struct range){colon + 1, field.end});
    }
    return count;
}

static const char *value_of(const struct mime_header *headers, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcasecmp(headers[i].name, name) == 0)
            return headers[i].value;
    return "";
}

const char *mime_value(const struct mime_message *message, const char *name)
{
    return value_of(message->headers, message->header_count, name);
}

/* Copies a word of a value in lower case, up to one of `ends`. */
static void copy_word(const char *from, const char *ends, char word[PARAMETER_MAX])
{
    size_t length = strcspn(from, ends);

    length = length < PARAMETER_MAX - 1 ? length : PARAMETER_MAX - 1;
    for (size_t i = 0; i < length; i++)
        word[i] = (char)tolower((unsigned char)from[i]);
    word[length] = '\0';
}

/* The parameter of a structured value, as written; "" when there is none. */
static void read_parameter(const char *value, const char *name, char word[PARAMETER_MAX])
{
    size_t length = strlen(name), taken;
    bool is_quoted;

    *word = '\0';
    for (const char *at = strchr(value, ';'); at; at = strchr(at, ';')) {
        at += 1 + strspn(at + 1, " \t");
        if (strncasecmp(at, name, length) != 0)
            continue;
        at += length + strspn(at + length, " \t");
        if (*at++ != '=')
            continue;
        at += strspn(at, " \t");
        is_quoted = *at == '"';
        taken = strcspn(at + is_quoted, is_quoted ? "\"" : "; \t(");
        taken = taken < PARAMETER_MAX - 1 ? taken : PARAMETER_MAX - 1;
        memcpy(word, at + is_quoted, taken);
        word[taken] = '\0';
        return;
    }
}

static struct part part_of(const struct mime_header *headers, size_t count, bool is_top)
{
    const char *type = value_of(headers, count, "Content-Type");
    char encoding[PARAMETER_MAX], disposition[PARAMETER_MAX];
    struct part part;

    copy_word(type, "; \t(", part.type);
    read_parameter(type, "charset", part.charset);
    read_parameter(type, "boundary", part.boundary);
    copy_word(value_of(headers, count, "Content-Transfer-Encoding"), "; \t(", encoding);
    copy_word(value_of(headers, count, "Content-Disposition"), "; \t(", disposition);
    read_parameter(value_of(headers, count, "Content-Disposition"), "filename", part.file_name);
    if (!*part.file_name)
        read_parameter(type, "name", part.file_name);
    part.is_base64 = strcmp(encoding, "base64") == 0;
    part.is_quoted = strcmp(encoding, "quoted-printable") == 0;
    part.is_attachment = !is_top && strcmp(disposition, "attachment") == 0;
    if (!*part.type || !strchr(part.type, '/'))
        memcpy(part.type, "text/plain", sizeof "text/plain");
    return part;
}

/* -- texts ------------------------------------------------------------------------------------- */

/* Up to `most` bytes, and then no broken line. */
static struct range within(struct range body, size_t most)
{
    const char *newline;

    if ((size_t)(body.end - body.at) <= most)
        return body;
    newline = memrchr(body.at, '\n', most);
    body.end = newline ? newline : body.at + most;
    return body;
}

static void add_text(struct walk *walk, const struct part *part, struct range body)
{
    bool is_html = strcmp(part->type, "text/html") == 0;
    struct text *text = is_html ? &walk->html : &walk->text;
    struct text decoded;
    struct range range = within(body, walk->text_most);

    text_start(&decoded, walk->arena, walk->text_most);
    if (part->is_base64)
        mime_append_base64(&decoded, body.at, (size_t)(body.end - body.at));
    else if (part->is_quoted)
        mime_append_quoted(&decoded, body.at, (size_t)(body.end - body.at), false);
    if (part->is_base64 || part->is_quoted)
        range = within((struct range){decoded.bytes, decoded.bytes + decoded.length},
                       walk->text_most - 1);
    if (text->length)
        text_append_byte(text, '\n');
    mime_append_charset(text, walk->arena, range.at, (size_t)(range.end - range.at),
                        *part->charset ? part->charset
                        : is_html
                            ? charset_of_html(walk->arena, range.at, (size_t)(range.end - range.at))
                            : NULL);
}

/* -- the tree ---------------------------------------------------------------------------------- */

/* Whether a line is the delimiter of the multipart, or its last one. */
static bool is_delimiter(struct range line, const char *boundary, bool *is_last)
{
    size_t length = strlen(boundary);

    if ((size_t)(line.end - line.at) < length + 2 || memcmp(line.at, "--", 2) != 0 ||
        memcmp(line.at + 2, boundary, length) != 0)
        return false;
    line.at += length + 2;
    *is_last = line.end - line.at >= 2 && memcmp(line.at, "--", 2) == 0;
    line.at += *is_last ? 2 : 0;
    while (line.at < line.end && (*line.at == ' ' || *line.at == '\t'))
        line.at++;
    return line.at == line.end;
}

/* Finds the next part of a multipart; `range` is then what follows its delimiter. */
static bool next_part(struct range *range, const char *boundary, bool *is_last, struct range *part)
{
    part->at = range->at;
    while (range->at < range->end) {
        const char *begin = range->at;
        struct range line = take_line(range);

        if (line.end - line.at > LINE_SEARCHED || !is_delimiter(line, boundary, is_last))
            continue;
        part->end = begin;
        return true;
    }
    *is_last = true;
    part->end = range->end;
    return false;
}

static void walk_body(struct walk *walk, const struct part *part, struct range body, int depth);

/* Recursion ends at MIME_DEPTH_MAX. */
static void walk_part(struct walk *walk, struct range range,
                      int depth) /* NOLINT(misc-no-recursion) */
{
    struct mime_header *headers = ARENA_ARRAY(walk->arena, struct mime_header, MIME_HEADERS_MAX);
    size_t count = read_headers(walk->arena, &range, headers);
    const struct part part = part_of(headers, count, false);

    walk_body(walk, &part, range, depth);
}

static void walk_multipart(struct walk *walk, const char *boundary, struct range body,
                           int depth) /* NOLINT(misc-no-recursion) */
{
    struct range part;
    bool is_last = false;

    if (depth == MIME_DEPTH_MAX || !next_part(&body, boundary, &is_last, &part))
        return;
    while (!is_last && walk->parts < MIME_PARTS_MAX) {
        walk->parts++;
        next_part(&body, boundary, &is_last, &part);
        walk_part(walk, part, depth + 1);
    }
}

static void add_attachment(struct walk *walk, const struct part *part)
{
    struct mime_message *message = walk->message;

    if (message->attachment_count < MIME_PARTS_MAX)
        message->attachments[message->attachment_count] =
            mime_decoded(walk->arena, part->file_name, FILE_NAME_POINTS);
    message->attachment_count++;
}

static void walk_body(struct walk *walk, const struct part *part, struct range body,
                      int depth) /* NOLINT(misc-no-recursion) */
{
    if (strncmp(part->type, "multipart/", 10) == 0 && *part->boundary)
        walk_multipart(walk, part->boundary, body, depth);
    else if (!part->is_attachment &&
             (strcmp(part->type, "text/plain") == 0 || strcmp(part->type, "text/html") == 0))
        add_text(walk, part, body);
    else
        add_attachment(walk, part);
}

/* NULL when there is no text. The maximum may have split the last character. */
static const char *whole_characters(struct text *text)
{
    text_cut(text, utf8_valid_prefix(text->bytes, text->length));
    return text->length ? text->bytes : NULL;
}

void mime_read(struct arena *arena, const char *bytes, size_t length, size_t text_most,
               struct mime_message *message)
{
    struct walk walk = {.arena = arena, .message = message, .text_most = text_most};
    struct range range = {bytes, bytes + length};
    struct part part;

    *message =
        (struct mime_message){.headers = ARENA_ARRAY(arena, struct mime_header, MIME_HEADERS_MAX)};
    message->header_count = read_headers(arena, &range, message->headers);
    text_start(&walk.text, arena, text_most);
    text_start(&walk.html, arena, text_most);
    part = part_of(message->headers, message->header_count, true);
    walk_body(&walk, &part, range, 0);
    message->text = whole_characters(&walk.text);
    message->html = whole_characters(&walk.html);
}

/* -- values ------------------------------------------------------------------------------------ */

/* Skips a quoted string or a comment, whose characters mean nothing. */
static const char *skip_opaque(const char *at)
{
    char end = *at == '"' ? '"' : ')';

    for (at++; *at && *at != end; at++)
        if (*at == '\\' && at[1])
            at++;
    return *at ? at + 1 : at;
}

const char *mime_address(struct arena *arena, const char *value)
{
    for (const char *at = value; *at;) {
        size_t length = strcspn(at, "<>,;: ()\"");
        char *address = length ? arena_copy(arena, at, length) : NULL;

        if (address && mail_is_address(address)) {
            for (char *domain = strrchr(address, '@'); *domain; domain++)
                *domain = (char)tolower((unsigned char)*domain);
            return address;
        }
        at += length;
        if (*at == '"' || *at == '(')
            at = skip_opaque(at);
        else if (*at)
            at++;
    }
    return "";
}

void mime_add_ids(struct arena *arena, const char *value, struct string_list *ids)
{
    for (const char *at = strchr(value, '<'); at && ids->count < MIME_REFERENCES_MAX;
         at = strchr(at, '<')) {
        size_t length = strcspn(++at, "<>");
        bool fine = length > 0 && length <= ID_MAX && at[length] == '>';

        for (size_t i = 0; i < length && fine; i++)
            fine = at[i] > ' ' && at[i] <= '~';
        if (fine)
            ids->items[ids->count++] = arena_copy(arena, at, length);
    }
}
