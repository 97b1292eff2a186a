/* Sends many requests that are in flight together, each on a connection of its own.
 *
 *   crowd PORT PATH COUNT RATE SECONDS <BODY          RATE 0 = all at once
 *
 * Each takes SECONDS at most. Prints how many were answered with 200, how many failed and the first
 * reason, how many were in flight at most, p50, p99 and the longest (microseconds from the moment a
 * request was due), and the longest silence within an answer after its first byte. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { REQUEST_MAX = 65536, HEAD_MAX = 4096, EVENTS = 256 };

struct call {
    int64_t due, heard; /* nanoseconds */
    int peer;           /* -1 = not begun, or over */
    bool sent;
    size_t length; /* of the beginning of the answer that is kept */
    char head[HEAD_MAX];
};

static char request[REQUEST_MAX];
static size_t request_length;
static struct sockaddr_in address;
static struct call *calls;
static long count, begun, over, answered, failed, in_flight, most_in_flight;
static int64_t *took, time_limit, longest_silence;
static int poll_descriptor;
static char reason[256];

static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void end(struct call *call, bool well, const char *why)
{
    if (call->peer >= 0)
        close(call->peer);
    call->peer = -1;
    in_flight--;
    over++;
    if (well) {
        took[answered++] = now_ns() - call->due;
        return;
    }
    failed++;
    if (!reason[0])
        snprintf(reason, sizeof reason, "%.60s: %.60s", why, call->head);
}

static void begin(struct call *call)
{
    struct epoll_event event = {.events = EPOLLIN | EPOLLOUT, .data.ptr = call};
    int yes = 1;

    begun++;
    if (++in_flight > most_in_flight)
        most_in_flight = in_flight;
    call->peer = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    if (call->peer < 0) {
        end(call, false, strerror(errno));
        return;
    }
    setsockopt(call->peer, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    if (connect(call->peer, (struct sockaddr *)&address, sizeof address) != 0 &&
        errno != EINPROGRESS) {
        end(call, false, strerror(errno));
        return;
    }
    epoll_ctl(poll_descriptor, EPOLL_CTL_ADD, call->peer, &event);
}

static void send_request(struct call *call)
{
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = call};

    if (send(call->peer, request, request_length, MSG_NOSIGNAL) != (ssize_t)request_length) {
        end(call, false, "not sent");
        return;
    }
    call->sent = true;
    epoll_ctl(poll_descriptor, EPOLL_CTL_MOD, call->peer, &event);
}

static void hear(struct call *call)
{
    char bytes[65536];
    ssize_t got = recv(call->peer, bytes, sizeof bytes, 0);
    int64_t now = now_ns();

    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got <= 0) { /* every request asks for the end of its connection */
        call->head[call->length] = '\0';
        end(call, got == 0 && strncmp(call->head, "HTTP/1.1 200", 12) == 0,
            "not answered with 200");
        return;
    }
    if (call->heard && now - call->heard > longest_silence)
        longest_silence = now - call->heard;
    call->heard = now;
    for (ssize_t i = 0; i < got && call->length < HEAD_MAX - 1; i++)
        call->head[call->length++] = bytes[i];
}

static void give_up_the_late(void)
{
    int64_t now = now_ns();

    for (long i = 0; i < begun; i++)
        if (calls[i].peer >= 0 && now - calls[i].due > time_limit)
            end(&calls[i], false, "not answered in time");
}

static int by_size(const void *a, const void *b)
{
    int64_t first = *(const int64_t *)a, second = *(const int64_t *)b;

    return first < second ? -1 : first > second;
}

static void run(double rate)
{
    struct epoll_event events[EVENTS];
    int64_t began = now_ns(), checked = began;

    for (long i = 0; i < count; i++) {
        calls[i].peer = -1;
        calls[i].due = began + (rate > 0 ? (int64_t)((double)i / rate * 1e9) : 0);
    }
    while (over < count) {
        int ready;

        while (begun < count && calls[begun].due <= now_ns())
            begin(&calls[begun]);
        ready = epoll_wait(poll_descriptor, events, EVENTS, begun < count ? 1 : 100);
        for (int i = 0; i < ready; i++) {
            struct call *call = events[i].data.ptr;

            if (call->peer >= 0 && !call->sent && events[i].events & EPOLLOUT)
                send_request(call);
            else if (call->peer >= 0)
                hear(call);
        }
        if (now_ns() - checked > 1000000000) {
            checked = now_ns();
            give_up_the_late();
        }
    }
}

int main(int argc, char **argv)
{
    static char body[REQUEST_MAX / 2];
    struct rlimit files;
    size_t length;

    if (argc != 6)
        return 2;
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    length = fread(body, 1, sizeof body, stdin);
    address = (struct sockaddr_in){.sin_family = AF_INET,
                                   .sin_port = htons((uint16_t)strtol(argv[1], NULL, 10)),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    request_length = (size_t)snprintf(
        request, sizeof request,
        "POST %s HTTP/1.1\r\nHost: 127.0.0.1:%s\r\nContent-Type: application/json\r\n"
        "Connection: close\r\nContent-Length: %zu\r\n\r\n%.*s",
        argv[2], argv[1], length, (int)length, body);
    count = strtol(argv[3], NULL, 10);
    time_limit = (int64_t)(strtod(argv[5], NULL) * 1e9);
    calls = calloc((size_t)count, sizeof *calls);
    took = calloc((size_t)count, sizeof *took);
    poll_descriptor = epoll_create1(0);
    run(strtod(argv[4], NULL));
    qsort(took, (size_t)answered, sizeof *took, by_size);
    for (char *at = reason; *at; at++)
        if (*at < ' ' || *at == '"' || *at == '\\')
            *at = ' ';
    printf("{\"answered\":%ld,\"failed\":%ld,\"reason\":\"%s\",\"in_flight\":%ld,\"p50\":%lld,"
           "\"p99\":%lld,\"longest\":%lld,\"silence\":%lld}\n",
           answered, failed, reason, most_in_flight,
           (long long)(answered ? took[answered / 2] / 1000 : 0),
           (long long)(answered ? took[answered * 99 / 100] / 1000 : 0),
           (long long)(answered ? took[answered - 1] / 1000 : 0),
           (long long)(longest_silence / 1000));
    return 0;
}
