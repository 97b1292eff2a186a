/* One request on a connection of its own. net/fastcgi_records.c writes and reads the records. */
#include "http/relay.h"

#include "base/clock.h"
#include "base/number.h"
#include "http/server.h"
#include "net/fastcgi_records.h"
#include "net/local_socket.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    BODY_MAX = 1 << 30,
    LOOK_MICROSECONDS = 1000000 /* between two looks whether the client is still there */
};

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

static void append_target(struct text *out, const struct relay_call *call)
{
    struct text target;

    text_start(&target, out->arena, FASTCGI_PARAMETERS_MAX);
    text_append_string(&target, call->path);
    if (call->query && *call->query)
        text_append_strings(&target, (const char *const[]){"?", call->query, NULL});
    fastcgi_append_parameter(out, "REQUEST_METHOD", method_names[call->method]);
    fastcgi_append_parameter(out, "QUERY_STRING", call->query ? call->query : "");
    fastcgi_append_parameter(out, "REQUEST_URI", target.bytes);
    fastcgi_append_parameter(out, "DOCUMENT_URI", call->path);
    fastcgi_append_parameter(out, "SCRIPT_NAME", call->path);
    fastcgi_append_parameter(out, "GATEWAY_INTERFACE", "CGI/1.1");
    fastcgi_append_parameter(out, "HTTP_ACCEPT", "*/*");
}

static void append_trace(struct text *out, const struct request *request)
{
    char traceparent[TRACEPARENT_MAX] = "";

    if (request->server->policy.span_socket) {
        trace_context_write(&request->trace, traceparent);
        fastcgi_append_parameter(out, "HTTP_TRACEPARENT",
                                 arena_copy_string(out->arena, traceparent));
    } else {
        fastcgi_append_parameter(out, "HTTP_TRACEPARENT",
                                 request_header(request, "HTTP_TRACEPARENT"));
    }
}

static void append_parameters(struct text *out, const struct request *request,
                              const struct relay_call *call)
{
    append_target(out, call);
    for (size_t i = 0; i < sizeof passed_on / sizeof passed_on[0]; i++)
        fastcgi_append_parameter(out, passed_on[i], request_header(request, passed_on[i]));
    fastcgi_append_parameter(out, "SITE_PREFIX",
                             call->prefix ? call->prefix : request_prefix(request));
    append_trace(out, request);
    for (size_t i = 0; i < call->header_count; i++)
        fastcgi_append_parameter(out, call->headers[i].name, call->headers[i].value);
    if (!call->content_type)
        return;
    fastcgi_append_parameter(out, "CONTENT_TYPE", call->content_type);
    fastcgi_append_parameter(out, "CONTENT_LENGTH",
                             arena_print(out->arena, "%llu", (unsigned long long)call->length));
}

static enum error compose(struct relaying *relaying, const struct relay_call *call,
                          struct text *out)
{
    struct arena *arena = relaying->request->arena;
    struct text parameters;

    text_start(&parameters, arena, FASTCGI_PARAMETERS_MAX);
    append_parameters(&parameters, relaying->request, call);
    if (parameters.overflowed)
        return problem_set(&relaying->request->problem, ERROR_TOO_LARGE, "parameters_too_long",
                           "The path, the query and the headers are too long");
    text_start(out, arena, BODY_MAX);
    fastcgi_append_request(out, &parameters, call->body ? call->body : "",
                           call->content_type ? call->length : 0);
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

static enum error receive(struct relaying *relaying)
{
    enum { PIECE = 65536 };

    while (!relaying->ended) {
        char *room = text_extend(&relaying->incoming, PIECE);
        ssize_t count = recv(relaying->connection, room, PIECE, 0);
        int fault = errno;

        text_extend_to(&relaying->incoming, room + (count > 0 ? count : 0));
        if (count > 0) {
            relaying->ended = fastcgi_take(&relaying->incoming, &relaying->answer);
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

static enum error split_answer(struct relaying *relaying, struct relay_answer *answer)
{
    struct fastcgi_answer split;

    if (!fastcgi_split(relaying->request->arena, &relaying->answer, &split))
        return fail(relaying, "family_unavailable", "The route gave no answer");
    *answer = (struct relay_answer){.status = split.status,
                                    .content_type = split.content_type,
                                    .body = split.body,
                                    .length = split.length,
                                    .sent = true};
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
