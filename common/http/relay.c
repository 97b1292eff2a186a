/* The client's side of FastCGI, for one request on a connection of its own. */
#include "http/relay.h"

#include "base/clock.h"
#include "base/number.h"
#include "http/server.h"
#include "net/local_socket.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    VERSION = 1,
    HEADER = 8,
    RESPONDER = 1,
    REQUEST_ID = 1,
    CONTENT_MAX = 65528,
    PARAMETERS_MAX = 65535, /* what a responder takes */
    BODY_MAX = 1 << 30,
    LOOK_MICROSECONDS = 1000000 /* between two looks whether the client is still there */
};
enum record_type { BEGIN_REQUEST = 1, END_REQUEST = 3, PARAMS, STDIN, STDOUT };

/* What the family learns of the client and of the way that the request came. */
static const char *const passed_on[] = {
    "SERVER_PROTOCOL",      "REQUEST_SCHEME",    "HTTPS",
    "SERVER_SOFTWARE",      "REMOTE_ADDR",       "REMOTE_PORT",
    "SERVER_ADDR",          "SERVER_PORT",       "SERVER_NAME",
    "SITE_ORIGIN",          "HTTP_HOST",         "REQUEST_HOST",
    "REQUEST_ID_SENT",      "HTTP_X_REQUEST_ID", "HTTP_X_FORWARDED_FOR",
    "HTTP_FORWARDED",       "HTTP_ORIGIN",       "HTTP_SEC_FETCH_SITE",
    "HTTP_ACCEPT_LANGUAGE", "HTTP_USER_AGENT",   "HTTP_AUTHORIZATION",
    "HTTP_X_API_KEY",       "HTTP_X_ADMIN_KEY",  "HTTP_X_AB_LLM_PROVIDER",
    "HTTP_X_AB_LLM_TOKEN"};

struct relaying {
    struct request *request;
    int connection;
    int64_t deadline;
    struct text incoming; /* as received: records */
    struct text answer;   /* their contents */
    bool ended;
};

static enum error fail(struct relaying *relaying, const char *reason, const char *text)
{
    return problem_set(&relaying->request->problem, ERROR_UNAVAILABLE, reason, "%s", text);
}

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

static void append_parameter(struct text *out, const char *name, const char *value)
{
    if (!value)
        return;
    append_length(out, strlen(name));
    append_length(out, strlen(value));
    text_append_string(out, name);
    text_append_string(out, value);
}

static void append_target(struct text *out, const struct relay_call *call)
{
    struct text target;

    text_start(&target, out->arena, PARAMETERS_MAX);
    text_append_string(&target, call->path);
    if (call->query && *call->query)
        text_append_strings(&target, (const char *const[]){"?", call->query, NULL});
    append_parameter(out, "REQUEST_METHOD", method_names[call->method]);
    append_parameter(out, "QUERY_STRING", call->query ? call->query : "");
    append_parameter(out, "REQUEST_URI", target.bytes);
    append_parameter(out, "DOCUMENT_URI", call->path);
    append_parameter(out, "SCRIPT_NAME", call->path);
    append_parameter(out, "GATEWAY_INTERFACE", "CGI/1.1");
    append_parameter(out, "HTTP_ACCEPT", "*/*");
}

static void append_trace(struct text *out, const struct request *request)
{
    char traceparent[TRACEPARENT_MAX] = "";

    if (request->server->policy.span_socket) {
        trace_context_write(&request->trace, traceparent);
        append_parameter(out, "HTTP_TRACEPARENT", arena_copy_string(out->arena, traceparent));
    } else {
        append_parameter(out, "HTTP_TRACEPARENT", request_header(request, "HTTP_TRACEPARENT"));
    }
}

static void append_parameters(struct text *out, const struct request *request,
                              const struct relay_call *call)
{
    append_target(out, call);
    for (size_t i = 0; i < sizeof passed_on / sizeof passed_on[0]; i++)
        append_parameter(out, passed_on[i], request_header(request, passed_on[i]));
    append_parameter(out, "SITE_PREFIX", call->prefix ? call->prefix : request_prefix(request));
    append_trace(out, request);
    for (size_t i = 0; i < call->header_count; i++)
        append_parameter(out, call->headers[i].name, call->headers[i].value);
    if (!call->content_type)
        return;
    append_parameter(out, "CONTENT_TYPE", call->content_type);
    append_parameter(out, "CONTENT_LENGTH",
                     arena_print(out->arena, "%llu", (unsigned long long)call->length));
}

static enum error compose(struct relaying *relaying, const struct relay_call *call,
                          struct text *out)
{
    struct arena *arena = relaying->request->arena;
    static const char begin[HEADER] = {0, RESPONDER, 0};
    struct text parameters;

    text_start(&parameters, arena, PARAMETERS_MAX);
    append_parameters(&parameters, relaying->request, call);
    if (parameters.overflowed)
        return problem_set(&relaying->request->problem, ERROR_TOO_LARGE, "parameters_too_long",
                           "The path, the query and the headers are too long");
    text_start(out, arena, BODY_MAX);
    append_header(out, BEGIN_REQUEST, sizeof begin);
    text_append(out, begin, sizeof begin);
    append_stream(out, PARAMS, parameters.bytes, parameters.length);
    append_stream(out, STDIN, call->body ? call->body : "", call->content_type ? call->length : 0);
    return ERROR_NONE;
}

