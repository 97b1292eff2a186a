/* URLs: taking one apart, and showing one, or a text with some in it, without credentials. Knows
 * nothing of databases. */
#include "db/url.h"
#include "db/db.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* Bounded output that is always terminated. */
struct output {
    char *bytes;
    size_t size;
    size_t length;
};

static const char *const secret_keys[] = {"password", "passwd", "pwd", "sslpassword", NULL};

/* Parameters whose values may well hold an `@`. */
static const char *const at_keys[] = {"user",        "password", "passwd",           "pwd",
                                      "sslpassword", "options",  "application_name", NULL};

static void put(struct output *output, const char *bytes, size_t length)
{
    size_t room = output->size - output->length - 1;

    if (length > room)
        length = room;
    memcpy(output->bytes + output->length, bytes, length);
    output->length += length;
    output->bytes[output->length] = '\0';
}

static void put_string(struct output *output, const char *string)
{
    put(output, string, strlen(string));
}

static struct output output_start(char *bytes, size_t size)
{
    bytes[0] = '\0';
    return (struct output){.bytes = bytes, .size = size};
}

static const char *last_at(struct span span)
{
    return span.length ? memrchr(span.start, '@', span.length) : NULL;
}

static bool scheme_byte(char byte)
{
    return isalnum((unsigned char)byte) || byte == '+' || byte == '-' || byte == '.';
}

bool url_split(const char *text, struct url *url)
{
    const char *separator = strstr(text, "://");
    const char *authority, *at;
    size_t length;

    if (!separator || separator == text)
        return false;
    for (const char *byte = text; byte < separator; byte++) {
        if (!scheme_byte(*byte))
            return false;
    }
    *url = (struct url){.scheme = {text, (size_t)(separator - text)}};
    authority = separator + 3;
    length = strcspn(authority, "/?#");
    url->host = (struct span){authority, length};
    at = last_at(url->host);
    if (at) {
        url->user = (struct span){authority, (size_t)(at - authority)};
        url->host = (struct span){at + 1, length - url->user.length - 1};
    }
    text = authority + length;
    url->path = (struct span){text, strcspn(text, "?#")};
    text += url->path.length;
    if (*text)
        text++;
    url->query = (struct span){text, strlen(text)};
    return true;
}

static bool is_listed(const char *const *list, struct span word)
{
    for (; *list; list++) {
        if (strlen(*list) == word.length && strncasecmp(*list, word.start, word.length) == 0)
            return true;
    }
    return false;
}

/* Does every `@` stand in the value of a parameter that may hold one? A user before the host leaves
 * that to parameters that are masked. */
static bool query_owns_its_ats(const struct url *url)
{
    const char *at = url->query.start, *end = at + url->query.length;

    while (at < end) {
        struct span piece = {at, strcspn(at, "&")};
        struct span key = {at, strcspn(at, "=&")};

        if (last_at(piece) && (url->query.start[-1] != '?' ||
                               !is_listed(url->user.length ? secret_keys : at_keys, key)))
            return false;
        at += piece.length + 1;
    }
    return true;
}

/* Of one host or several with commas. What stands after the colon of `user:password` is none. */
static bool ports_are_numbers(struct span hosts)
{
    const char *at = hosts.start, *end = hosts.start + hosts.length;

    while (at < end) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        const char *stop = comma ? comma : end;
        const char *closing = *at == '[' ? memchr(at, ']', (size_t)(stop - at)) : NULL;
        const char *rest = closing ? closing + 1 : at;
        const char *colon = memchr(rest, ':', (size_t)(stop - rest));

        if (colon && colon + 1 + strspn(colon + 1, "0123456789") < stop)
            return false;
        at = stop + 1;
    }
    return true;
}

bool url_ambiguous(const struct url *url)
{
    return last_at(url->path) || !query_owns_its_ats(url) || !ports_are_numbers(url->host);
}

static int hex_digit(char byte)
{
    if (byte >= '0' && byte <= '9')
        return byte - '0';
    if (byte >= 'a' && byte <= 'f')
        return byte - 'a' + 10;
    if (byte >= 'A' && byte <= 'F')
        return byte - 'A' + 10;
    return -1;
}

