/* One GET on a connection of its own. Waits as its caller does: inside a fiber others run. */
#include "net/family_call.h"

#include "base/clock.h"
#include "net/local_socket.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PIECE = 65536, RECORDS_MAX = 4 * PIECE };

/* What is under way. */
struct calling {
    int connection;
    int64_t deadline; /* monotonic microseconds */
    struct text out, incoming, answer;
    struct problem *problem;
};

static enum error fail(const struct calling *calling, const char *text)
{
    return problem_set(calling->problem, ERROR_UNAVAILABLE, "family_unavailable", "%s", text);
}

static void compose(const struct family_call *call, struct arena *arena, struct text *out)
{
    const char *const parameters[][2] = {
        {"REQUEST_METHOD", "GET"},          {"QUERY_STRING", ""},
        {"REQUEST_URI", call->path},        {"DOCUMENT_URI", call->path},
        {"SCRIPT_NAME", call->path},        {"GATEWAY_INTERFACE", "CGI/1.1"},
        {"SERVER_PROTOCOL", "HTTP/1.1"},    {"REMOTE_ADDR", "127.0.0.1"},
        {"HTTP_HOST", "localhost"},         {"HTTP_ACCEPT", "*/*"},
        {"HTTP_USER_AGENT", call->program}, {FAMILY_CALL_PARAMETER, call->program}};
    struct text text;

    text_start(&text, arena, FASTCGI_PARAMETERS_MAX);
    for (size_t i = 0; i < sizeof parameters / sizeof parameters[0]; i++)
        fastcgi_append_parameter(&text, parameters[i][0], parameters[i][1]);
    text_start(out, arena, 2 * FASTCGI_PARAMETERS_MAX);
    fastcgi_append_request(out, &text, "", 0);
}

static enum error await(const struct calling *calling, short events)
{
    return local_socket_wait(calling->connection, events, calling->deadline)
               ? ERROR_NONE
               : fail(calling, "the family did not answer in time");
}

static enum error send_all(const struct calling *calling)
{
    size_t at = 0;

    while (at < calling->out.length) {
        ssize_t sent = send(calling->connection, calling->out.bytes + at, calling->out.length - at,
                            MSG_NOSIGNAL);
        enum error error = ERROR_NONE;

        if (sent > 0)
            at += (size_t)sent;
        else if (sent < 0 && errno == EAGAIN)
            error = await(calling, POLLOUT);
        else if (sent == 0 || errno != EINTR)
            error = fail(calling, "the family took no request");
        if (error)
            return error;
    }
    return ERROR_NONE;
}

/* One piece of the answer, or a wait for it. */
static enum error receive_piece(struct calling *calling, bool *ended)
{
    char *room = text_extend(&calling->incoming, PIECE);
    ssize_t count = recv(calling->connection, room, PIECE, 0);
    int fault = errno;

    text_extend_to(&calling->incoming, room + (count > 0 ? count : 0));
    if (count > 0)
        *ended = fastcgi_take(&calling->incoming, &calling->answer);
    else if (count < 0 && fault == EAGAIN)
        return await(calling, POLLIN);
    else if (count == 0 || fault != EINTR)
        return fail(calling, "the family broke its answer off");
    if (calling->answer.overflowed)
        return problem_set(calling->problem, ERROR_TOO_LARGE, "answer_too_long",
                           "the answer of the family is longer than %zu bytes",
                           calling->answer.maximum);
    return ERROR_NONE;
}

static enum error converse(struct calling *calling)
{
    enum error error = send_all(calling);
    bool ended = false;

    while (!error && !ended)
        error = receive_piece(calling, &ended);
    return error;
}

enum error family_get(struct arena *arena, const struct family_call *call,
                      struct fastcgi_answer *answer, struct problem *problem)
{
    struct calling calling = {.deadline =
                                  clock_monotonic_microseconds() + (int64_t)(call->seconds * 1e6),
                              .problem = problem};
    enum error error;

    compose(call, arena, &calling.out);
    text_start(&calling.incoming, arena, RECORDS_MAX);
    text_start(&calling.answer, arena, call->answer_max);
    calling.connection = local_socket_connect(call->socket, SOCK_NONBLOCK);
    if (calling.connection < 0)
        return fail(&calling, "the family does not run");
    error = converse(&calling);
    close(calling.connection);
    if (!error && !fastcgi_split(arena, &calling.answer, answer))
        error = fail(&calling, "the family gave no answer");
    return error;
}
