/* One process for many idle streams: an epoll over the family's socket, a FIFO that other
 * workers notify, and the connections of suspended streams, which cost a few hundred bytes each. */
#include "http/hub.h"
#include "base/clock.h"
#include "base/log.h"
#include "http/http_internal.h"
#include "http/hub_internal.h"
#include "limits/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    READY_MAX = 64,
    FRAME_MAX = 1024 * 1024,
    HUB_MEMORY_MAX = 256 * 1024 * 1024,
    STREAM_NAME_MAX = 256
};

/* One of the streams of a tenant over all hosts. */
struct stream_place {
    struct limits_place place;
    char name[STREAM_NAME_MAX]; /* "" = the stream counts nowhere */
    uint32_t most;
};

/* One suspended stream. */
struct suspended {
    struct suspended *next;
    int connection;
    unsigned id; /* of the FastCGI request */
    char *tenant;
    void *filter;
    int64_t after;
    int64_t quiet_since; /* monotonic microseconds, as the next */
    int64_t ends_at;     /* 0 = when the client leaves */
    char *backlog;       /* what the client has not taken yet */
    size_t backlog_length;
    bool watched; /* epoll waits until it is writable */
    bool broken;
    struct stream_place place;
};

struct hub_state {
    struct server *server;
    const struct hub *hub;
    struct arena *arena; /* of one turn */
    int events;          /* the epoll */
    int fifo;
    int64_t sequence;
    bool knows_sequence;
    struct suspended *streams;
    size_t count;
    /* The stream that hub_suspend() leaves for the loop. */
    struct suspended *suspended;
    /* The place that hub_admit() leaves for hub_suspend(). */
    struct stream_place admitted;
};

static size_t backlog_max(const struct hub_state *state)
{
    return state->hub->backlog_max ? state->hub->backlog_max : (size_t)1 << 20;
}

static const char *fifo_path(char path[PATH_MAX], const char *run_directory, const char *service)
{
    return snprintf(path, PATH_MAX, "%s/%s-hub.fifo", run_directory, service) < PATH_MAX ? path
                                                                                         : NULL;
}

/* A named pipe. A worker that has added an event writes a byte. Without a reader no event is
 * lost. */
static int open_fifo(const char *run_directory, const char *service)
{
    char path[PATH_MAX];

    if (!run_directory || !fifo_path(path, run_directory, service) ||
        (mkfifo(path, 0600) != 0 && errno != EEXIST))
        return -1;
    return open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
}

void hub_notify(const char *run_directory, const char *service)
{
    char path[PATH_MAX];
    int fifo;

    if (!run_directory || !fifo_path(path, run_directory, service))
        return;
    fifo = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    if (fifo < 0)
        return;
    (void)!write(fifo, "!", 1);
    close(fifo);
}

enum error hub_open(struct server *server, const char *run_directory, struct problem *problem)
{
    struct hub_state *state = calloc(1, sizeof *state);

    if (!state)
        return problem_set(problem, ERROR_SYSTEM, "out_of_memory", "out of memory");
    state->server = server;
    state->hub = server->family->hub;
    state->arena = arena_create(HUB_MEMORY_MAX);
    state->events = epoll_create1(EPOLL_CLOEXEC);
    state->fifo = open_fifo(run_directory, server->family->service->name);
    server->hub = state;
    if (!state->arena || state->events < 0)
        return problem_set(problem, ERROR_SYSTEM, "hub", "the hub of streams cannot start: %s",
                           strerror(errno));
    return ERROR_NONE;
}

size_t hub_count(const struct request *request, const char *tenant)
{
    const struct hub_state *state = request->server->hub;
    size_t count = 0;

    for (const struct suspended *stream = state ? state->streams : NULL; stream;
         stream = stream->next)
        count += !stream->broken && (!tenant || strcmp(stream->tenant, tenant) == 0);
    return count;
}

static void give_back(const struct hub_state *state, struct stream_place *place)
{
    if (*place->name)
        limits_place_release(state->server->region, place->name, &place->place);
    *place = (struct stream_place){.name = ""};
}

