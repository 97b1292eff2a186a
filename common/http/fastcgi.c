/* The FastCGI protocol as far as a responder needs it. Lengths are untrusted: each is compared with
 * the bytes left before it is used. */
#include "http/fastcgi.h"
#include "base/clock.h"
#include "base/fiber.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum { VERSION = 1, HEADER = 8, RESPONDER = 1, REQUEST_COMPLETE = 0 };
enum record_type { BEGIN_REQUEST = 1, ABORT_REQUEST, END_REQUEST, PARAMS, STDIN, STDOUT };

enum {
    CONTENT_MAX = 65528,   /* of a record: the largest that needs no padding */
    RECORDS_PER_WRITE = 64 /* 4 MB; larger answers take more than one write */
};

struct record {
    enum record_type type;
    unsigned id;
};

static int64_t after_milliseconds(int milliseconds)
{
    return clock_monotonic_microseconds() + milliseconds * (int64_t)1000;
}

static bool await_in_fiber(int connection, uint32_t events, int64_t deadline)
{
    enum fiber_event event;

    if (deadline <= clock_monotonic_microseconds())
        return false;
    do {
        event = fiber_wait(connection, events, deadline);
    } while (event == FIBER_WOKEN);
    return event == FIBER_READY;
}

/* Waits until the connection is ready or the deadline has passed. */
static bool await(int connection, short events, int64_t deadline)
{
    _Static_assert(POLLIN == EPOLLIN && POLLOUT == EPOLLOUT, "poll and epoll name events alike");
    struct pollfd entry = {.fd = connection, .events = events};
    int64_t left;
    int ready;

    if (fiber_current())
        return await_in_fiber(connection, (uint32_t)events, deadline);
    do {
        left = deadline - clock_monotonic_microseconds();
        if (left <= 0)
            return false;
        ready = poll(&entry, 1, (int)((left + 999) / 1000));
    } while (ready < 0 && errno == EINTR);
    return ready > 0;
}

/* Reads more into the buffer. False at the deadline, or when the peer has closed. */
static bool fill(struct fastcgi *request)
{
    ssize_t count;

    memmove(request->buffer, request->buffer + request->begin, request->end - request->begin);
    request->end -= request->begin;
    request->begin = 0;
    for (;;) {
        count = recv(request->connection, request->buffer + request->end,
                     sizeof request->buffer - request->end, 0);
        if (count > 0) {
            request->end += (size_t)count;
            return true;
        }
        if (count < 0 && errno == EINTR)
            continue;
        if (count == 0 || (errno != EAGAIN && errno != EWOULDBLOCK)) {
            request->broken = true;
            return false;
        }
        if (!await(request->connection, POLLIN, request->deadline))
            return false;
    }
}

/* Takes up to `size` of the `left` bytes; `bytes` NULL skips them. 0 = no bytes came. */
static size_t take(struct fastcgi *request, size_t *left, char *bytes, size_t size)
{
    size_t count = size < *left ? size : *left;

    if (count && request->begin == request->end && !fill(request))
        return 0;
    if (count > request->end - request->begin)
        count = request->end - request->begin;
    if (bytes)
        memcpy(bytes, request->buffer + request->begin, count);
    request->begin += count;
    *left -= count;
    return count;
}

static bool skip(struct fastcgi *request, size_t *left)
{
    while (*left)
        if (!take(request, left, NULL, *left))
            return false;
    return true;
}

/* Skips the rest of this record and reads the header of the next. */
static bool next_record(struct fastcgi *request, struct record *record)
{
    const unsigned char *header;

    if (!skip(request, &request->content_left) || !skip(request, &request->padding_left))
        return false;
    while (request->end - request->begin < HEADER)
        if (!fill(request))
            return false;
    header = request->buffer + request->begin;
    request->begin += HEADER;
    record->type = header[1];
    record->id = header[2] * 256U + header[3];
    request->content_left = header[4] * 256U + header[5];
    request->padding_left = header[6];
    /* Id 0 is for management records, which need no answer. A record of another request on the same
     * connection is an error. */
    if (header[0] != VERSION || (record->id && request->id && record->id != request->id))
        request->broken = true;
    return !request->broken;
}

static bool begin(struct fastcgi *request)
{
    struct record record;
    char body[8];

    do {
        if (!next_record(request, &record))
            return false;
    } while (record.id == 0);
    if (record.type != BEGIN_REQUEST || request->content_left != sizeof body)
        return false;
    for (size_t at = 0; at < sizeof body;) {
        size_t count = take(request, &request->content_left, body + at, sizeof body - at);

        if (!count)
            return false;
        at += count;
    }
    request->id = record.id;
    return body[0] == 0 && body[1] == RESPONDER;
}

