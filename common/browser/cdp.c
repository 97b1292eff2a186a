/* Framing, message ids and waits of the DevTools protocol. Does not depend on its methods. */
#include "browser/cdp.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    READ_STEP = 65536,
    POLL_INTERVAL_MICROSECONDS = 100000, /* interval of the listener's stop check */
    MEMORY_PER_BYTE = 40                 /* memory of a parsed message, at most */
};

struct cdp {
    int reading, writing;
    size_t message_max;
    struct cdp_listener listener;
    struct arena *out, *in; /* the message being written; the message received last */
    struct text message;
    struct json_writer writer;
    char *pending; /* written, not yet accepted by the pipe */
    size_t pending_length, pending_capacity;
    char *received;
    size_t received_length, received_capacity;
    size_t scanned; /* received bytes, without a zero byte */
    int64_t last_id;
    bool closed;
    char fault[CDP_FAULT_MAX];
};

struct cdp *cdp_open(int reading, int writing, size_t message_max)
{
    struct cdp *cdp = calloc(1, sizeof *cdp);

    if (cdp) {
        cdp->out = arena_create(message_max * 2);
        cdp->in = arena_create(message_max * MEMORY_PER_BYTE);
    }
    if (!cdp || !cdp->out || !cdp->in) {
        if (cdp) {
            arena_destroy(cdp->out);
            arena_destroy(cdp->in);
        }
        free(cdp);
        close(reading);
        close(writing);
        return NULL;
    }
    cdp->reading = reading;
    cdp->writing = writing;
    cdp->message_max = message_max;
    cdp->listener.fd = -1;
    fcntl(reading, F_SETFL, fcntl(reading, F_GETFL) | O_NONBLOCK);
    fcntl(writing, F_SETFL, fcntl(writing, F_GETFL) | O_NONBLOCK);
    return cdp;
}

void cdp_close(struct cdp *cdp)
{
    if (!cdp)
        return;
    close(cdp->reading);
    close(cdp->writing);
    arena_destroy(cdp->out);
    arena_destroy(cdp->in);
    free(cdp->pending);
    free(cdp->received);
    free(cdp);
}

void cdp_listen(struct cdp *cdp, const struct cdp_listener *listener)
{
    cdp->listener = *listener;
}

const char *cdp_fault(const struct cdp *cdp)
{
    return cdp->fault;
}

static void end(struct cdp *cdp, const char *why)
{
    if (!cdp->closed)
        snprintf(cdp->fault, sizeof cdp->fault, "%s", why);
    cdp->closed = true;
}

/* Makes room for `more` bytes after `length`; false when memory or the limit is exhausted. */
static bool make_room(char **bytes, size_t *capacity, size_t length, size_t more, size_t most)
{
    size_t wanted = *capacity ? *capacity : READ_STEP;
    char *larger;

    if (length + more > most)
        return false;
    if (length + more <= *capacity)
        return true;
    while (wanted < length + more)
        wanted *= 2;
    larger = realloc(*bytes, wanted);
    if (!larger)
        return false;
    *bytes = larger;
    *capacity = wanted;
    return true;
}

struct json_writer *cdp_begin(struct cdp *cdp, const char *session, const char *method)
{
    arena_reset(cdp->out);
    text_start(&cdp->message, cdp->out, cdp->message_max);
    writer_start(&cdp->writer, &cdp->message);
    writer_open_object(&cdp->writer);
    writer_key_integer(&cdp->writer, "id", ++cdp->last_id);
    if (session)
        writer_key_string(&cdp->writer, "sessionId", session);
    writer_key_string(&cdp->writer, "method", method);
    writer_key(&cdp->writer, "params");
    writer_open_object(&cdp->writer);
    return &cdp->writer;
}

/* Appends the message to the pending output. */
static void say(struct cdp *cdp)
{
    const struct text *message = &cdp->message;

    writer_close_object(&cdp->writer);
    writer_close_object(&cdp->writer);
    if (message->overflowed ||
        !make_room(&cdp->pending, &cdp->pending_capacity, cdp->pending_length, message->length + 1,
                   2 * cdp->message_max)) {
        end(cdp, "a message is too long");
        return;
    }
    memcpy(cdp->pending + cdp->pending_length, message->bytes, message->length + 1);
    cdp->pending_length += message->length + 1;
}

static void push(struct cdp *cdp)
{
    while (cdp->pending_length) {
        ssize_t count = write(cdp->writing, cdp->pending, cdp->pending_length);

        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0 && errno == EAGAIN)
            return;
        if (count <= 0) {
            end(cdp, "the browser is gone");
            return;
        }
        cdp->pending_length -= (size_t)count;
        memmove(cdp->pending, cdp->pending + count, cdp->pending_length);
    }
}