/* Waits for the connection; meanwhile looks whether the client has left. */
static enum error await(struct relaying *relaying, short events)
{
    for (;;) {
        int64_t now = clock_monotonic_microseconds(), until = now + LOOK_MICROSECONDS;

        if (now >= relaying->deadline)
            return fail(relaying, "family_too_slow", "The route did not answer in time");
        if (until > relaying->deadline)
            until = relaying->deadline;
        if (local_socket_wait(relaying->connection, events, until))
            return ERROR_NONE;
        if (request_gone(relaying->request))
            return fail(relaying, "client_gone", "The client has left");
    }
}

static enum error send_all(struct relaying *relaying, const struct text *out)
{
    size_t at = 0;

    while (at < out->length) {
        ssize_t sent = send(relaying->connection, out->bytes + at, out->length - at, MSG_NOSIGNAL);

        if (sent > 0) {
            at += (size_t)sent;
        } else if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            enum error error = await(relaying, POLLOUT);

            if (error)
                return error;
        } else if (sent == 0 || errno != EINTR) {
            return ERROR_NONE; /* it may have answered without reading everything */
        }
    }
    return ERROR_NONE;
}

/* Takes the whole records out of what has come; keeps the rest. */
static void take_records(struct relaying *relaying)
{
    struct text *in = &relaying->incoming;
    size_t at = 0;

    while (in->length - at >= HEADER && !relaying->ended) {
        const unsigned char *header = (const unsigned char *)in->bytes + at;
        size_t content = header[4] * 256U + header[5], whole = HEADER + content + header[6];

        if (in->length - at < whole)
            break;
        if (header[1] == STDOUT)
            text_append(&relaying->answer, in->bytes + at + HEADER, content);
        relaying->ended = header[1] == END_REQUEST;
        at += whole;
    }
    memmove(in->bytes, in->bytes + at, in->length - at);
    text_cut(in, in->length - at);
}

static enum error receive(struct relaying *relaying)
{
    enum { PIECE = 65536 };

    while (!relaying->ended) {
        char *room = text_extend(&relaying->incoming, PIECE);
        ssize_t count = recv(relaying->connection, room, PIECE, 0);
        int fault = errno;

        text_extend_to(&relaying->incoming, room + (count > 0 ? count : 0));
        if (count > 0) {
            take_records(relaying);
        } else if (count < 0 && (fault == EAGAIN || fault == EWOULDBLOCK)) {
            enum error error = await(relaying, POLLIN);

            if (error)
                return error;
        } else if (count == 0 || fault != EINTR) {
            return fail(relaying, "family_unavailable", "The route broke its answer off");
        }
        if (relaying->answer.overflowed)
            return problem_set(&relaying->request->problem, ERROR_TOO_LARGE, "answer_too_long",
                               "The answer is longer than %zu bytes; ask for less",
                               relaying->answer.maximum);
    }
    return ERROR_NONE;
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

/* "Status: 200 OK", other lines, an empty line, the body. */
static enum error split_answer(struct relaying *relaying, struct relay_answer *answer)
{
    const char *at = relaying->answer.bytes;
    struct arena *arena = relaying->request->arena;

    *answer = (struct relay_answer){.status = 200, .content_type = "", .sent = true};
    for (;;) {
        const char *end = strstr(at, "\r\n"), *value;

        if (!end)
            return fail(relaying, "family_unavailable", "The route gave no answer");
        if ((value = value_of(arena, at, (size_t)(end - at), "Status")) != NULL)
            answer->status = status_of(value);
        if ((value = value_of(arena, at, (size_t)(end - at), "Content-Type")) != NULL)
            answer->content_type = value;
        if (end == at)
            break;
        at = end + 2;
    }
    answer->body = at + 2;
    answer->length = relaying->answer.length - (size_t)(answer->body - relaying->answer.bytes);
    return ERROR_NONE;
}

static void close_connection(void *connection)
{
    close((int)(intptr_t)connection - 1);
}

static enum error converse(struct relaying *relaying, const struct relay_call *call,
                           struct relay_answer *answer)
{
    struct text out = {0};
    enum error error = compose(relaying, call, &out);

    if (error)
        return error;
    answer->sent = true;
    error = send_all(relaying, &out);
    if (!error)
        error = receive(relaying);
    return error ? error : split_answer(relaying, answer);
}

enum error relay(struct request *request, const struct relay_call *call,
                 struct relay_answer *answer)
{
    enum { RECORDS_MAX = 4 * 65536 }; /* one record that has not come as a whole, and a piece */
    struct relaying relaying = {.request = request,
                                .deadline = clock_monotonic_microseconds() +
                                            (int64_t)(call->seconds * 1e6)};
    const char *directory = request->server->run_directory;
    struct arena_guard *guard;
    enum error error;

    *answer = (struct relay_answer){0};
    text_start(&relaying.incoming, request->arena, RECORDS_MAX);
    text_start(&relaying.answer, request->arena, call->answer_max);
    relaying.connection = local_socket_connect(
        arena_print(request->arena, "%s/%s.sock", directory ? directory : "run", call->pool),
        SOCK_NONBLOCK);
    if (relaying.connection < 0)
        return fail(&relaying, "family_unavailable",
                    "The service that answers this does not run, or has no room; try again");
    guard = arena_guard(request->arena, close_connection);
    guard->thing = (void *)(intptr_t)(relaying.connection + 1);
    error = converse(&relaying, call, answer);
    arena_guard_end(guard);
    return error;
}