static bool read_parameters(struct fastcgi *request)
{
    struct record record;

    for (;;) {
        if (!next_record(request, &record))
            return false;
        if (record.id == 0)
            continue;
        if (record.type != PARAMS)
            return false;
        if (request->content_left == 0)
            return true;
        if (request->content_left > sizeof request->parameters - request->parameters_length)
            return false;
        while (request->content_left) {
            size_t count =
                take(request, &request->content_left,
                     request->parameters + request->parameters_length, request->content_left);

            if (!count)
                return false;
            request->parameters_length += count;
        }
    }
}

/* A length of one byte, or of four with the highest bit set. */
static bool take_length(const struct fastcgi *request, size_t *at, size_t *length)
{
    const unsigned char *bytes = (const unsigned char *)request->parameters + *at;
    size_t left = request->parameters_length - *at;

    if (left < 1 || (bytes[0] >= 0x80 && left < 4))
        return false;
    *at += bytes[0] >= 0x80 ? 4 : 1;
    *length = bytes[0];
    if (bytes[0] >= 0x80)
        *length = (bytes[0] & 0x7fU) << 24 | (unsigned)bytes[1] << 16 | (unsigned)bytes[2] << 8 |
                  bytes[3];
    return true;
}

/* Turns lengths and bytes into strings, in place: the two lengths of a pair take at least the room
 * of its two NULs. A NUL inside would make one value look like several parameters. */
static bool split_parameters(struct fastcgi *request)
{
    char *bytes = request->parameters;
    size_t out = 0;
    size_t at = 0;

    while (at < request->parameters_length) {
        size_t name, value, left;

        if (!take_length(request, &at, &name) || !take_length(request, &at, &value))
            return false;
        left = request->parameters_length - at;
        if (name > left || value > left - name || memchr(bytes + at, '\0', name + value))
            return false;
        if (request->name_count < FASTCGI_NAMES_MAX)
            request->names[request->name_count++] = (struct fastcgi_name){out, name};
        memmove(bytes + out, bytes + at, name);
        bytes[out + name] = '\0';
        out += name + 1;
        memmove(bytes + out, bytes + at + name, value);
        bytes[out + value] = '\0';
        out += value + 1;
        at += name + value;
    }
    request->parameters_length = out;
    return true;
}

bool fastcgi_receive(struct fastcgi *request, int connection)
{
    request->connection = connection;
    request->deadline = after_milliseconds(request->timeouts.receive);
    request->id = 0;
    request->content_left = request->padding_left = 0;
    request->body_ended = request->broken = false;
    request->begin = request->end = 0;
    request->parameters_length = request->name_count = 0;
    if (begin(request) && read_parameters(request) && split_parameters(request))
        return true;
    close(connection);
    return false;
}

const char *fastcgi_variable(const struct fastcgi *request, const char *name)
{
    const char *at = request->parameters;
    const char *end = at + request->parameters_length;
    size_t length = strlen(name);

    for (size_t i = 0; i < request->name_count; i++) {
        at = request->parameters + request->names[i].at;
        if (request->names[i].length == length && memcmp(at, name, length) == 0)
            return at + length + 1;
    }
    while (at < end) {
        const char *value = at + strlen(at) + 1;

        if (strcmp(at, name) == 0)
            return value;
        at = value + strlen(value) + 1;
    }
    return NULL;
}

/* Moves to the next part of the body, or to its end. */
static bool next_piece(struct fastcgi *request)
{
    struct record record;

    do {
        if (!next_record(request, &record))
            return false;
        if (record.id && record.type == ABORT_REQUEST)
            request->broken = true;
    } while (!request->broken && (record.id == 0 || record.type != STDIN));
    request->body_ended = !request->broken && request->content_left == 0;
    return !request->broken;
}

long fastcgi_read(struct fastcgi *request, char *bytes, size_t size)
{
    size_t count;

    while (!request->broken && !request->body_ended && request->content_left == 0)
        if (!next_piece(request))
            return -1;
    if (request->broken)
        return -1;
    if (request->body_ended)
        return 0;
    count = take(request, &request->content_left, bytes, size);
    return count ? (long)count : -1;
}

/* Records to be written. */
struct outgoing {
    struct fastcgi *request;
    size_t records;
    size_t count;
    struct iovec parts[RECORDS_PER_WRITE * 2];
    unsigned char headers[RECORDS_PER_WRITE][HEADER];
};

