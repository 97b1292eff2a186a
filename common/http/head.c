/* The head of an answer: its status line, and the headers that every answer has. */
#include "base/clock.h"
#include "base/log.h"
#include "base/number.h"
#include "http/http_internal.h"

#include <string.h>
#include <strings.h>

enum {
    REPLY_HEAD_MAX = 8 * 1024, /* bytes; nginx takes 16 kB */
    HEAD_GUESS = 1500          /* of most heads */
};

static const char *number_text(struct arena *arena, int64_t number)
{
    char text[NUMBER_TEXT_MAX];

    return arena_copy(arena, text, integer_format(number, text));
}

static void add_rate_headers(struct serving *serving)
{
    struct arena *arena = serving->request.arena;
    const struct rate_decision *rate = &serving->rate;
    const struct rate_header_names *names = &serving->format->rate_headers;
    int64_t reset = rate->reset_seconds;

    if (!rate->limit || !names->limit)
        return;
    if (names->reset_is_time)
        reset += clock_unix_microseconds() / 1000000;
    reply_add_header(&serving->reply, names->limit, number_text(arena, rate->limit));
    reply_add_header(&serving->reply, names->remaining, number_text(arena, rate->remaining));
    reply_add_header(&serving->reply, names->reset, number_text(arena, reset));
}

static const char *reason_phrase(int status)
{
    static const struct {
        int status;
        const char *phrase;
    } phrases[] = {
        {200, "OK"},
        {201, "Created"},
        {202, "Accepted"},
        {204, "No Content"},
        {207, "Multi-Status"},
        {301, "Moved Permanently"},
        {302, "Found"},
        {303, "See Other"},
        {304, "Not Modified"},
        {307, "Temporary Redirect"},
        {400, "Bad Request"},
        {401, "Unauthorized"},
        {403, "Forbidden"},
        {404, "Not Found"},
        {405, "Method Not Allowed"},
        {406, "Not Acceptable"},
        {408, "Request Timeout"},
        {409, "Conflict"},
        {410, "Gone"},
        {412, "Precondition Failed"},
        {413, "Content Too Large"},
        {415, "Unsupported Media Type"},
        {421, "Misdirected Request"},
        {422, "Unprocessable Content"},
        {429, "Too Many Requests"},
        {500, "Internal Server Error"},
        {501, "Not Implemented"},
        {502, "Bad Gateway"},
        {503, "Service Unavailable"},
        {504, "Gateway Timeout"},
    };

    for (size_t i = 0; i < COUNT_OF(phrases); i++)
        if (phrases[i].status == status)
            return phrases[i].phrase;
    return "";
}

static void add_line(struct text *head, const char *before, const char *value)
{
    text_append_string(head, before);
    text_append_string(head, value);
    text_append(head, "\r\n", 2);
}

/* Milliseconds with two decimals. */
static void add_milliseconds(struct text *head, int64_t microseconds)
{
    int64_t hundredths = (microseconds + 5) / 10;
    char number[NUMBER_TEXT_MAX];
    char fraction[] = {'.', (char)('0' + hundredths / 10 % 10), (char)('0' + hundredths % 10),
                       '\0'};

    integer_format(hundredths / 100, number);
    text_append_string(head, number);
    add_line(head, fraction, "");
}

static bool has_body(int status)
{
    return status != 204 && status != 304;
}

static void add_body_lines(struct text *head, const struct reply *reply, int64_t length)
{
    char number[NUMBER_TEXT_MAX];

    if (!has_body(reply->status))
        return;
    if (reply->content_type)
        add_line(head, "Content-Type: ", reply->content_type);
    if (length < 0)
        return;
    integer_format(length, number);
    add_line(head, "Content-Length: ", number);
}

static bool has_header(const struct reply *reply, const char *name, size_t length)
{
    for (size_t i = 0; i < reply->header_count; i++)
        if (strncasecmp(reply->headers[i].name, name, length) == 0 &&
            reply->headers[i].name[length] == '\0')
            return true;
    return false;
}

/* The lines of every answer, each with CR LF. A header of the reply takes the place of the line of
 * its name. */
static void add_service_lines(struct text *head, const struct reply *reply, const char *lines)
{
    for (const char *line = lines, *end; *line; line = end) {
        end = strchr(line, '\n') + 1;
        if (!has_header(reply, line, strcspn(line, ":")))
            text_append(head, line, (size_t)(end - line));
    }
}

static void add_standard_lines(struct text *head, struct serving *serving)
{
    const struct wire_format *format = serving->format;
    const struct request *request = &serving->request;

    for (size_t i = 0; format->request_id_out[i]; i++) {
        text_append_string(head, format->request_id_out[i]);
        add_line(head, ": ", request->id);
    }
    if (format->process_time_header) {
        text_append_string(head, format->process_time_header);
        text_append(head, ": ", 2);
        add_milliseconds(head, serving->microseconds);
    }
    if (format->names_language && request->locale)
        add_line(head, "Content-Language: ", language_tag(locale_language(request->locale)));
    add_service_lines(head, &serving->reply,
                      serving->policy->headers ? serving->policy->headers : format->headers);
}

static bool answers_with(const struct reply *reply, const char *name)
{
    return has_header(reply, name, strlen(name));
}

/* Below the portal what a person may see stays in no cache, except where the answer says itself how
 * it may be kept. On the ports of the services answers are as their clients know them. */
static void add_no_store(struct text *head, const struct serving *serving)
{
    const struct reply *reply = &serving->reply;
    const char *type = reply->content_type;

    if (*request_prefix(&serving->request) && type && strncmp(type, "application/json", 16) == 0 &&
        !strstr(serving->format->headers, "Cache-Control:") &&
        !answers_with(reply, "Cache-Control") && !answers_with(reply, "ETag"))
        add_line(head, "Cache-Control: ", "no-store");
}

/* A head that does not fit would be incomplete: the client would read the body as headers. */
static void cut_head(struct serving *serving)
{
    struct reply *reply = &serving->reply;

    log_event(LOG_ERROR, "reply_head_too_large", serving->request.path);
    reply->header_count = 0;
    serving->request.id = "unknown";
    answer_failure(serving, 500, FAILURE_INTERNAL);
}

/* Composes everything before the body. It allocates, so it must run before the first byte is
 * sent. */
static void write_head(struct serving *serving, int64_t length)
{
    const struct reply *reply = &serving->reply;
    struct text *head = &serving->head;
    char number[NUMBER_TEXT_MAX];

    text_start(head, serving->request.arena, REPLY_HEAD_MAX);
    text_reserve(head, HEAD_GUESS);
    integer_format(reply->status, number);
    text_append_string(head, "Status: ");
    text_append_string(head, number);
    add_line(head, " ", reason_phrase(reply->status));
    add_body_lines(head, reply, length);
    add_standard_lines(head, serving);
    add_no_store(head, serving);
    for (size_t i = 0; i < reply->header_count; i++) {
        text_append_string(head, reply->headers[i].name);
        add_line(head, ": ", reply->headers[i].value);
    }
    text_append(head, "\r\n", 2);
}

void compose_head(struct serving *serving, int64_t length)
{
    const struct http_service *service = serving->server->family->service;
    struct reply *reply = &serving->reply;

    if (service->finish)
        service->finish(&serving->request, reply);
    add_rate_headers(serving);
    cors_add_headers(serving);
    serving->microseconds = clock_monotonic_microseconds() - serving->started;
    if (!has_body(reply->status))
        text_cut(&reply->body, 0);
    write_head(serving, length);
    if (!serving->head.overflowed)
        return;
    cut_head(serving);
    write_head(serving, (int64_t)reply->body.length);
}
