/* Requests and replies of the text-extraction server. A request is one message with a file; a reply
 * is a header followed by one page after the other. */
#include "documents/extraction_server.h"

#include "base/clock.h"
#include "net/local_socket.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
    PAGES_MAX = 1 << 20,
    QUEUE = 64,
    SOCKET_PATH_MAX = 4096,
    GRACE_SECONDS = 2,         /* added to the time limit of the extraction */
    REQUEST_SECONDS = 5,       /* time limit for receiving a request */
    ANSWER_MEMORY = 512 << 20, /* for one extraction: its text and the pages cut from it */
};

struct extraction_request {
    int32_t type; /* enum file_type */
    struct reader_limits limits;
};

struct reply_head {
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

static const char socket_name[] = "document-reader.sock";

static bool receive(int peer, void *bytes, size_t length, int64_t end)
{
    char *at = bytes;

    while (length) {
        ssize_t got = local_socket_wait(peer, POLLIN, end) ? read(peer, at, length) : 0;

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
        ssize_t put = local_socket_wait(peer, POLLOUT, end)
                          ? send(peer, at, length, MSG_NOSIGNAL | MSG_DONTWAIT)
                          : 0;

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

static enum error unavailable(struct problem *problem)
{
    return problem_set(problem, ERROR_UNAVAILABLE, "no_text_extraction",
                       "the program that reads documents does not answer");
}

static bool send_request(int peer, int file, const struct extraction_request *request)
{
    return local_socket_send(peer, request, sizeof *request, &file, 1, 0) ==
           (ssize_t)sizeof *request;
}

/* No allocation here may jump when memory runs out, because the socket is open. */
static bool read_pages(struct arena *arena, int peer, const struct reply_head *head, int64_t most,
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

static enum error ask(struct arena *arena, int peer, int file,
                      const struct extraction_request *request, struct reading_result *result,
                      struct problem *problem)
{
    int64_t end = end_after(request->limits.seconds * 2 + GRACE_SECONDS);
    struct reply_head head;

    if (!send_request(peer, file, request) || !receive(peer, &head, sizeof head, end))
        return unavailable(problem);
    head.reason[sizeof head.reason - 1] = head.text[sizeof head.text - 1] = '\0';
    if (head.error)
        return problem_set(problem, (enum error)head.error, reason_named(head.reason), "%s",
                           head.text);
    return read_pages(arena, peer, &head, request->limits.text_bytes, end, result)
               ? ERROR_NONE
               : unavailable(problem);
}

static enum error connect_and_ask(struct arena *arena, const char *path, int file,
                                  const struct extraction_request *request,
                                  struct reading_result *result, struct problem *problem)
{
    int peer = local_socket_connect(path, 0);
    enum error error =
        peer >= 0 ? ask(arena, peer, file, request, result, problem) : unavailable(problem);

    if (peer >= 0)
        close(peer);
    return error;
}

/* Retries while the server restarts. */
enum error extraction_ask(struct arena *arena, const char *run_directory, int file,
                          enum file_type type, const struct reader_limits *limits,
                          struct reading_result *result, struct problem *problem)
{
    const struct timespec pause = {0, 100000000};
    const struct extraction_request request = {type, *limits};
    int64_t end = end_after(GRACE_SECONDS);
    const char *path;
    enum error error;

    *result = (struct reading_result){NULL, 0, 0};
    if (!run_directory)
        return unavailable(problem);
    path = arena_print(arena, "%s/%s", run_directory, socket_name);
    for (;;) {
        error = connect_and_ask(arena, path, file, &request, result, problem);
        if (error != ERROR_UNAVAILABLE || strcmp(problem->reason, "no_text_extraction") != 0 ||
            clock_monotonic_microseconds() >= end)
            return error;
        nanosleep(&pause, NULL);
    }
}

enum error extraction_listen(const char *run_directory, int *listener, struct problem *problem)
{
    char path[SOCKET_PATH_MAX];

    (void)!snprintf(path, sizeof path, "%s/%s", run_directory, socket_name);
    return local_socket_listen(path, 0, QUEUE, listener, problem);
}

/* A request has exactly one file; further files are closed. */
static bool receive_request(int peer, struct extraction_request *request, int *file)
{
    int files[LOCAL_SOCKET_FILES_MAX];
    size_t count = 0;
    ssize_t received;

    if (!local_socket_wait(peer, POLLIN, end_after(REQUEST_SECONDS)))
        return false;
    received = local_socket_receive(peer, request, sizeof *request, files, &count, 0);
    for (size_t i = 1; i < count; i++)
        close(files[i]);
    if (count)
        *file = files[0];
    return received == (ssize_t)sizeof *request && count == 1 && request->type > FILE_UNKNOWN &&
           request->type < FILE_TYPE__MAX && request->limits.seconds > 0 &&
           request->limits.text_bytes > 0;
}

static void send_answer(int peer, const struct reading_result *result, enum error error,
                        const struct problem *problem, int64_t end)
{
    struct reply_head head = {error, result->page_count, error ? 0 : result->count, "", ""};
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
    struct extraction_request request;
    char path[64];
    int file = -1;
    enum error error;

    if (arena && receive_request(peer, &request, &file)) {
        snprintf(path, sizeof path, "/proc/self/fd/%d", file);
        error = reader_read(arena, path, (enum file_type)request.type, &request.limits, work_folder,
                            NULL, &result, &problem);
        send_answer(peer, &result, error, &problem,
                    end_after(GRACE_SECONDS + request.limits.seconds));
    }
    if (file >= 0)
        close(file);
    arena_destroy(arena);
}
