/* The way of a request: the same steps in the same order for every route of every service. Each
 * step either lets the request pass or completes the reply; every reply then gets the same headers,
 * counters and log line. */
#include "base/clock.h"
#include "base/give_way.h"
#include "base/log.h"
#include "base/number.h"
#include "crypto/token.h"
#include "http/http_internal.h"
#include "shm/histogram.h"

#include <setjmp.h>
#include <string.h>

enum {
    REPLY_BODY_MAX = 64 * 1024 * 1024, /* bytes of one answer */
    REPLY_HEAD_MAX = 8 * 1024,         /* of its header; nginx takes 16 kB */
    BODY_GUESS = 4 * 1024,             /* of most answers and their headers */
    HEAD_GUESS = 1500,
    REQUEST_ID_MAX = 128
};

static const char fixed_headers[] =
    "Content-Security-Policy: default-src 'self'; base-uri 'self'; connect-src 'self'; "
    "font-src 'self' https://fonts.gstatic.com data:; form-action 'self'; "
    "frame-ancestors 'none'; img-src 'self' data:; object-src 'none'; script-src 'self'; "
    "style-src 'self' 'unsafe-inline' https://fonts.googleapis.com\r\n"
    "Permissions-Policy: camera=(), geolocation=(), microphone=()\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "X-Content-Type-Options: nosniff\r\n"
    "X-Frame-Options: DENY\r\n"
    "Cache-Control: no-store\r\n"
    "Vary: Accept-Language, Origin\r\n";

const char *request_header(const struct request *request, const char *cgi_name)
{
    struct exchange *exchange = request->exchange;

    return exchange->variable(exchange->transport, cgi_name);
}

void reply_add_header(struct reply *reply, const char *name, const char *value)
{
    for (const char *p = value; *p; p++) {
        if ((unsigned char)*p < 0x20 || *p == 0x7f) {
            log_event(LOG_ERROR, "reply_header_dropped", name);
            return;
        }
    }
    if (reply->header_count == REPLY_HEADERS_MAX)
        log_event(LOG_ERROR, "reply_header_dropped", name);
    else
        reply->headers[reply->header_count++] = (struct reply_header){name, value};
}

