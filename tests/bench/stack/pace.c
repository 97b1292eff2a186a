/* Sends one request again and again at a rate, and says how long the answers took.
 *
 *   pace PORT PATH RATE SECONDS CONNECTIONS <BODY          RATE 0 = as fast as they come
 *
 * Without a body it is a GET. A request that was due while every connection was busy counts from
 * the moment at which it was due. Prints rate, p50, p95, p99 (microseconds) and what failed. */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SAMPLES_MAX = 1 << 22, ANSWER_MAX = 65536, THREADS_MAX = 256, PER_CONNECTION = 900 };

static char request[ANSWER_MAX];
static size_t request_length;
static int port;
static double rate;
static int64_t began, ends; /* nanoseconds, as all below */
static atomic_long next_place, sampled, failed;
static int64_t samples[SAMPLES_MAX];

static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int connect_there(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int peer = socket(AF_INET, SOCK_STREAM, 0), yes = 1;

    setsockopt(peer, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    if (connect(peer, (struct sockaddr *)&address, sizeof address) != 0) {
        close(peer);
        return -1;
    }
    return peer;
}

/* One request and its answer; whether it was one of 200. */
static int ask(int peer)
{
    char answer[ANSWER_MAX];
    size_t length = 0;

    if (send(peer, request, request_length, MSG_NOSIGNAL) != (ssize_t)request_length)
        return 0;
    for (;;) {
        ssize_t got = recv(peer, answer + length, sizeof answer - 1 - length, 0);
        const char *end, *told;

        if (got <= 0)
            return 0;
        length += (size_t)got;
        answer[length] = '\0';
        end = strstr(answer, "\r\n\r\n");
        told = end ? strcasestr(answer, "\r\ncontent-length:") : NULL;
        if (told && length >= (size_t)(end + 4 - answer) + strtoul(told + 17, NULL, 10))
            return strncmp(answer, "HTTP/1.1 200", 12) == 0;
    }
}

static int64_t wait_for_place(void)
{
    int64_t due, now = now_ns();
    struct timespec until;

    if (rate <= 0)
        return now;
    due = began + (int64_t)((double)atomic_fetch_add(&next_place, 1) / rate * 1e9);
    if (due <= now)
        return due;
    until = (struct timespec){due / 1000000000, due % 1000000000};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
    return now_ns();
}

static void *work(void *unused)
{
    int peer = connect_there();

    for (long asked = 1; peer >= 0; asked++) {
        int64_t start = wait_for_place();
        long place;

        if (start >= ends)
            break;
        if (!ask(peer)) {
            atomic_fetch_add(&failed, 1);
            close(peer);
            peer = connect_there();
            continue;
        }
        place = atomic_fetch_add(&sampled, 1);
        if (place < SAMPLES_MAX)
            samples[place] = now_ns() - start;
        if (asked % PER_CONNECTION == 0) { /* before the server closes it */
            close(peer);
            peer = connect_there();
        }
    }
    if (peer >= 0)
        close(peer);
    return unused;
}

static int order(const void *left, const void *right)
{
    int64_t one = *(const int64_t *)left, other = *(const int64_t *)right;

    return (one > other) - (one < other);
}

static double share(long count, double part)
{
    return count ? (double)samples[(long)((double)(count - 1) * part)] / 1000 : 0;
}

int main(int argc, char **argv)
{
    static char body[ANSWER_MAX / 2];
    pthread_t threads[THREADS_MAX];
    size_t length;
    long count;
    int most;

    if (argc != 6)
        return EXIT_FAILURE;
    port = (int)strtol(argv[1], NULL, 10);
    rate = strtod(argv[3], NULL);
    most = (int)strtol(argv[5], NULL, 10);
    length = fread(body, 1, sizeof body - 1, stdin);
    request_length =
        (size_t)snprintf(request, sizeof request,
                         "%s %s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                         "Content-Length: %zu\r\n\r\n%s",
                         length ? "POST" : "GET", argv[2], length, body);
    began = now_ns();
    ends = began + (int64_t)(strtod(argv[4], NULL) * 1e9);
    for (int i = 0; i < most && i < THREADS_MAX; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < most && i < THREADS_MAX; i++)
        pthread_join(threads[i], NULL);
    count = sampled < SAMPLES_MAX ? sampled : SAMPLES_MAX;
    qsort(samples, (size_t)count, sizeof samples[0], order);
    printf("{\"rate\":%.1f,\"p50\":%.1f,\"p95\":%.1f,\"p99\":%.1f,\"failed\":%ld}\n",
           (double)count * 1e9 / (double)(now_ns() - began), share(count, 0.5), share(count, 0.95),
           share(count, 0.99), (long)failed);
    return EXIT_SUCCESS;
}
