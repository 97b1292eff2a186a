/* Waits for the next connection. Signals are blocked and polled, so that none is missed before a
 * call that waits. A worker first accepts without waiting: a connection may still be queued whose
 * notification went to a worker that died. */
#include "http/listener.h"
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    LISTENER_WAIT_MS = 1000, /* before it checks the queue without a notification */
    REST_MS = 100            /* after the system ran out of descriptors or memory */
};

bool listener_is_socket(int descriptor)
{
    int listening = 0;
    socklen_t size = sizeof listening;

    return getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listening, &size) == 0 && listening;
}

static bool watch(int events, int descriptor, uint32_t what)
{
    struct epoll_event event = {.events = what};

    return descriptor >= 0 && epoll_ctl(events, EPOLL_CTL_ADD, descriptor, &event) == 0;
}

enum error listener_open(struct listener *listener, int socket, struct problem *problem)
{
    int flags = fcntl(socket, F_GETFL);
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigset_t signals; /* blocked for good: asked_to_leave() polls for them */

    *listener = (struct listener){.socket = socket, .events = epoll_create1(EPOLL_CLOEXEC)};
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGUSR1);
    if (flags < 0 || fcntl(socket, F_SETFL, flags | O_NONBLOCK) != 0 ||
        sigprocmask(SIG_BLOCK, &signals, NULL) != 0 || sigaction(SIGPIPE, &ignore, NULL) != 0 ||
        listener->events < 0 || !watch(listener->events, socket, EPOLLIN | EPOLLEXCLUSIVE) ||
        !watch(listener->events, listener->leaving = signalfd(-1, &signals, SFD_CLOEXEC), EPOLLIN))
        return problem_set(problem, ERROR_SYSTEM, "listener", "cannot wait for connections: %s",
                           strerror(errno));
    return ERROR_NONE;
}

static bool asked_to_leave(void)
{
    sigset_t pending;

    return sigpending(&pending) == 0 &&
           (sigismember(&pending, SIGTERM) == 1 || sigismember(&pending, SIGUSR1) == 1);
}

static bool is_over(const struct listener *listener)
{
    return asked_to_leave() || (listener->go_on && !listener->go_on(listener->context));
}

static int longest_wait(const struct listener *listener)
{
    int wait = listener->idle ? listener->idle(listener->context) : LISTENER_WAIT_MS;

    return wait < LISTENER_WAIT_MS ? wait : LISTENER_WAIT_MS;
}

int listener_accept(const struct listener *listener)
{
    struct epoll_event event;
    int connection;

    while (!is_over(listener)) {
        connection = accept4(listener->socket, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (connection >= 0)
            return connection;
        if (errno == EAGAIN || errno == EWOULDBLOCK) {
            (void)!epoll_wait(listener->events, &event, 1, longest_wait(listener));
        } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
            log_event(LOG_ERROR, "accept_failed", strerror(errno));
            poll(NULL, 0, REST_MS);
        } else if (errno != EINTR && errno != ECONNABORTED) {
            log_event(LOG_CRITICAL, "accept_failed", strerror(errno));
            return -1;
        }
    }
    return -1;
}

int listener_take(const struct listener *listener)
{
    int connection;

    if (is_over(listener))
        return LISTENER_LEAVES;
    connection = accept4(listener->socket, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    return connection >= 0 ? connection : LISTENER_EMPTY;
}

void listener_close(struct listener *listener)
{
    close(listener->leaving);
    close(listener->events);
}