static bool flush(struct outgoing *out)
{
    struct fastcgi *request = out->request;
    struct msghdr message = {.msg_iov = out->parts, .msg_iovlen = out->count};

    while (message.msg_iovlen && !request->broken) {
        ssize_t sent = sendmsg(request->connection, &message, MSG_NOSIGNAL);

        if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            if (!await(request->connection, POLLOUT, after_milliseconds(request->timeouts.send)))
                request->broken = true;
        } else if (sent < 0 && errno != EINTR) {
            request->broken = true;
        }
        while (sent > 0 && (size_t)sent >= message.msg_iov->iov_len) {
            sent -= (ssize_t)message.msg_iov->iov_len;
            message.msg_iov++;
            message.msg_iovlen--;
        }
        if (sent > 0) {
            message.msg_iov->iov_base = (char *)message.msg_iov->iov_base + sent;
            message.msg_iov->iov_len -= (size_t)sent;
        }
    }
    out->records = out->count = 0;
    return !request->broken;
}

static bool add_record(struct outgoing *out, enum record_type type, const void *bytes,
                       size_t length)
{
    unsigned char *header;

    if (out->records == RECORDS_PER_WRITE && !flush(out))
        return false;
    header = out->headers[out->records++];
    memcpy(header,
           (unsigned char[HEADER]){VERSION, (unsigned char)type,
                                   (unsigned char)(out->request->id >> 8),
                                   (unsigned char)out->request->id, (unsigned char)(length >> 8),
                                   (unsigned char)length, 0, 0},
           HEADER);
    out->parts[out->count++] = (struct iovec){header, HEADER};
    if (length)
        out->parts[out->count++] = (struct iovec){(void *)(uintptr_t)bytes, length};
    return true;
}

static bool add_stream(struct outgoing *out, const char *bytes, size_t length)
{
    while (length) {
        size_t count = length < CONTENT_MAX ? length : CONTENT_MAX;

        if (!add_record(out, STDOUT, bytes, count))
            return false;
        bytes += count;
        length -= count;
    }
    return true;
}

/* Enlarges the send buffer to hold the whole answer, as far as net.core.wmem_max permits. The
 * answer then arrives whole or not at all, even if this worker or the web server's dies. */
static void make_room(const struct fastcgi *request, size_t length)
{
    enum { ENOUGH_BY_ITSELF = 64 * 1024, LARGEST = 64 * 1024 * 1024 };
    int wanted = length < LARGEST ? (int)length : LARGEST;

    if (length > ENOUGH_BY_ITSELF)
        (void)setsockopt(request->connection, SOL_SOCKET, SO_SNDBUF, &wanted, sizeof wanted);
}

static bool add_end(struct outgoing *out)
{
    static const unsigned char completed[8] = {0, 0, 0, 0, REQUEST_COMPLETE};

    return add_record(out, STDOUT, NULL, 0) &&
           add_record(out, END_REQUEST, completed, sizeof completed);
}

bool fastcgi_answer(struct fastcgi *request, const char *head, size_t head_length, const char *body,
                    size_t body_length)
{
    struct outgoing out = {.request = request};

    make_room(request, head_length + body_length);
    return add_stream(&out, head, head_length) && add_stream(&out, body, body_length) &&
           add_end(&out) && flush(&out);
}

bool fastcgi_append(struct fastcgi *request, const char *bytes, size_t length)
{
    struct outgoing out = {.request = request};

    return !request->broken && add_stream(&out, bytes, length) && flush(&out);
}

bool fastcgi_end(struct fastcgi *request)
{
    struct outgoing out = {.request = request};

    return !request->broken && add_end(&out) && flush(&out);
}

/* A web server closes the connection when its client does; it may also send an abort record. */
bool fastcgi_gone(struct fastcgi *request)
{
    struct pollfd entry = {.fd = request->connection, .events = POLLIN | POLLRDHUP};
    unsigned char header[2];
    ssize_t count;

    if (request->broken || poll(&entry, 1, 0) <= 0)
        return request->broken;
    if (entry.revents & (POLLHUP | POLLERR | POLLRDHUP))
        request->broken = true;
    if (request->broken || !request->body_ended || request->begin != request->end)
        return request->broken;
    count = recv(request->connection, header, sizeof header, MSG_PEEK | MSG_DONTWAIT);
    request->broken = count == 0 || (count == 2 && header[1] == ABORT_REQUEST);
    return request->broken;
}

static bool drain(struct fastcgi *request, int64_t deadline)
{
    char bytes[4096];

    request->deadline = deadline;
    while (fastcgi_read(request, bytes, sizeof bytes) > 0)
        continue;
    return request->body_ended || request->broken;
}

void fastcgi_finish(struct fastcgi *request)
{
    if (!drain(request, 0)) {
        shutdown(request->connection, SHUT_WR);
        drain(request, after_milliseconds(request->timeouts.linger));
    }
    close(request->connection);
}