bool hub_admit(const struct request *request, const char *tenant, size_t most)
{
    struct hub_state *state = request->server->hub;
    struct stream_place *admitted;

    if (!state)
        return true;
    admitted = &state->admitted;
    give_back(state, admitted);
    if (hub_count(request, tenant) >= limits_share(state->server->region, (uint32_t)most))
        return false;
    (void)!snprintf(admitted->name, sizeof admitted->name, "streams:%s", tenant ? tenant : "");
    admitted->most = (uint32_t)most;
    if (limits_place_take(state->server->region, admitted->name, admitted->most, &admitted->place))
        return true;
    give_back(state, admitted);
    return false;
}

int64_t hub_sequence(const struct request *request)
{
    const struct hub_state *state = request->server->hub;

    return state ? state->sequence : 0;
}

static void free_stream(struct suspended *stream)
{
    free(stream->tenant);
    free(stream->filter);
    free(stream->backlog);
    free(stream);
}

enum error hub_suspend(struct stream *stream, const char *tenant, int64_t after, const void *filter,
                       size_t filter_size)
{
    struct request *request = stream->request;
    struct hub_state *state = request->server->hub;
    size_t most = state->hub->streams_max ? state->hub->streams_max : 1000;
    struct suspended *suspended = calloc(1, sizeof *suspended);

    if (suspended) {
        suspended->tenant = strdup(tenant ? tenant : "");
        suspended->filter = filter_size ? malloc(filter_size) : NULL;
    }
    if (!suspended || !suspended->tenant || (filter_size && !suspended->filter) ||
        state->count >= most) {
        if (suspended)
            free_stream(suspended);
        return problem_set(&request->problem, ERROR_BUSY, "hub_full",
                           "no more streams can be served now");
    }
    if (filter_size)
        memcpy(suspended->filter, filter, filter_size);
    suspended->after = after;
    suspended->quiet_since = clock_monotonic_microseconds();
    if (request->by_person)
        suspended->ends_at =
            suspended->quiet_since +
            (state->hub->person_seconds ? state->hub->person_seconds : 60) * (int64_t)1000000;
    suspended->place = state->admitted;
    state->admitted = (struct stream_place){.name = ""};
    state->suspended = suspended;
    serving_of(request)->suspended = true;
    return ERROR_NONE;
}

void hub_attach(struct server *server, int connection, unsigned id)
{
    struct hub_state *state = server->hub;
    struct suspended *stream = state->suspended;
    struct epoll_event event = {.events = EPOLLRDHUP, .data.ptr = stream};

    state->suspended = NULL;
    stream->connection = connection;
    stream->id = id;
    stream->next = state->streams;
    state->streams = stream;
    state->count++;
    stream->broken = epoll_ctl(state->events, EPOLL_CTL_ADD, connection, &event) != 0;
}

static void watch_writable(const struct hub_state *state, struct suspended *stream, bool wanted)
{
    struct epoll_event event = {.events = EPOLLRDHUP | (wanted ? EPOLLOUT : 0), .data.ptr = stream};

    if (stream->watched != wanted)
        epoll_ctl(state->events, EPOLL_CTL_MOD, stream->connection, &event);
    stream->watched = wanted;
}

/* Sends as much as the socket takes; returns the number of bytes. */
static size_t send_now(struct suspended *stream, const char *bytes, size_t length)
{
    size_t sent = 0;

    while (sent < length && !stream->broken) {
        ssize_t count =
            send(stream->connection, bytes + sent, length - sent, MSG_NOSIGNAL | MSG_DONTWAIT);

        if (count > 0)
            sent += (size_t)count;
        else if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            break;
        else if (count < 0 && errno != EINTR)
            stream->broken = true;
    }
    return sent;
}

static void queue_bytes(const struct hub_state *state, struct suspended *stream, const char *bytes,
                        size_t length)
{
    char *larger;

    if (!length || stream->broken)
        return;
    larger = stream->backlog_length + length <= backlog_max(state)
                 ? realloc(stream->backlog, stream->backlog_length + length)
                 : NULL;
    if (!larger) {
        log_event(LOG_INFO, "slow_stream_closed", stream->tenant);
        stream->broken = true;
        return;
    }
    memcpy(larger + stream->backlog_length, bytes, length);
    stream->backlog = larger;
    stream->backlog_length += length;
    watch_writable(state, stream, true);
}

