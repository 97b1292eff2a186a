/* A provider of language models as quick as one can be: answers calls in OpenAI's form at once, or
 * after the milliseconds that the name of the model says (`wait-2000`); streams one word, which is
 * the moment it was sent (nanoseconds of the realtime clock), or as many as the name says, one a
 * second (`drip-120`). Prints its port. */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum { PEERS_MAX = 16384, REQUEST_MAX = 65536, EVENTS = 64, STREAM_MS = 20, DRIP_MS = 1000 };

struct peer {
    char *request;
    size_t length;
    int64_t due;  /* of the answer, milliseconds; 0 = none */
    bool streams; /* the rest of a stream is due */
    long drips;   /* words that are still due before that */
};

static struct peer peers[PEERS_MAX];
static int64_t waiting;

static int64_t now_ns(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void send_text(int peer, const char *text)
{
    (void)!send(peer, text, strlen(text), MSG_NOSIGNAL);
}

static void answer(int peer)
{
    static const char body[] =
        "{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":\"four\"},"
        "\"finish_reason\":\"stop\"}],\"model\":\"m\","
        "\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":1}}";
    char text[512];

    snprintf(text, sizeof text,
             "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
             sizeof body - 1, body);
    send_text(peer, text);
}

static void send_chunk(int peer, const char *head, const char *data)
{
    char text[1024];

    snprintf(text, sizeof text, "%s%zx\r\ndata: %s\n\n\r\n", head, strlen(data) + 8, data);
    send_text(peer, text);
}

static void send_word(int peer, const char *head)
{
    char data[256];

    snprintf(data, sizeof data, "{\"choices\":[{\"delta\":{\"content\":\"%lld\"}}]}",
             (long long)now_ns(CLOCK_REALTIME));
    send_chunk(peer, head, data);
}

static void begin_stream(int peer)
{
    send_word(peer, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                    "Transfer-Encoding: chunked\r\n\r\n");
}

static void end_stream(int peer)
{
    send_chunk(peer, "",
               "{\"choices\":[],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":1}}");
    send_chunk(peer, "", "[DONE]");
    send_text(peer, "0\r\n\r\n");
}

/* A whole request is there. */
static void take(int peer)
{
    struct peer *state = &peers[peer];
    const char *wait = strstr(state->request, "\"wait-"), *drip = strstr(state->request, "\"drip-");
    int64_t delay = wait ? strtol(wait + 6, NULL, 10) : 0;

    state->streams = strstr(state->request, "\"stream\":true") != NULL;
    state->length = 0;
    if (state->streams) {
        begin_stream(peer);
        state->drips = drip ? strtol(drip + 6, NULL, 10) - 1 : 0;
        delay = state->drips > 0 ? DRIP_MS : STREAM_MS;
    }
    if (delay) {
        state->due = now_ns(CLOCK_MONOTONIC) / 1000000 + delay;
        waiting++;
    } else {
        answer(peer);
    }
}

static bool is_whole(const struct peer *state)
{
    const char *end = strstr(state->request, "\r\n\r\n");
    const char *length = end ? strcasestr(state->request, "\r\ncontent-length:") : NULL;

    return end && (!length || state->length >= (size_t)(end + 4 - state->request) +
                                                   strtoul(length + 17, NULL, 10));
}

static void hear(int peer)
{
    struct peer *state = &peers[peer];
    ssize_t got;

    if (!state->request)
        state->request = malloc(REQUEST_MAX);
    got = recv(peer, state->request + state->length, REQUEST_MAX - 1 - state->length, 0);
    if (got <= 0) {
        waiting -= state->due != 0;
        state->due = 0;
        state->length = 0;
        close(peer);
        return;
    }
    state->length += (size_t)got;
    state->request[state->length] = '\0';
    if (is_whole(state))
        take(peer);
}

static void give_what_is_due(void)
{
    int64_t now = now_ns(CLOCK_MONOTONIC) / 1000000;

    for (int peer = 0; peer < PEERS_MAX && waiting; peer++) {
        if (!peers[peer].due || peers[peer].due > now)
            continue;
        if (peers[peer].streams && peers[peer].drips-- > 0) {
            peers[peer].due += DRIP_MS;
            send_word(peer, "");
            continue;
        }
        peers[peer].due = 0;
        waiting--;
        if (peers[peer].streams)
            end_stream(peer);
        else
            answer(peer);
    }
}

static void welcome(int poll, int listener)
{
    int peer = accept(listener, NULL, NULL), yes = 1;
    struct epoll_event event = {.events = EPOLLIN, .data.fd = peer};

    if (peer < 0)
        return;
    if (peer >= PEERS_MAX) {
        close(peer);
        return;
    }
    setsockopt(peer, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    epoll_ctl(poll, EPOLL_CTL_ADD, peer, &event);
}

int main(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct epoll_event events[EVENTS], event = {.events = EPOLLIN};
    socklen_t length = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0), poll = epoll_create1(0);

    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 65535) ||
        getsockname(listener, (struct sockaddr *)&address, &length))
        return EXIT_FAILURE;
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    event.data.fd = listener;
    epoll_ctl(poll, EPOLL_CTL_ADD, listener, &event);
    for (;;) {
        int count = epoll_wait(poll, events, EVENTS, waiting ? 1 : -1);

        for (int i = 0; i < count; i++)
            if (events[i].data.fd == listener)
                welcome(poll, listener);
            else
                hear(events[i].data.fd);
        give_what_is_due();
    }
}
