/* Orders and answers of the desk: an order is one message with a file, an answer is its head and
 * then one page after the other. */
#include "documents/extraction_server.h"

#include "base/clock.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum {
    PAGES_MAX = 1 << 20,
    QUEUE = 64,
    GRACE_SECONDS = 2,         /* beyond what the reading itself may take */
    ORDER_SECONDS = 5,         /* in which an order has to have come */
    ANSWER_MEMORY = 512 << 20, /* of one reading: its text and the pages cut from it */
};

struct order {
    int32_t type; /* enum file_type */
    struct reader_limits limits;
};

struct head {
    int32_t error; /* enum error */
    int32_t page_count;
    uint64_t count;
    char reason[32];
    char text[160];
};

struct page_head {
    int64_t number;
    uint64_t length;
};

/* The descriptor that comes with a message. */
union attachment {
    struct cmsghdr head;
    char room[CMSG_SPACE(sizeof(int))];
};

static bool name_socket(const char *run_directory, struct sockaddr_un *address)
{
    int length = snprintf(address->sun_path, sizeof address->sun_path, "%s/document-reader.sock",
                          run_directory);

    address->sun_family = AF_UNIX;
    return length > 0 && (size_t)length < sizeof address->sun_path;
}

static bool is_ready(int peer, short events, int64_t end)
{
    struct pollfd wait = {.fd = peer, .events = events};
    int64_t left;

    for (;;) {
        left = (end - clock_monotonic_microseconds()) / 1000;
        if (left <= 0)
            return false;
        if (poll(&wait, 1, (int)left) > 0)
            return true;
        if (errno != EINTR)
            return false;
    }
}

static bool receive(int peer, void *bytes, size_t length, int64_t end)
{
    char *at = bytes;

    while (length) {
        ssize_t got = is_ready(peer, POLLIN, end) ? read(peer, at, length) : 0;

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        at += got;
        length -= (size_t)got;
    }
    return true;
}

