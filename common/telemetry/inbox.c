/* One listener, a connection for each worker. */
#include "telemetry/outbox.h"

#include "net/local_socket.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum { WORKERS_MAX = 1024, QUEUE = 64 };

struct inbox {
    char path[PATH_MAX];
    size_t count; /* of the listener and the connections */
    size_t turn;  /* whose messages are taken next: one that sends much keeps nobody waiting */
    struct pollfd sockets[1 + WORKERS_MAX];
    char message[OUTBOX_MESSAGE_MAX];
};

enum error inbox_open(const char *run_directory, const char *name, struct inbox **inbox,
                      struct problem *problem)
{
    struct inbox *made = calloc(1, sizeof *made);
    int listener;
    enum error error;

    *inbox = made;
    if (!made)
        return problem_set(problem, ERROR_SYSTEM, "out_of_memory", "out of memory");
    (void)!snprintf(made->path, sizeof made->path, "%s/%s", run_directory, name);
    error =
        local_socket_listen(made->path, LOCAL_MESSAGES | SOCK_NONBLOCK, QUEUE, &listener, problem);
    if (error) {
        free(made);
        *inbox = NULL;
        return error;
    }
    made->sockets[0] = (struct pollfd){.fd = listener, .events = POLLIN};
    made->count = 1;
    return ERROR_NONE;
}

void inbox_close(struct inbox *inbox)
{
    if (!inbox)
        return;
    for (size_t i = 0; i < inbox->count; i++)
        close(inbox->sockets[i].fd);
    unlink(inbox->path);
    free(inbox);
}

static void accept_workers(struct inbox *inbox)
{
    int peer;

    while (inbox->count <= WORKERS_MAX &&
           (peer = accept4(inbox->sockets[0].fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0)
        inbox->sockets[inbox->count++] = (struct pollfd){.fd = peer, .events = POLLIN};
    /* Without room, waiting workers stay in the queue; poll() must not report them all the time. */
    inbox->sockets[0].events = inbox->count <= WORKERS_MAX ? POLLIN : 0;
}

static void drop(struct inbox *inbox, size_t position)
{
    close(inbox->sockets[position].fd);
    inbox->sockets[position] = inbox->sockets[--inbox->count];
    inbox->sockets[0].events = POLLIN;
}

/* Every connection once in a round over all. */
static size_t next_turn(struct inbox *inbox)
{
    if (inbox->turn == 0 || inbox->turn >= inbox->count)
        inbox->turn = inbox->count - 1;
    return inbox->turn--;
}

size_t inbox_receive(struct inbox *inbox, int milliseconds, size_t most,
                     void (*take)(const void *bytes, size_t length, void *context), void *context)
{
    size_t taken = 0;

    if (poll(inbox->sockets, inbox->count, milliseconds) <= 0)
        return 0;
    for (size_t left = inbox->count - 1; left > 0 && taken < most && inbox->count > 1; left--) {
        size_t i = next_turn(inbox);
        ssize_t length = 0;

        if (!inbox->sockets[i].revents)
            continue;
        while (taken < most && (length = recv(inbox->sockets[i].fd, inbox->message,
                                              sizeof inbox->message, MSG_DONTWAIT)) > 0) {
            take(inbox->message, (size_t)length, context);
            taken++;
        }
        if (taken < most && (length == 0 || (errno != EAGAIN && errno != EINTR)))
            drop(inbox, i);
    }
    if (inbox->sockets[0].revents)
        accept_workers(inbox);
    return taken;
}