static void send_bytes(const struct hub_state *state, struct suspended *stream, const char *bytes,
                       size_t length)
{
    size_t sent = stream->backlog_length ? 0 : send_now(stream, bytes, length);

    queue_bytes(state, stream, bytes + sent, length - sent);
}

static void send_backlog(const struct hub_state *state, struct suspended *stream)
{
    size_t sent = send_now(stream, stream->backlog, stream->backlog_length);

    memmove(stream->backlog, stream->backlog + sent, stream->backlog_length - sent);
    stream->backlog_length -= sent;
    if (stream->backlog_length)
        return;
    free(stream->backlog);
    stream->backlog = NULL;
    watch_writable(state, stream, false);
}

/* Sends a frame to one stream, in FastCGI records. */
static void send_frame(const struct hub_state *state, struct suspended *stream, const char *frame,
                       size_t length)
{
    enum { CONTENT_MAX = 65528 };

    while (length && !stream->broken) {
        size_t part = length < CONTENT_MAX ? length : CONTENT_MAX;
        unsigned char header[8] = {1,
                                   6,
                                   (unsigned char)(stream->id >> 8),
                                   (unsigned char)stream->id,
                                   (unsigned char)(part >> 8),
                                   (unsigned char)part};

        send_bytes(state, stream, (const char *)header, sizeof header);
        send_bytes(state, stream, frame, part);
        frame += part;
        length -= part;
    }
    stream->quiet_since = clock_monotonic_microseconds();
}

static const char *frame_of(struct arena *arena, const struct hub_event *event, size_t *length)
{
    struct text text;

    text_start(&text, arena, FRAME_MAX);
    text_append_format(&text, "id: %lld\n", (long long)event->sequence);
    if (event->name)
        text_append_format(&text, "event: %s\n", event->name);
    text_append_string(&text, "data: ");
    text_append_string(&text, event->data);
    text_append_string(&text, "\n\n");
    *length = text.length;
    return text.overflowed ? NULL : text.bytes;
}

static void send_event(struct hub_state *state, const struct hub_event *event)
{
    const char *frame = NULL;
    size_t length = 0;

    for (struct suspended *stream = state->streams; stream; stream = stream->next) {
        if (stream->broken || stream->after >= event->sequence ||
            strcmp(stream->tenant, event->tenant) != 0 ||
            (state->hub->wants && !state->hub->wants(event, stream->filter)))
            continue;
        if (!frame)
            frame = frame_of(state->arena, event, &length);
        if (frame)
            send_frame(state, stream, frame, length);
        stream->after = event->sequence;
    }
}

static void drain_fifo(const struct hub_state *state)
{
    char bytes[256];

    while (state->fifo >= 0 && read(state->fifo, bytes, sizeof bytes) > 0)
        continue;
}

/* Sends all new events, batch by batch. */
static enum error send_new_events(struct hub_state *state, struct problem *problem)
{
    struct hub_event *events;
    size_t count;
    enum error error;

    do {
        arena_reset(state->arena);
        events = ARENA_ARRAY(state->arena, struct hub_event, HUB_EVENTS_MAX);
        count = 0;
        if (!state->knows_sequence) {
            error = state->hub->newest(state->server, &state->sequence, problem);
            if (error)
                return error;
            state->knows_sequence = true;
        }
        error =
            state->hub->read(state->server, state->arena, state->sequence, events, &count, problem);
        for (size_t i = 0; !error && i < count; i++) {
            send_event(state, &events[i]);
            state->sequence = events[i].sequence;
        }
    } while (!error && count == HUB_EVENTS_MAX);
    return error;
}

/* Events that cannot be read now are read at the next turn; so are events when memory is short. */
static void read_events(struct hub_state *state)
{
    struct problem problem = {0};
    jmp_buf exhausted;

    if (setjmp(exhausted) == 0) {
        arena_on_exhausted(state->arena, &exhausted);
        if (send_new_events(state, &problem))
            log_event(LOG_WARNING, "hub_cannot_read", problem.text);
    } else {
        log_event(LOG_ERROR, "hub_memory_exhausted", NULL);
    }
    arena_on_exhausted(state->arena, NULL);
    if (state->server->family->service->after_turn)
        state->server->family->service->after_turn(state->server);
}

