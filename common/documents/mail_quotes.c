/* Quotes, forwarded headers and signatures of e-mails. */
#include "documents/mail_quotes.h"
#include "base/text.h"

#include <string.h>
#include <strings.h>

enum { TEXT_MOST = 1 << 24, HEADER_LINES = 3, LABEL_MAX = 30, RULE_LEAST = 10 };

struct line {
    const char *at;
    size_t length; /* without the end and trailing blanks */
};

static struct line line_at(const char *at)
{
    struct line line = {at, strcspn(at, "\n")};

    while (line.length && strchr(" \t\r", at[line.length - 1]))
        line.length--;
    return line;
}

static const char *after(const char *at)
{
    at += strcspn(at, "\n");
    return *at ? at + 1 : at;
}

static bool is_quoted(struct line line)
{
    return line.length && *line.at == '>';
}

/* "-- " begins a signature (RFC 3676 section 4.3); the blank is often lost. */
static bool is_signature(const char *at)
{
    return strncmp(at, "-- \n", 4) == 0 || strncmp(at, "--\n", 3) == 0 ||
           strncmp(at, "-- \r\n", 5) == 0;
}

/* A label with a colon, of ASCII or (U+FF1A) not, and a value. */
static bool is_field(struct line line)
{
    for (size_t i = 1; i < line.length && i < LABEL_MAX; i++)
        if (line.at[i] == ':' || strncmp(line.at + i, "\xef\xbc\x9a", 3) == 0)
            return i + 1 < line.length;
    return false;
}

/* The header of a message that is quoted without marks: some fields, the first with an address. */
static bool is_quoted_header(const char *at)
{
    struct line first = line_at(at);

    if (!memchr(first.at, '@', first.length))
        return false;
    for (int i = 0; i < HEADER_LINES; i++, at = after(at))
        if (!is_field(line_at(at)))
            return false;
    return true;
}

/* -----Original Message-----, or a rule with the quoted header below it. */
static bool is_separator(const char *at)
{
    struct line line = line_at(at);
    size_t dashes = strspn(line.at, "-");

    if (dashes >= 3 && dashes < line.length)
        return line.length >= 2 * dashes && memcmp(line.at + line.length - 3, "---", 3) == 0;
    return strspn(line.at, "_") >= RULE_LEAST && is_field(line_at(after(at)));
}

/* Where the line begins that ends at `end`. */
static size_t line_start(const struct text *text, size_t end)
{
    const char *newline = end ? memrchr(text->bytes, '\n', end) : NULL;

    return newline ? (size_t)(newline - text->bytes) + 1 : 0;
}

/* The text in front of a quote loses the line that introduces it, which ends with a colon. Mail
 * programs wrap it before or after the address. */
static void cut_introduction(struct text *text)
{
    const char *bytes = text->bytes;
    size_t end = text->length, begin, before;

    while (end && strchr(" \t\r\n", bytes[end - 1]))
        end--;
    if (!end ||
        (bytes[end - 1] != ':' && (end < 3 || strncmp(bytes + end - 3, "\xef\xbc\x9a", 3) != 0)))
        return;
    begin = line_start(text, end);
    before = begin ? line_start(text, begin - 1) : 0;
    if (begin && (bytes[begin] == '<' || (!memchr(bytes + begin, '@', end - begin) &&
                                          memchr(bytes + before, '@', begin - before))))
        begin = before;
    text_cut(text, begin);
}

const char *mail_without_quotes(struct arena *arena, const char *body)
{
    struct text text;
    bool quoting = false;
    const char *kept;

    text_start(&text, arena, TEXT_MOST);
    for (const char *at = body; *at; at = after(at)) {
        struct line line = line_at(at);

        if (is_signature(at) || is_separator(at) || (text.length && is_quoted_header(at)))
            break;
        if (is_quoted(line)) {
            if (!quoting)
                cut_introduction(&text);
            quoting = true;
            continue;
        }
        if (line.length) /* blank lines between quotes introduce nothing */
            quoting = false;
        text_append(&text, line.at, line.length);
        text_append_byte(&text, '\n');
    }
    kept = text_trimmed(arena, text.bytes, text.length);
    return *kept ? kept : text_trimmed(arena, body, strlen(body));
}

const char *mail_html_without_quotes(struct arena *arena, const char *html)
{
    static const char *const marks[] = {"<div class=\"gmail_quote",     "<div id=\"divRplyFwdMsg",
                                        "<div id=\"appendonsend",       "<div class=\"yahoo_quoted",
                                        "<div class=\"moz-cite-prefix", "<blockquote type=\"cite"};
    size_t length = strlen(html);

    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        const char *at = strcasestr(html, marks[i]);

        if (at && at > html && (size_t)(at - html) < length)
            length = (size_t)(at - html);
    }
    return arena_copy(arena, html, length);
}
