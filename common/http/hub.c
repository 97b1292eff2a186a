/* One process for many idle streams: an epoll over the family's socket, a bell that others ring,
 * and the connections of parked streams, which cost a few hundred bytes each. */
#include "http/hub.h"
#include "base/clock.h"
#include "base/log.h"
#include "http/http_internal.h"
#include "http/hub_internal.h"

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

enum { READY_MAX = 64, FRAME_MAX = 1024 * 1024, HUB_MEMORY_MAX = 256 * 1024 * 1024 };

/* One parked stream. */
struct place {
    struct place *next;
    int connection;
    unsigned id; /* of the FastCGI request */
    char *tenant;
    void *filter;
    int64_t after;
    int64_t quiet_since; /* monotonic microseconds */
    char *backlog;       /* what the client has not taken yet */
    size_t backlog_length;
    bool watched; /* for room to write */
    bool broken;
};

struct hub_state {
    struct server *server;
    const struct hub *hub;
    struct arena *arena; /* of one turn */
    int events;          /* the epoll */
    int bell;
    int64_t sequence;
    bool knows_sequence;
    struct place *places;
    size_t count;
    /* What hub_park() leaves for the loop. */
    struct place *parked;
};

static size_t backlog_max(const struct hub_state *state)
{
    return state->hub->backlog_max ? state->hub->backlog_max : (size_t)1 << 20;
}

static const char *bell_path(char path[PATH_MAX], const char *run_directory, const char *service)
{
    return snprintf(path, PATH_MAX, "%s/%s-hub.bell", run_directory, service) < PATH_MAX ? path
                                                                                         : NULL;
}

/* A named pipe: whoever has something new writes a byte, and nothing is lost when nobody listens.
 */
static int open_bell(const char *run_directory, const char *service)
{
    char path[PATH_MAX];

    if (!run_directory || !bell_path(path, run_directory, service) ||
        (mkfifo(path, 0600) != 0 && errno != EEXIST))
        return -1;
    return open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
}

void hub_ring(const char *run_directory, const char *service)
{
    char path[PATH_MAX];
    int bell;

    if (!run_directory || !bell_path(path, run_directory, service))
        return;
    bell = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    if (bell < 0)
        return;
    (void)!write(bell, "!", 1);
    close(bell);
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
    state->bell = open_bell(run_directory, server->family->service->name);
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

    for (const struct place *place = state ? state->places : NULL; place; place = place->next)
        count += !place->broken && (!tenant || strcmp(place->tenant, tenant) == 0);
    return count;
}

int64_t hub_sequence(const struct request *request)
{
    const struct hub_state *state = request->server->hub;

    return state ? state->sequence : 0;
}

static void free_place(struct place *place)
{
    free(place->tenant);
    free(place->filter);
    free(place->backlog);
    free(place);
}

enum error hub_park(struct stream *stream, const char *tenant, int64_t after, const void *filter,
                    size_t filter_size)
{
    struct request *request = stream->request;
    struct hub_state *state = request->server->hub;
    size_t most = state->hub->streams_max ? state->hub->streams_max : 1000;
    struct place *place = calloc(1, sizeof *place);

    if (place) {
        place->tenant = strdup(tenant ? tenant : "");
        place->filter = filter_size ? malloc(filter_size) : NULL;
    }
    if (!place || !place->tenant || (filter_size && !place->filter) || state->count >= most) {
        if (place)
            free_place(place);
        return problem_set(&request->problem, ERROR_BUSY, "hub_full",
                           "no more streams can be served now");
    }
    if (filter_size)
        memcpy(place->filter, filter, filter_size);
    place->after = after;
    place->quiet_since = clock_monotonic_microseconds();
    state->parked = place;
    request->server->serving->parked = true;
    return ERROR_NONE;
}

/* Takes the connection of the request that was just served over from the transport. */
void hub_adopt(struct server *server, int connection, unsigned id)
{
    struct hub_state *state = server->hub;
    struct place *place = state->parked;
    struct epoll_event event = {.events = EPOLLRDHUP, .data.ptr = place};

    state->parked = NULL;
    place->connection = connection;
    place->id = id;
    place->next = state->places;
    state->places = place;
    state->count++;
    place->broken = epoll_ctl(state->events, EPOLL_CTL_ADD, connection, &event) != 0;
}

static void watch_for_room(const struct hub_state *state, struct place *place, bool wanted)
{
    struct epoll_event event = {.events = EPOLLRDHUP | (wanted ? EPOLLOUT : 0), .data.ptr = place};

    if (place->watched != wanted)
        epoll_ctl(state->events, EPOLL_CTL_MOD, place->connection, &event);
    place->watched = wanted;
}

/* As much as the socket takes; the number of bytes. */
static size_t push(struct place *place, const char *bytes, size_t length)
{
    size_t sent = 0;

    while (sent < length && !place->broken) {
        ssize_t count =
            send(place->connection, bytes + sent, length - sent, MSG_NOSIGNAL | MSG_DONTWAIT);

        if (count > 0)
            sent += (size_t)count;
        else if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            break;
        else if (count < 0 && errno != EINTR)
            place->broken = true;
    }
    return sent;
}

static void keep(const struct hub_state *state, struct place *place, const char *bytes,
                 size_t length)
{
    char *larger;

    if (!length || place->broken)
        return;
    larger = place->backlog_length + length <= backlog_max(state)
                 ? realloc(place->backlog, place->backlog_length + length)
                 : NULL;
    if (!larger) {
        log_event(LOG_INFO, "slow_stream_closed", place->tenant);
        place->broken = true;
        return;
    }
    memcpy(larger + place->backlog_length, bytes, length);
    place->backlog = larger;
    place->backlog_length += length;
    watch_for_room(state, place, true);
}