static void pull(struct cdp *cdp)
{
    ssize_t count;

    if (!make_room(&cdp->received, &cdp->received_capacity, cdp->received_length, READ_STEP,
                   cdp->message_max + READ_STEP)) {
        end(cdp, "a message of the browser is too long");
        return;
    }
    count = read(cdp->reading, cdp->received + cdp->received_length, READ_STEP);
    if (count > 0)
        cdp->received_length += (size_t)count;
    else if (count == 0 || (errno != EAGAIN && errno != EINTR))
        end(cdp, "the browser is gone");
}

/* The next complete message as JSON, NULL when there is none. It lives until the next message is
 * read. */
static json_t *next_message(struct cdp *cdp)
{
    char *zero = cdp->received_length > cdp->scanned
                     ? memchr(cdp->received + cdp->scanned, 0, cdp->received_length - cdp->scanned)
                     : NULL;
    struct json_fault fault;
    json_t *message = NULL;
    size_t length;

    if (!zero) {
        cdp->scanned = cdp->received_length;
        return NULL;
    }
    length = (size_t)(zero - cdp->received);
    arena_reset(cdp->in);
    if (json_read(cdp->in, cdp->received, length, JSON_DEPTH_LIMIT, &message, &fault) !=
        ERROR_NONE) {
        end(cdp, "the browser sent what is no message");
        message = NULL;
    }
    cdp->received_length -= length + 1;
    memmove(cdp->received, zero + 1, cdp->received_length);
    cdp->scanned = 0;
    return message;
}

/* Passes an event to the listener and drops other replies. True when it is the reply to `id`. */
static bool receive(struct cdp *cdp, const json_t *message, int64_t id)
{
    const char *method = json_string_value(json_object_get(message, "method"));

    if (!method) {
        const json_t *number = json_object_get(message, "id");

        return id && json_is_integer(number) && json_integer_value(number) == id;
    }
    if (cdp->listener.on_event)
        cdp->listener.on_event(method, json_string_value(json_object_get(message, "sessionId")),
                               json_object_get(message, "params"), cdp->listener.context);
    return false;
}

/* Waits once for any descriptor; the listener's own descriptor is handled here. */
static void rest(struct cdp *cdp, int64_t until, int64_t now)
{
    int64_t left =
        until - now < POLL_INTERVAL_MICROSECONDS ? until - now : POLL_INTERVAL_MICROSECONDS;
    struct pollfd waits[] = {{.fd = cdp->reading, .events = POLLIN},
                             {.fd = cdp->pending_length ? cdp->writing : -1, .events = POLLOUT},
                             {.fd = cdp->listener.fd, .events = POLLIN}};

    if (poll(waits, 3, (int)((left + 999) / 1000)) <= 0)
        return;
    if (waits[2].revents && cdp->listener.on_ready)
        cdp->listener.on_ready(cdp->listener.context);
    if (waits[1].revents)
        push(cdp);
    if (waits[0].revents)
        pull(cdp);
}

/* Reads messages until the reply to `id` (0 = none) arrives, or `done` returns true. */
static enum cdp_outcome listen_for(struct cdp *cdp, int64_t id, int64_t deadline,
                                   bool (*done)(void *context), void *context, json_t **reply)
{
    push(cdp);
    for (;;) {
        int64_t now = clock_monotonic_microseconds();
        json_t *message;

        while ((message = next_message(cdp))) {
            if (receive(cdp, message, id)) {
                *reply = message;
                return CDP_OK;
            }
            if (done && done(context))
                return CDP_OK;
        }
        if (cdp->closed)
            return CDP_CLOSED;
        if (cdp->listener.must_stop && cdp->listener.must_stop(cdp->listener.context))
            return CDP_STOPPED;
        if (now >= deadline)
            return CDP_TIMED_OUT;
        rest(cdp, deadline, now);
    }
}

enum cdp_outcome cdp_call(struct cdp *cdp, int64_t deadline, json_t **result)
{
    json_t *reply = NULL;
    const json_t *error;
    enum cdp_outcome outcome;

    if (!cdp->closed)
        say(cdp);
    if (cdp->closed)
        return CDP_CLOSED;
    outcome = listen_for(cdp, cdp->last_id, deadline, NULL, NULL, &reply);
    if (outcome != CDP_OK)
        return outcome;
    error = json_object_get(reply, "error");
    if (error) {
        const char *words = json_string_value(json_object_get(error, "message"));

        snprintf(cdp->fault, sizeof cdp->fault, "%s", words ? words : "the browser refuses");
        return CDP_REFUSED;
    }
    if (result)
        *result = json_object_get(reply, "result");
    return CDP_OK;
}

void cdp_post(struct cdp *cdp)
{
    if (cdp->closed)
        return;
    say(cdp);
    push(cdp);
}

enum cdp_outcome cdp_wait(struct cdp *cdp, int64_t until, bool (*done)(void *context),
                          void *context)
{
    json_t *nobody = NULL;

    if (done && done(context))
        return CDP_OK;
    return listen_for(cdp, 0, until, done, context, &nobody);
}
