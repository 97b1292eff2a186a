/* Sending without waiting. */
#include "telemetry/outbox.h"

#include "base/clock.h"
#include "base/log.h"
#include "net/local_socket.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { RETRY_MICROSECONDS = 1000000, TOLD_MICROSECONDS = 60 * 1000000 };

void outbox_open(struct outbox *outbox, const char *run_directory, const char *name)
{
    int length;

    *outbox = (struct outbox){.socket = -1};
    length = snprintf(outbox->path, sizeof outbox->path, "%s/%s", run_directory, name);
    if (length < 0 || (size_t)length >= sizeof outbox->path)
        outbox->path[0] = '\0';
}

void outbox_close(struct outbox *outbox)
{
    if (outbox->socket >= 0)
        close(outbox->socket);
    outbox->socket = -1;
}

/* Once a second at most: an exporter that is away must cost nothing. */
static bool connect_again(struct outbox *outbox)
{
    int64_t now = clock_monotonic_microseconds();

    if (outbox->tried_at && now - outbox->tried_at < RETRY_MICROSECONDS)
        return false;
    outbox->tried_at = now;
    outbox->socket = local_socket_connect(outbox->path, LOCAL_MESSAGES | SOCK_NONBLOCK);
    return outbox->socket >= 0;
}

/* Once a minute, and not before: the exporter starts after the first workers. */
static void tell_dropped(struct outbox *outbox)
{
    int64_t now = clock_monotonic_microseconds();
    const char *slash = strrchr(outbox->path, '/');
    struct log_line line;

    if (!outbox->dropped++ && !outbox->told_at)
        outbox->told_at = now;
    if (now - outbox->told_at < TOLD_MICROSECONDS)
        return;
    log_begin(&line, LOG_WARNING, "telemetry_dropped");
    log_integer(&line, "messages", (int64_t)outbox->dropped);
    log_text(&line, "socket", slash ? slash + 1 : outbox->path);
    log_write(&line);
    outbox->dropped = 0;
    outbox->told_at = now;
}

bool outbox_send(struct outbox *outbox, const void *bytes, size_t length)
{
    bool sent = false;

    if (length <= OUTBOX_MESSAGE_MAX && (outbox->socket >= 0 || connect_again(outbox))) {
        sent = local_socket_send(outbox->socket, bytes, length, NULL, 0, MSG_DONTWAIT) ==
               (ssize_t)length;
        if (!sent && errno != EAGAIN && errno != EWOULDBLOCK)
            outbox_close(outbox);
    }
    if (!sent)
        tell_dropped(outbox);
    return sent;
}