static void send_bytes(const struct hub_state *state, struct place *place, const char *bytes,
                       size_t length)
{
    size_t sent = place->backlog_length ? 0 : push(place, bytes, length);

    keep(state, place, bytes + sent, length - sent);
}

static void send_backlog(const struct hub_state *state, struct place *place)
{
    size_t sent = push(place, place->backlog, place->backlog_length);

    memmove(place->backlog, place->backlog + sent, place->backlog_length - sent);
    place->backlog_length -= sent;
    if (place->backlog_length)
        return;
    free(place->backlog);
    place->backlog = NULL;
    watch_for_room(state, place, false);
}

/* A frame in records of the protocol, for one stream. */
static void send_frame(const struct hub_state *state, struct place *place, const char *frame,
                       size_t length)
{
    enum { CONTENT_MAX = 65528 };

    while (length && !place->broken) {
        size_t part = length < CONTENT_MAX ? length : CONTENT_MAX;
        unsigned char header[8] = {1,
                                   6,
                                   (unsigned char)(place->id >> 8),
                                   (unsigned char)place->id,
                                   (unsigned char)(part >> 8),
                                   (unsigned char)part};

        send_bytes(state, place, (const char *)header, sizeof header);
        send_bytes(state, place, frame, part);
        frame += part;
        length -= part;
    }
    place->quiet_since = clock_monotonic_microseconds();
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

static void hand_out(struct hub_state *state, const struct hub_event *event)
{
    const char *frame = NULL;
    size_t length = 0;

    for (struct place *place = state->places; place; place = place->next) {
        if (place->broken || place->after >= event->sequence ||
            strcmp(place->tenant, event->tenant) != 0 ||
            (state->hub->wants && !state->hub->wants(event, place->filter)))
            continue;
        if (!frame)
            frame = frame_of(state->arena, event, &length);
        if (frame)
            send_frame(state, place, frame, length);
        place->after = event->sequence;
    }
}

static void empty_bell(const struct hub_state *state)
{
    char bytes[256];

    while (state->bell >= 0 && read(state->bell, bytes, sizeof bytes) > 0)
        continue;
}

/* Hands out what is new, batch by batch. */
static enum error hand_out_news(struct hub_state *state, struct problem *problem)
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
            hand_out(state, &events[i]);
            state->sequence = events[i].sequence;
        }
    } while (!error && count == HUB_EVENTS_MAX);
    return error;
}

/* What cannot be read now, or finds no memory, is read at the next turn. */
static void look_for_news(struct hub_state *state)
{
    struct problem problem = {0};
    jmp_buf exhausted;

    if (setjmp(exhausted) == 0) {
        arena_on_exhausted(state->arena, &exhausted);
        if (hand_out_news(state, &problem))
            log_event(LOG_WARNING, "hub_cannot_read", problem.text);
    } else {
        log_event(LOG_ERROR, "hub_memory_exhausted", NULL);
    }
    arena_on_exhausted(state->arena, NULL);
    if (state->server->family->service->after_turn)
        state->server->family->service->after_turn(state->server);
}

static void ping_the_quiet(struct hub_state *state)
{
    int seconds = state->hub->ping_seconds ? state->hub->ping_seconds : 15;
    int64_t until = clock_monotonic_microseconds() - seconds * (int64_t)1000000;
    char comment[64];
    int length = snprintf(comment, sizeof comment, ": %s\n\n",
                          state->hub->ping ? state->hub->ping : "keepalive");

    for (struct place *place = state->places; place; place = place->next)
        if (!place->broken && place->quiet_since < until)
            send_frame(state, place, comment, (size_t)length);
}

static void drop_broken(struct hub_state *state)
{
    struct place **at = &state->places;

    while (*at) {
        struct place *place = *at;

        if (!place->broken) {
            at = &place->next;
            continue;
        }
        *at = place->next;
        close(place->connection);
        free_place(place);
        state->count--;
    }
}

static void look_at_streams(struct hub_state *state, const struct epoll_event *ready, int count)
{
    for (int i = 0; i < count; i++) {
        struct place *place = ready[i].data.ptr;

        if (!place || (void *)place == (void *)state)
            continue;
        if (ready[i].events & (EPOLLHUP | EPOLLERR | EPOLLRDHUP))
            place->broken = true;
        else if (ready[i].events & EPOLLOUT)
            send_backlog(state, place);
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
    watch(state, state->bell);
    look_for_news(state);
    for (;;) {
        int count = epoll_wait(state->events, ready, READY_MAX, timeout);

        look_at_streams(state, ready, count < 0 ? 0 : count);
        empty_bell(state);
        look_for_news(state);
        ping_the_quiet(state);
        drop_broken(state);
        while ((connection = listener_take(listener)) >= 0)
            serve_one(server, connection);
        if (connection == LISTENER_LEAVES)
            return;
    }
}

void hub_close(struct server *server)
{
    struct hub_state *state = server->hub;

    if (!state)
        return;
    for (struct place *place = state->places; place; place = place->next)
        place->broken = true;
    drop_broken(state);
    if (state->events >= 0)
        close(state->events);
    if (state->bell >= 0)
        close(state->bell);
    arena_destroy(state->arena);
    free(state);
    server->hub = NULL;
}
