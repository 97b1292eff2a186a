/*
 * Private to common/http: the socket that all workers of a pool accept on, and the signals that
 * tell one worker to leave. A worker leaves between two requests only; the next worker accepts what
 * is queued then.
 */
#ifndef ASSAY_HTTP_LISTENER_H
#define ASSAY_HTTP_LISTENER_H

#include "base/error.h"

#include <stdbool.h>

struct listener {
    int socket;  /* not closed here */
    int leaving; /* a signalfd of SIGTERM and SIGUSR1, which stay blocked */
    int events;  /* an epoll of both */
    /* Called before every wait, which lasts a second at most. False = it is time to leave. NULL =
     * always true. */
    bool (*go_on)(void *context);
    /* Called when no connection waits. Returns the milliseconds for which the listener may wait, a
     * second at most. NULL = a second. */
    int (*idle)(void *context);
    void *context;
};

bool listener_is_socket(int descriptor);

MUST_CHECK enum error listener_open(struct listener *listener, int socket, struct problem *problem);

/* The next connection, non-blocking and the caller's to close; -1 when it is time to leave. */
int listener_accept(const struct listener *listener);

/* The same without waiting: LISTENER_EMPTY when no connection is queued, LISTENER_LEAVES when it is
 * time to leave. */
enum { LISTENER_EMPTY = -1, LISTENER_LEAVES = -2 };
int listener_take(const struct listener *listener);

void listener_close(struct listener *listener);

#endif