static bool acceptable_id(const char *id)
{
    size_t length = id ? strlen(id) : 0;

    return length > 0 && length <= REQUEST_ID_MAX &&
           strspn(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:-") ==
               length;
}

static enum method parse_method(const char *name)
{
    for (int method = 0; name && method < METHOD_OTHER; method++)
        if (strcmp(name, method_names[method]) == 0)
            return (enum method)method;
    return METHOD_OTHER;
}

static bool step_identify(struct serving *serving)
{
    struct exchange *exchange = serving->exchange;
    struct request *request = &serving->request;
    const struct application *application = serving->server->application;
    const char *path = exchange->variable(exchange->transport, "DOCUMENT_URI");
    const char *id = request_header(request, "HTTP_X_REQUEST_ID");
    char uuid[TOKEN_UUID_TEXT];

    if (acceptable_id(id)) {
        request->id = arena_copy_string(request->arena, id);
    } else {
        token_uuid(uuid);
        request->id = arena_copy_string(request->arena, uuid);
    }
    request->method = parse_method(exchange->variable(exchange->transport, "REQUEST_METHOD"));
    request->path = arena_copy_string(request->arena, path ? path : "/");
    client_identify(serving);
    serving->match = route_find(application->routes, application->route_count, request->method,
                                request->path, request->arena, request->arguments);
    return true;
}

static bool step_language(struct serving *serving)
{
    const char *header = request_header(&serving->request, "HTTP_ACCEPT_LANGUAGE");

    serving->request.locale = locale_get(language_negotiate(header));
    return true;
}

static const char *allowed_methods(const struct serving *serving)
{
    struct text text;

    text_start(&text, serving->request.arena, 128);
    for (int method = 0; method < METHOD_OTHER; method++)
        if (serving->match.methods & 1U << method)
            text_append_format(&text, "%s%s", text.length ? ", " : "", method_names[method]);
    return text.bytes;
}

static bool step_route(struct serving *serving)
{
    if (serving->match.route)
        return true;
    if (!serving->match.path_known) {
        answer_error(serving, 404, "not_found", "Not Found");
        return false;
    }
    answer_error(serving, 405, "http_error", "Method Not Allowed");
    reply_add_header(&serving->reply, "Allow", allowed_methods(serving));
    return false;
}

static bool step_handle(struct serving *serving)
{
    const struct route *route = serving->match.route;
    struct reply *reply = &serving->reply;
    struct json_writer writer;
    enum error error = route->handler(&serving->request, reply);

    if (error) {
        answer_problem(serving, error);
    } else if (reply->object) {
        writer_start(&writer, &reply->body);
        schema_write(&writer, route->reply, reply->object);
    }
    if (reply->body.overflowed)
        answer_error(serving, 500, "internal_error", "Internal server error");
    return true;
}

static const serving_step steps[] = {
    step_identify,     step_language,    step_credentials, step_rate,
    step_body,         step_preflight,   step_route,       step_guard,
    step_decode_query, step_decode_body, step_admission,   step_handle,
};

static const char *number_text(struct arena *arena, uint32_t number)
{
    char text[NUMBER_TEXT_MAX];

    return arena_copy(arena, text, integer_format(number, text));
}

static void add_rate_headers(struct serving *serving)
{
    struct arena *arena = serving->request.arena;
    const struct rate_decision *rate = &serving->rate;

    if (!rate->limit)
        return;
    reply_add_header(&serving->reply, "RateLimit-Limit", number_text(arena, rate->limit));
    reply_add_header(&serving->reply, "RateLimit-Remaining", number_text(arena, rate->remaining));
    reply_add_header(&serving->reply, "RateLimit-Reset", number_text(arena, rate->reset_seconds));
}

static const char *reason_phrase(int status)
{
    static const struct {
        int status;
        const char *phrase;
    } phrases[] = {
        {200, "OK"},
        {307, "Temporary Redirect"},
        {400, "Bad Request"},
        {401, "Unauthorized"},
        {403, "Forbidden"},
        {404, "Not Found"},
        {405, "Method Not Allowed"},
        {409, "Conflict"},
        {413, "Content Too Large"},
        {422, "Unprocessable Content"},
        {429, "Too Many Requests"},
        {500, "Internal Server Error"},
        {502, "Bad Gateway"},
        {503, "Service Unavailable"},
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

/* With two decimals. */
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

/* Everything before the body. Allocates, so it belongs before the point of no return. */
static void compose_head(struct serving *serving)
{
    const struct reply *reply = &serving->reply;
    const struct request *request = &serving->request;
    struct text *head = &serving->head;
    char number[NUMBER_TEXT_MAX];

    add_rate_headers(serving);
    cors_add_headers(serving);
    serving->microseconds = clock_monotonic_microseconds() - serving->started;
    text_start(head, request->arena, REPLY_HEAD_MAX);
    text_reserve(head, HEAD_GUESS);
    integer_format(reply->status, number);
    text_append_string(head, "Status: ");
    text_append_string(head, number);
    add_line(head, " ", reason_phrase(reply->status));
    add_line(head, "Content-Type: ", reply->content_type);
    integer_format((int64_t)reply->body.length, number);
    add_line(head, "Content-Length: ", number);
    add_line(head, "X-Request-ID: ", request->id);
    text_append_string(head, "X-Process-Time-Ms: ");
    add_milliseconds(head, serving->microseconds);
    if (request->locale)
        add_line(head, "Content-Language: ", language_tags[locale_language(request->locale)]);
    text_append(head, fixed_headers, sizeof fixed_headers - 1);
    for (size_t i = 0; i < reply->header_count; i++) {
        text_append_string(head, reply->headers[i].name);
        add_line(head, ": ", reply->headers[i].value);
    }
    text_append(head, "\r\n", 2);
}

static void count_reply(struct serving *serving)
{
    struct shm_family *family = serving->server->family;
    int64_t now = clock_unix_microseconds();
    int status = serving->reply.status;

    counters_add(family, COUNTER_REQUESTS, 1);
    counters_add(family,
                 status < 400   ? COUNTER_SUCCESS
                 : status < 500 ? COUNTER_CLIENT_ERROR
                                : COUNTER_SERVER_ERROR,
                 1);
    stamps_set(family, STAMP_LAST_REQUEST, now);
    histogram_record(family, HISTOGRAM_REQUEST, (uint64_t)serving->microseconds);
    if (serving->error_code) {
        stamps_set(family, STAMP_LAST_ERROR, now);
        notes_set(family, NOTE_LAST_ERROR_CODE, now, serving->error_code);
    }
}

/* The name of the log line says which step answered. */
static const char *event_name(const struct serving *serving)
{
    const char *code = serving->error_code;

    if (!code)
        return "http_request";
    if (strcmp(code, "rate_limited") == 0)
        return "http_request_rate_limit";
    if (strcmp(code, "request_body_too_large") == 0)
        return "http_request_body_limit";
    if (serving->reply.status == 401 || serving->reply.status == 403 ||
        strcmp(code, "auth_rate_limited") == 0)
        return "http_request_auth";
    return serving->reply.status >= 500 ? "http_request_error" : "http_request";
}

static void log_reply(const struct serving *serving)
{
    const struct request *request = &serving->request;
    struct log_line line;

    log_begin(&line, serving->reply.status >= 500 ? LOG_ERROR : LOG_INFO, event_name(serving));
    log_integer(&line, "body_bytes", (int64_t)serving->reply.body.length);
    log_text(&line, "client", request->client.resolved);
    log_text(&line, "error_code", serving->error_code);
    log_text(&line, "method", method_names[request->method]);
    log_text(&line, "path", request->path);
    log_number(&line, "process_time_ms", (double)serving->microseconds / 1000);
    log_text(&line, "request_id", request->id);
    log_text(&line, "source", request->who.source);
    log_integer(&line, "status_code", serving->reply.status);
    log_write(&line);
}

static void prepare(struct serving *serving, struct server *server, struct exchange *exchange)
{
    *serving = (struct serving){.server = server,
                                .policy = &server->policy,
                                .exchange = exchange,
                                .started = clock_monotonic_microseconds()};
    serving->request = (struct request){
        .arena = server->arena, .server = server, .state = server->state, .exchange = exchange};
    serving->request.id = "unknown";
    serving->request.path = "/";
    serving->request.client.resolved = "unknown";
    serving->reply = (struct reply){.status = 200, .content_type = "application/json"};
}

static void run_steps(struct serving *serving)
{
    text_start(&serving->reply.body, serving->request.arena, REPLY_BODY_MAX);
    text_reserve(&serving->reply.body, BODY_GUESS);
    for (size_t i = 0; i < COUNT_OF(steps) && steps[i](serving); i++)
        continue;
    compose_head(serving);
}

/* Memory ran out half way: what the request used is dropped, and the answer is made in the room
 * that this gives back. */
static void answer_exhausted(struct serving *serving, struct server *server,
                             struct exchange *exchange)
{
    log_event(LOG_ERROR, "request_memory_exhausted", NULL);
    admission_release(server->region, &serving->ticket);
    arena_on_exhausted(server->arena, NULL);
    arena_reset(server->arena);
    prepare(serving, server, exchange);
    text_start(&serving->reply.body, server->arena, REPLY_BODY_MAX);
    step_identify(serving);
    answer_error(serving, 500, "internal_error", "Internal server error");
    compose_head(serving);
}

void server_serve(struct server *server, struct exchange *exchange)
{
    static struct serving serving; /* outlives the jump out of an exhausted arena */
    jmp_buf exhausted;
    bool head_only;

    arena_reset(server->arena);
    prepare(&serving, server, exchange);
    give_way_start();
    server->serving = &serving;
    if (setjmp(exhausted) == 0) {
        arena_on_exhausted(server->arena, &exhausted);
        run_steps(&serving);
    } else {
        answer_exhausted(&serving, server, exchange);
    }
    arena_on_exhausted(server->arena, NULL);
    admission_release(server->region, &serving.ticket);
    /* Before the answer: who has it finds it counted and logged. */
    count_reply(&serving);
    log_reply(&serving);
    head_only = serving.request.method == METHOD_HEAD;
    exchange->write(exchange->transport, serving.head.bytes, serving.head.length,
                    serving.reply.body.bytes, head_only ? 0 : serving.reply.body.length);
}

void server_after(struct server *server)
{
    struct serving *serving = server->serving;
    jmp_buf exhausted;

    server->serving = NULL;
    if (!serving || !server->application->after)
        return;
    if (setjmp(exhausted) == 0) {
        arena_on_exhausted(server->arena, &exhausted);
        server->application->after(&serving->request, serving->reply.status);
    } else {
        log_event(LOG_ERROR, "request_memory_exhausted", "after the answer");
    }
    arena_on_exhausted(server->arena, NULL);
}