static bool deliver(int peer, const void *bytes, size_t length, int64_t end)
{
    const char *at = bytes;

    while (length) {
        ssize_t put =
            is_ready(peer, POLLOUT, end) ? send(peer, at, length, MSG_NOSIGNAL | MSG_DONTWAIT) : 0;

        if (put < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (put <= 0)
            return false;
        at += put;
        length -= (size_t)put;
    }
    return true;
}

static int64_t end_after(int64_t seconds)
{
    return clock_monotonic_microseconds() + seconds * 1000000;
}

static enum error say_away(struct problem *problem)
{
    return problem_set(problem, ERROR_UNAVAILABLE, "no_desk",
                       "the program that reads documents does not answer");
}

static bool send_order(int peer, int file, const struct order *order)
{
    union attachment attachment = {0};
    struct iovec bytes = {(void *)(uintptr_t)order, sizeof *order};
    struct msghdr message = {.msg_iov = &bytes,
                             .msg_iovlen = 1,
                             .msg_control = attachment.room,
                             .msg_controllen = sizeof attachment.room};

    attachment.head.cmsg_level = SOL_SOCKET;
    attachment.head.cmsg_type = SCM_RIGHTS;
    attachment.head.cmsg_len = CMSG_LEN(sizeof file);
    memcpy(CMSG_DATA(&attachment.head), &file, sizeof file);
    return sendmsg(peer, &message, MSG_NOSIGNAL) == (ssize_t)sizeof *order;
}

/* Nothing here may jump away when memory runs out: the socket is open. */
static bool read_pages(struct arena *arena, int peer, const struct head *head, int64_t most,
                       int64_t end, struct reading_result *result)
{
    struct page_head page;

    *result = (struct reading_result){.page_count = head->page_count};
    if (head->count > PAGES_MAX)
        return false;
    result->pages = arena_try_alloc(arena, head->count * sizeof *result->pages);
    for (; result->pages && result->count < head->count; result->count++) {
        char *text = NULL;

        if (receive(peer, &page, sizeof page, end) && page.length <= (uint64_t)most)
            text = arena_try_alloc(arena, page.length + 1);
        if (!text || !receive(peer, text, page.length, end))
            return false;
        most -= (int64_t)page.length;
        result->pages[result->count] = (struct page){text, page.length, (int)page.number};
    }
    return result->pages != NULL;
}

static const char *reason_named(const char *name)
{
    static const char *const reasons[] = {"unreadable_file", "text_too_large", "no_reader",
                                          "file_not_read"};

    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
        if (strcmp(reasons[i], name) == 0)
            return reasons[i];
    return NULL;
}

static enum error ask(struct arena *arena, int peer, int file, const struct order *order,
                      struct reading_result *result, struct problem *problem)
{
    int64_t end = end_after(order->limits.seconds * 2 + GRACE_SECONDS);
    struct head head;

    if (!send_order(peer, file, order) || !receive(peer, &head, sizeof head, end))
        return say_away(problem);
    head.reason[sizeof head.reason - 1] = head.text[sizeof head.text - 1] = '\0';
    if (head.error)
        return problem_set(problem, (enum error)head.error, reason_named(head.reason), "%s",
                           head.text);
    return read_pages(arena, peer, &head, order->limits.text_bytes, end, result)
               ? ERROR_NONE
               : say_away(problem);
}

static enum error go_there(struct arena *arena, const struct sockaddr_un *address, int file,
                           const struct order *order, struct reading_result *result,
                           struct problem *problem)
{
    int peer = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool there = peer >= 0 && connect(peer, (const struct sockaddr *)address, sizeof *address) == 0;
    enum error error = there ? ask(arena, peer, file, order, result, problem) : say_away(problem);

    if (peer >= 0)
        close(peer);
    return error;
}

/* While the program is being started anew it is asked again. */
enum error extraction_ask(struct arena *arena, const char *run_directory, int file,
                          enum file_type type, const struct reader_limits *limits,
                          struct reading_result *result, struct problem *problem)
{
    const struct timespec pause = {0, 100000000};
    const struct order order = {type, *limits};
    int64_t end = end_after(GRACE_SECONDS);
    struct sockaddr_un address;
    enum error error;

    *result = (struct reading_result){NULL, 0, 0};
    if (!run_directory || !name_socket(run_directory, &address))
        return say_away(problem);
    for (;;) {
        error = go_there(arena, &address, file, &order, result, problem);
        if (error != ERROR_UNAVAILABLE || strcmp(problem->reason, "no_desk") != 0 ||
            clock_monotonic_microseconds() >= end)
            return error;
        nanosleep(&pause, NULL);
    }
}

enum error extraction_listen(const char *run_directory, int *desk, struct problem *problem)
{
    struct sockaddr_un address;
    mode_t before;
    bool taken;

    *desk = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (*desk < 0 || !name_socket(run_directory, &address))
        return problem_set(problem, ERROR_SYSTEM, "desk_not_open",
                           "no socket can be made, or the name of the run directory is too long");
    unlink(address.sun_path); /* of one that has died */
    before = umask(0177);
    taken = bind(*desk, (struct sockaddr *)&address, sizeof address) == 0;
    umask(before);
    if (!taken || listen(*desk, QUEUE) != 0)
        return problem_set(problem, ERROR_SYSTEM, "desk_not_open", "%s: %s", address.sun_path,
                           strerror(errno));
    return ERROR_NONE;
}

static bool receive_order(int peer, struct order *order, int *file)
{
    union attachment attachment = {0};
    struct iovec bytes = {order, sizeof *order};
    struct msghdr message = {.msg_iov = &bytes,
                             .msg_iovlen = 1,
                             .msg_control = attachment.room,
                             .msg_controllen = sizeof attachment.room};
    const struct cmsghdr *head;

    if (!is_ready(peer, POLLIN, end_after(ORDER_SECONDS)) ||
        recvmsg(peer, &message, MSG_CMSG_CLOEXEC) != (ssize_t)sizeof *order)
        return false;
    head = CMSG_FIRSTHDR(&message);
    if (!head || head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS ||
        head->cmsg_len != CMSG_LEN(sizeof *file))
        return false;
    memcpy(file, CMSG_DATA(head), sizeof *file);
    return order->type > FILE_UNKNOWN && order->type < FILE_TYPE__MAX &&
           order->limits.seconds > 0 && order->limits.text_bytes > 0;
}

static void send_answer(int peer, const struct reading_result *result, enum error error,
                        const struct problem *problem, int64_t end)
{
    struct head head = {error, result->page_count, error ? 0 : result->count, "", ""};
    bool fine;

    if (error) {
        snprintf(head.reason, sizeof head.reason, "%s", problem->reason ? problem->reason : "");
        snprintf(head.text, sizeof head.text, "%.*s", (int)sizeof head.text - 1, problem->text);
    }
    fine = deliver(peer, &head, sizeof head, end);
    for (size_t i = 0; fine && i < head.count; i++) {
        const struct page *page = &result->pages[i];
        const struct page_head page_head = {page->number, page->length};

        fine = deliver(peer, &page_head, sizeof page_head, end) &&
               deliver(peer, page->text, page->length, end);
    }
}

void extraction_serve(int peer, const char *work_folder)
{
    struct arena *arena = arena_create(ANSWER_MEMORY);
    struct reading_result result = {NULL, 0, 0};
    struct problem problem = {0};
    struct order order;
    char path[64];
    int file = -1;
    enum error error;

    if (arena && receive_order(peer, &order, &file)) {
        snprintf(path, sizeof path, "/proc/self/fd/%d", file);
        error = reader_read(arena, path, (enum file_type)order.type, &order.limits, work_folder,
                            &result, &problem);
        send_answer(peer, &result, error, &problem,
                    end_after(GRACE_SECONDS + order.limits.seconds));
    }
    if (file >= 0)
        close(file);
    arena_destroy(arena);
}