char *url_decode(struct arena *arena, struct span span)
{
    char *text = arena_copy(arena, span.start, span.length);
    size_t length = 0;

    for (size_t i = 0; i < span.length; i++) {
        int high = -1, low = -1;

        if (span.start[i] == '%' && i + 2 < span.length) {
            high = hex_digit(span.start[i + 1]);
            low = hex_digit(span.start[i + 2]);
        }
        if (high >= 0 && low >= 0) {
            text[length++] = (char)(high * 16 + low);
            i += 2;
        } else {
            text[length++] = span.start[i];
        }
        if (!text[length - 1])
            return NULL;
    }
    text[length] = '\0';
    return text;
}

static bool is_secret_key(struct span key)
{
    return is_listed(secret_keys, key);
}

/* Keys may hide behind percent signs: anything encoded counts as secret. */
static bool hides_secret(struct span key)
{
    return is_secret_key(key) || memchr(key.start, '%', key.length);
}

/* What has no key may be the rest of a password with a raw `&`. */
static void put_query(struct output *output, struct span query)
{
    const char *at = query.start, *end = query.start + query.length;

    while (at < end) {
        size_t length = strcspn(at, "&");
        const char *equals = memchr(at, '=', length);

        if (equals && hides_secret((struct span){at, (size_t)(equals - at)})) {
            put(output, at, (size_t)(equals - at) + 1);
            put_string(output, "***");
        } else if (equals || at[-1] == '#') {
            put(output, at, length);
        } else {
            put_string(output, "***");
        }
        at += length;
        if (at < end)
            put(output, at++, 1);
    }
}

void db_redact_url(const char *url, char *shown, size_t size)
{
    struct output output = output_start(shown, size);
    struct url parts;

    if (!url_split(url, &parts)) {
        put_string(&output, strchr(url, '@') ? "***" : url);
        return;
    }
    if (url_ambiguous(&parts)) {
        put_string(&output, "***");
        return;
    }
    put(&output, parts.scheme.start, parts.scheme.length);
    put_string(&output, "://");
    if (parts.user.length || parts.host.start[-1] == '@')
        put_string(&output, "***@");
    put(&output, parts.host.start, parts.host.length);
    put(&output, parts.path.start, parts.path.length);
    if (parts.query.length) {
        put(&output, parts.query.start - 1, 1);
        put_query(&output, parts.query);
    }
}

/* Masks the credentials of the URL whose authority starts at `text`; where it goes on. */
static const char *put_authority(struct output *output, const char *text)
{
    struct span span = {text, strcspn(text, " \t\r\n\"'<>()`")};
    const char *at = last_at(span);

    if (!at)
        return text;
    put_string(output, "***");
    return at;
}

/* Masks `key=value` when `text` starts with a secret key; where it goes on, or NULL. */
static const char *put_assignment(struct output *output, const char *text)
{
    size_t key = 0, value;

    while (isalpha((unsigned char)text[key]))
        key++;
    if (text[key] != '=' || !is_secret_key((struct span){text, key}))
        return NULL;
    put(output, text, key + 1);
    put_string(output, "***");
    text += key + 1;
    if (*text == '\'' || *text == '"') {
        value = strcspn(text + 1, *text == '"' ? "\"" : "'") + 1;
        return text + value + (text[value] != '\0');
    }
    return text + strcspn(text, " \t\r\n&;,)");
}

void db_redact_text(const char *text, char *shown, size_t size)
{
    struct output output = output_start(shown, size);
    const char *at = text;

    while (*at) {
        bool word_start = at == text || !isalnum((unsigned char)at[-1]);
        const char *next = word_start ? put_assignment(&output, at) : NULL;

        if (next) {
            at = next;
        } else if (strncmp(at, "://", 3) == 0) {
            put(&output, at, 3);
            at = put_authority(&output, at + 3);
        } else {
            put(&output, at++, 1);
        }
    }
}
