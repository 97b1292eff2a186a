/* The transport of a plain CGI program. The pipeline interprets the request. */
#include "http/cgi.h"

#include "base/number.h"
#include "http/listener.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

struct cgi {
    int64_t body_left; /* what CONTENT_LENGTH announces; a server need not close standard input */
    bool broken;
};

bool cgi_is_request(void)
{
    return !listener_is_socket(STDIN_FILENO) && getenv("REQUEST_METHOD") &&
           getenv("GATEWAY_INTERFACE");
}

static const char *variable(void *transport, const char *name)
{
    (void)transport;
    return getenv(name);
}

static long read_body(void *transport, char *bytes, size_t size)
{
    struct cgi *cgi = transport;
    size_t wanted = cgi->body_left < (int64_t)size ? (size_t)cgi->body_left : size;
    ssize_t count;

    if (!wanted)
        return 0;
    do
        count = read(STDIN_FILENO, bytes, wanted);
    while (count < 0 && errno == EINTR);
    cgi->broken = cgi->broken || count <= 0;
    cgi->body_left -= count > 0 ? count : 0;
    return count > 0 ? (long)count : -1;
}

static bool append_bytes(void *transport, const char *bytes, size_t length)
{
    struct cgi *cgi = transport;

    while (length && !cgi->broken) {
        ssize_t count = write(STDOUT_FILENO, bytes, length);

        if (count < 0 && errno != EINTR)
            cgi->broken = true;
        if (count > 0) {
            bytes += count;
            length -= (size_t)count;
        }
    }
    return !cgi->broken;
}

static bool write_answer(void *transport, const char *head, size_t head_length, const char *body,
                         size_t body_length)
{
    return append_bytes(transport, head, head_length) && append_bytes(transport, body, body_length);
}

static bool end_answer(void *transport)
{
    const struct cgi *cgi = transport;

    return !cgi->broken;
}

/* A web server that aborts a request closes its end of the pipe. */
static bool is_gone(void *transport)
{
    struct cgi *cgi = transport;
    struct pollfd entry = {.fd = STDOUT_FILENO};

    if (!cgi->broken && poll(&entry, 1, 0) > 0)
        cgi->broken = (entry.revents & (POLLERR | POLLHUP)) != 0;
    return cgi->broken;
}

void cgi_serve(struct server *server)
{
    const char *announced = getenv("CONTENT_LENGTH");
    struct cgi cgi = {.body_left = 0};
    struct exchange exchange = {.transport = &cgi,
                                .variable = variable,
                                .read = read_body,
                                .write = write_answer,
                                .end = end_answer,
                                .gone = is_gone};

    signal(SIGPIPE, SIG_IGN);
    if (!announced || !integer_parse(announced, &cgi.body_left) || cgi.body_left < 0)
        cgi.body_left = 0;
    /* Only a long-running process can hold suspended streams. */
    if (!server->family->hub)
        exchange.append = append_bytes;
    server_serve(server, &exchange);
    close(STDOUT_FILENO); /* the client has its answer; what follows is for this process */
    server_after(server);
}
