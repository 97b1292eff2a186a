/* Writes the records of a request and reads those of an answer. Knows no sockets. */
#include "net/fastcgi_records.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { VERSION = 1, HEADER = 8, RESPONDER = 1, REQUEST_ID = 1, CONTENT_MAX = 65528 };
enum record_type { BEGIN_REQUEST = 1, END_REQUEST = 3, PARAMS, STDIN, STDOUT };

static void append_header(struct text *out, enum record_type type, size_t length)
{
    const char header[HEADER] = {
        VERSION, (char)type, 0, REQUEST_ID, (char)(length >> 8), (char)(length & 0xff), 0, 0};

    text_append(out, header, sizeof header);
}

/* A stream of records, and its end. */
static void append_stream(struct text *out, enum record_type type, const char *bytes, size_t length)
{
    while (length) {
        size_t count = length < CONTENT_MAX ? length : CONTENT_MAX;

        append_header(out, type, count);
        text_append(out, bytes, count);
        bytes += count;
        length -= count;
    }
    append_header(out, type, 0);
}

static void append_length(struct text *out, size_t length)
{
    const char four[] = {(char)(length >> 24 | 0x80), (char)(length >> 16), (char)(length >> 8),
                         (char)length};

    if (length < 0x80)
        text_append_byte(out, (char)length);
    else
        text_append(out, four, sizeof four);
}

void fastcgi_append_parameter(struct text *out, const char *name, const char *value)
{
    if (!value)
        return;
    append_length(out, strlen(name));
    append_length(out, strlen(value));
    text_append_string(out, name);
    text_append_string(out, value);
}

void fastcgi_append_request(struct text *out, const struct text *parameters, const char *body,
                            size_t length)
{
    static const char begin[HEADER] = {0, RESPONDER, 0};

    append_header(out, BEGIN_REQUEST, sizeof begin);
    text_append(out, begin, sizeof begin);
    append_stream(out, PARAMS, parameters->bytes, parameters->length);
    append_stream(out, STDIN, body, length);
}

bool fastcgi_take(struct text *incoming, struct text *answer)
{
    size_t at = 0;
    bool ended = false;

    while (incoming->length - at >= HEADER && !ended) {
        const unsigned char *header = (const unsigned char *)incoming->bytes + at;
        size_t content = header[4] * 256U + header[5], whole = HEADER + content + header[6];

        if (incoming->length - at < whole)
            break;
        if (header[1] == STDOUT)
            text_append(answer, incoming->bytes + at + HEADER, content);
        ended = header[1] == END_REQUEST;
        at += whole;
    }
    memmove(incoming->bytes, incoming->bytes + at, incoming->length - at);
    text_cut(incoming, incoming->length - at);
    return ended;
}

static const char *value_of(struct arena *arena, const char *line, size_t length, const char *name)
{
    size_t name_length = strlen(name);

    if (length <= name_length || strncasecmp(line, name, name_length) != 0 ||
        line[name_length] != ':')
        return NULL;
    return text_trimmed(arena, line + name_length + 1, length - name_length - 1);
}

static int status_of(const char *value)
{
    long status = strtol(value, NULL, 10);

    return status >= 100 && status < 600 ? (int)status : 502;
}

bool fastcgi_split(struct arena *arena, const struct text *whole, struct fastcgi_answer *answer)
{
    const char *at = whole->bytes;

    *answer = (struct fastcgi_answer){.status = 200, .content_type = ""};
    for (;;) {
        const char *end = strstr(at, "\r\n"), *value;

        if (!end)
            return false;
        if ((value = value_of(arena, at, (size_t)(end - at), "Status")) != NULL)
            answer->status = status_of(value);
        if ((value = value_of(arena, at, (size_t)(end - at), "Content-Type")) != NULL)
            answer->content_type = value;
        if (end == at)
            break;
        at = end + 2;
    }
    answer->body = at + 2;
    answer->length = whole->length - (size_t)(answer->body - whole->bytes);
    return true;
}
