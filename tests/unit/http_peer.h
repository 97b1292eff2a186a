/*
 * A server for tests of calls to the outside: a process on the loopback interface that does what
 * the path of a request says, many connections side by side, and keeps them open. What it saw
 * stands in shared memory. Paths: /wait/MS           200 "ok" after so many milliseconds
 *   /status/CODE       that status, body "no"
 *   /pieces/N/MS       a chunked body of "piece1 piece2 ...", one each MS milliseconds
 *   /heard/N           the same body, but each piece waits in the connection before its word is
 * given (peer_seen.sent), and the next comes once the last was heard /stall/MS          the head
 * and "begun ", then nothing for so long /cut               the head, "half" of a chunked body, and
 * the end of the connection /echo              the head of the request as body /text/N the N-th of
 * peer_texts, a whole answer, and the end of the connection /drip/N            the same, in pieces
 * of seven bytes
 */
#ifndef ASSAY_HTTP_PEER_H
#define ASSAY_HTTP_PEER_H

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Set before the server starts. */
static const char *const *peer_texts;

struct peer_seen {
    _Atomic int connections; /* opened, all in all */
    _Atomic int requests;
    _Atomic int sent, heard;     /* pieces of /heard */
    _Atomic long long closed_at; /* the last end of a connection, monotonic microseconds */
};

struct peer {
    pid_t pid;
    int port;
    struct peer_seen *seen;
};

static inline long long peer_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000LL + now.tv_nsec / 1000;
}

static inline void peer_nap(int milliseconds)
{
    nanosleep(&(struct timespec){milliseconds / 1000, milliseconds % 1000 * 1000000L}, NULL);
}

static inline void peer_say(int connection, const char *text)
{
    if (send(connection, text, strlen(text), MSG_NOSIGNAL) < 0)
        _exit(0);
}

/* Waits for the other side to close, for at most so long. */
static inline void peer_await_end(int connection, int milliseconds, struct peer_seen *seen)
{
    struct timeval limit = {milliseconds / 1000, milliseconds % 1000 * 1000};
    char byte;

    setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    if (recv(connection, &byte, 1, 0) >= 0)
        seen->closed_at = peer_now();
}

static inline void peer_pieces(int connection, int count, int milliseconds)
{
    char text[64];

    peer_say(connection,
             "HTTP/1.1 200 OK\r\nX-Kind:  pieces \r\nTransfer-Encoding: chunked\r\n\r\n");
    for (int i = 1; i <= count; i++) {
        int length = snprintf(text, sizeof text, "piece%d ", i);

        snprintf(text, sizeof text, "%x\r\npiece%d \r\n", (unsigned)length, i);
        peer_nap(milliseconds);
        peer_say(connection, text);
    }
    peer_say(connection, "0\r\n\r\n");
}

static inline void peer_heard(int connection, int count, struct peer_seen *seen)
{
    char text[64];

    peer_say(connection, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (int i = 1; i <= count; i++) {
        int length = snprintf(text, sizeof text, "piece%d ", i);

        while (seen->heard < i - 1)
            peer_nap(1);
        snprintf(text, sizeof text, "%x\r\npiece%d \r\n", (unsigned)length, i);
        peer_say(connection, text);
        seen->sent = i;
    }
    while (seen->heard < count)
        peer_nap(1);
    peer_say(connection, "0\r\n\r\n");
}

static inline void peer_text(int connection, const char *text, size_t piece)
{
    for (size_t left = strlen(text), count; left; left -= count, text += count) {
        count = left < piece ? left : piece;
        if (send(connection, text, count, MSG_NOSIGNAL) < 0)
            break;
        if (count < left)
            usleep(200);
    }
    _exit(0);
}

static inline void peer_answer(int connection, const char *request, struct peer_seen *seen)
{
    const char *path = strchr(request, ' ');
    char text[9000];
    int first = 0, second = 0;

    if (!path || sscanf(path, " /wait/%d", &first) == 1) {
        peer_nap(first);
        peer_say(connection, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    } else if (sscanf(path, " /status/%d", &first) == 1) {
        snprintf(text, sizeof text, "HTTP/1.1 %d X\r\nContent-Length: 2\r\n\r\n%s", first,
                 strncmp(request, "HEAD", 4) == 0 ? "" : "no");
        peer_say(connection, text);
    } else if (sscanf(path, " /pieces/%d/%d", &first, &second) == 2) {
        peer_pieces(connection, first, second);
    } else if (sscanf(path, " /heard/%d", &first) == 1) {
        peer_heard(connection, first, seen);
    } else if (sscanf(path, " /stall/%d", &first) == 1) {
        peer_say(connection,
                 "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6\r\nbegun \r\n");
        peer_await_end(connection, first, seen);
    } else if (sscanf(path, " /text/%d", &first) == 1) {
        peer_text(connection, peer_texts[first], 1 << 20);
    } else if (sscanf(path, " /drip/%d", &first) == 1) {
        peer_text(connection, peer_texts[first], 7);
    } else if (strncmp(path, " /cut", 5) == 0) {
        peer_say(connection, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n");
        _exit(0);
    } else {
        snprintf(text, sizeof text, "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n%s",
                 strlen(request), request);
        peer_say(connection, text);
    }
}

/* Requests of one connection, one after the other; bodies come with their heads in these tests. */
static inline void peer_serve(int connection, struct peer_seen *seen)
{
    char request[8192];
    ssize_t count;

    while ((count = read(connection, request, sizeof request - 1)) > 0) {
        request[count] = '\0';
        seen->requests++;
        peer_answer(connection, request, seen);
    }
    seen->closed_at = peer_now();
    _exit(0);
}

static inline struct peer start_peer(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct peer peer;

    peer.seen =
        mmap(NULL, sizeof *peer.seen, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 ||
        listen(listener, 1024) != 0 ||
        getsockname(listener, (struct sockaddr *)&address, &length) != 0)
        abort();
    peer.port = ntohs(address.sin_port);
    fflush(stdout);
    peer.pid = fork();
    if (peer.pid == 0) {
        signal(SIGCHLD, SIG_IGN);
        for (;;) {
            int connection = accept(listener, NULL, NULL);

            if (connection < 0)
                continue;
            peer.seen->connections++;
            if (fork() == 0) {
                prctl(PR_SET_PDEATHSIG, SIGKILL);
                close(listener);
                peer_serve(connection, peer.seen);
            }
            close(connection);
        }
    }
    close(listener);
    return peer;
}

static inline void stop_peer(struct peer *peer)
{
    kill(peer->pid, SIGKILL);
    waitpid(peer->pid, NULL, 0);
    munmap(peer->seen, sizeof *peer->seen);
}

#endif