static void ping_idle_streams(struct hub_state *state)
{
    int seconds = state->hub->ping_seconds ? state->hub->ping_seconds : 15;
    int64_t until = clock_monotonic_microseconds() - seconds * (int64_t)1000000;
    char comment[64];
    int length = snprintf(comment, sizeof comment, ": %s\n\n",
                          state->hub->ping ? state->hub->ping : "keepalive");

    for (struct suspended *stream = state->streams; stream; stream = stream->next)
        if (!stream->broken && stream->quiet_since < until)
            send_frame(state, stream, comment, (size_t)length);
}

/* Sends the records that end an answer. */
static void end_stream(struct suspended *stream)
{
    const char high = (char)(stream->id >> 8), low = (char)stream->id;
    const char records[] = {1, 6, high, low, 0, 0, 0, 0, /* the end of the output */
                            1, 3, high, low, 0, 8, 0, 0, /* the end of the request */
                            0, 0, 0,    0,   0, 0, 0, 0};

    if (!stream->backlog_length)
        (void)send_now(stream, records, sizeof records);
    stream->broken = true;
}

/* Whoever still may comes back with the id of the last event, and is asked for the session again.
 */
static void end_streams_of_people(const struct hub_state *state)
{
    int64_t now = clock_monotonic_microseconds();

    for (struct suspended *stream = state->streams; stream; stream = stream->next)
        if (!stream->broken && stream->ends_at && stream->ends_at <= now)
            end_stream(stream);
}

/* A host that slept may have lost places: their streams end, and their clients come back. */
static void renew_places(const struct hub_state *state)
{
    for (struct suspended *stream = state->streams; stream; stream = stream->next) {
        struct stream_place *place = &stream->place;

        if (!stream->broken && *place->name &&
            !limits_place_renew(state->server->region, place->name, place->most, &place->place))
            end_stream(stream);
    }
}

static void drop_broken(struct hub_state *state)
{
    struct suspended **at = &state->streams;

    while (*at) {
        struct suspended *stream = *at;

        if (!stream->broken) {
            at = &stream->next;
            continue;
        }
        *at = stream->next;
        close(stream->connection);
        give_back(state, &stream->place);
        free_stream(stream);
        state->count--;
    }
}

static void handle_ready_streams(struct hub_state *state, const struct epoll_event *ready,
                                 int count)
{
    for (int i = 0; i < count; i++) {
        struct suspended *stream = ready[i].data.ptr;

        if (!stream || (void *)stream == (void *)state)
            continue;
        if (ready[i].events & (EPOLLHUP | EPOLLERR | EPOLLRDHUP))
            stream->broken = true;
        else if (ready[i].events & EPOLLOUT)
            send_backlog(state, stream);
    }
}

static void watch(const struct hub_state *state, int descriptor)
{
    struct epoll_event event = {.events = EPOLLIN};

    if (descriptor >= 0)
        epoll_ctl(state->events, EPOLL_CTL_ADD, descriptor, &event);
}

void hub_serve(struct server *server, const struct listener *listener,
               void (*serve_one)(struct server *server, int connection))
{
    struct hub_state *state = server->hub;
    int timeout = state->hub->poll_ms ? state->hub->poll_ms : 250;
    struct epoll_event ready[READY_MAX];
    int connection;

    watch(state, listener->socket);
    watch(state, listener->leaving);
    watch(state, state->fifo);
    read_events(state);
    for (;;) {
        int count = epoll_wait(state->events, ready, READY_MAX, timeout);

        handle_ready_streams(state, ready, count < 0 ? 0 : count);
        drain_fifo(state);
        read_events(state);
        ping_idle_streams(state);
        end_streams_of_people(state);
        renew_places(state);
        drop_broken(state);
        while ((connection = listener_take(listener)) >= 0) {
            serve_one(server, connection);
            give_back(state, &state->admitted);
        }
        if (connection == LISTENER_LEAVES)
            return;
    }
}

void hub_close(struct server *server)
{
    struct hub_state *state = server->hub;

    if (!state)
        return;
    for (struct suspended *stream = state->streams; stream; stream = stream->next)
        stream->broken = true;
    drop_broken(state);
    give_back(state, &state->admitted);
    if (state->events >= 0)
        close(state->events);
    if (state->fifo >= 0)
        close(state->fifo);
    arena_destroy(state->arena);
    free(state);
    server->hub = NULL;
}
