/* Listening, connecting and passing open files over UNIX sockets. */
#include "net/local_socket.h"
#include "base/clock.h"
#include "base/fiber.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* Room for the files of one message. */
union control {
    char bytes[CMSG_SPACE(LOCAL_SOCKET_FILES_MAX * sizeof(int))];
    struct cmsghdr align;
};

static bool address_of(const char *path, struct sockaddr_un *address)
{
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (!*path || strlen(path) >= sizeof address->sun_path)
        return false;
    memcpy(address->sun_path, path, strlen(path));
    return true;
}

static int make_socket(int flags)
{
    int type = flags & LOCAL_MESSAGES ? SOCK_SEQPACKET : SOCK_STREAM;

    return socket(AF_UNIX, type | SOCK_CLOEXEC | (flags & ~LOCAL_MESSAGES), 0);
}

enum error local_socket_listen(const char *path, int flags, int queue, int *listener,
                               struct problem *problem)
{
    struct sockaddr_un address;
    mode_t mask;
    bool bound;

    *listener = -1;
    if (!address_of(path, &address))
        return problem_set(problem, ERROR_SYSTEM, "socket_not_open", "%s: too long for a socket",
                           path);
    unlink(path);
    *listener = make_socket(flags);
    mask = umask(0177);
    bound =
        *listener >= 0 && bind(*listener, (const struct sockaddr *)&address, sizeof address) == 0;
    umask(mask);
    if (bound && listen(*listener, queue) == 0)
        return ERROR_NONE;
    (void)problem_set(problem, ERROR_SYSTEM, "socket_not_open", "%s: %s", path, strerror(errno));
    if (*listener >= 0)
        close(*listener);
    *listener = -1;
    return problem->error;
}

int local_socket_connect(const char *path, int flags)
{
    struct sockaddr_un address;
    int made;

    if (!address_of(path, &address))
        return -1;
    made = make_socket(flags);
    if (made >= 0 && connect(made, (const struct sockaddr *)&address, sizeof address) == 0)
        return made;
    if (made >= 0)
        close(made);
    return -1;
}

ssize_t local_socket_send(int socket, const void *bytes, size_t length, const int *files,
                          size_t count, int flags)
{
    struct iovec part = {(void *)(uintptr_t)bytes, length};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    union control control = {{0}};

    if (count) {
        size_t size = count * sizeof(int);
        struct cmsghdr *rights;

        message.msg_control = control.bytes;
        message.msg_controllen = CMSG_SPACE(size);
        rights = CMSG_FIRSTHDR(&message);
        rights->cmsg_level = SOL_SOCKET;
        rights->cmsg_type = SCM_RIGHTS;
        rights->cmsg_len = CMSG_LEN(size);
        memcpy(CMSG_DATA(rights), files, size);
    }
    return sendmsg(socket, &message, MSG_NOSIGNAL | flags);
}

/* False when files were lost. */
static bool take_files(struct msghdr *message, int *files, size_t *count)
{
    const struct cmsghdr *rights = CMSG_FIRSTHDR(message);
    bool complete = !(message->msg_flags & MSG_CTRUNC);
    size_t came;

    if (!rights || rights->cmsg_level != SOL_SOCKET || rights->cmsg_type != SCM_RIGHTS)
        return complete;
    came = (rights->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < came; i++) {
        int file;

        memcpy(&file, CMSG_DATA(rights) + i * sizeof file, sizeof file);
        if (*count < LOCAL_SOCKET_FILES_MAX) {
            files[(*count)++] = file;
        } else {
            close(file);
            complete = false;
        }
    }
    return complete;
}

ssize_t local_socket_receive(int socket, void *bytes, size_t length, int *files, size_t *count,
                             int flags)
{
    struct iovec part = {bytes, length};
    union control control;
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    ssize_t received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | flags);

    return received > 0 && !take_files(&message, files, count) ? 0 : received;
}

/* An event of epoll has the value of the one of poll. */
static bool wait_in_fiber(int socket, short events, int64_t end)
{
    enum fiber_event event;

    do /* one may be woken for what was before */
        event = fiber_wait(socket, (uint32_t)events, end);
    while (event == FIBER_WOKEN);
    return event == FIBER_READY;
}

bool local_socket_wait(int socket, short events, int64_t end)
{
    struct pollfd wait = {.fd = socket, .events = events};

    if (fiber_current())
        return wait_in_fiber(socket, events, end);
    for (;;) {
        int64_t left = (end - clock_monotonic_microseconds() + 999) / 1000;

        if (left <= 0)
            return false;
        if (poll(&wait, 1, (int)left) > 0)
            return true;
        if (errno != EINTR)
            return false;
    }
}
