/*
 * Sockets between the processes of one stack, at paths that only their own user may open: streams,
 * or whole messages. Open files travel with a message (SCM_RIGHTS). Does not interpret the
 * messages.
 */
#ifndef ASSAY_NET_LOCAL_SOCKET_H
#define ASSAY_NET_LOCAL_SOCKET_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
    LOCAL_SOCKET_FILES_MAX = 16,
    LOCAL_MESSAGES = 1 << 30 /* whole messages (SOCK_SEQPACKET) instead of a stream */
};

/* Listens at `path`, replacing the socket of a dead process. `flags` are those of socket(), such as
 * SOCK_NONBLOCK, and LOCAL_MESSAGES. ERROR_SYSTEM socket_not_open; the listener is then -1. */
MUST_CHECK enum error local_socket_listen(const char *path, int flags, int queue, int *listener,
                                          struct problem *problem);

/* A socket connected to `path`; -1 when no process listens. */
int local_socket_connect(const char *path, int flags);

/* One sendmsg() with open files, which the caller keeps. Returns its result. */
ssize_t local_socket_send(int socket, const void *bytes, size_t length, const int *files,
                          size_t count, int flags);

/* One recvmsg(): adds the received files to the `*count` in `files`. Files beyond
 * LOCAL_SOCKET_FILES_MAX are closed, and the result is then 0. Else returns its result. */
ssize_t local_socket_receive(int socket, void *bytes, size_t length, int *files, size_t *count,
                             int flags);

/* Waits until a socket has one of `events` (POLLIN, POLLOUT) or its other end is closed; false at
 * `end` (clock_monotonic_microseconds()). Other fibers run meanwhile. */
bool local_socket_wait(int socket, short events, int64_t end);

#endif
