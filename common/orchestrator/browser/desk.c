/* The queue of jobs. Must not know the browser. */
#include "orchestrator/browser/desk.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/schema.h"
#include "orchestrator/browser/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum {
    CLIENT_MEMORY = 128 << 20,
    ANSWER_MAX = WIRE_MESSAGE_MAX,
    EVENTS = 16,
    PATIENCE_MICROSECONDS = 10000000 /* for a message, from its first byte or before */
};

enum client_state { CLIENT_FREE, CLIENT_TALKS, CLIENT_QUEUED, CLIENT_RUNS, CLIENT_LISTENS };

struct browser_client {
    enum client_state state;
    struct wire wire;
    struct arena *arena;
    struct browser_job job;
    uint64_t order; /* of arrival */
    int64_t since;  /* monotonic microseconds */
    bool gone;      /* while its job runs */
};

struct browser_desk {
    int epoll, listener, lock;
    size_t queue_max, queued;
    uint64_t arrivals;
    const char *(*health)(struct arena *arena, void *context);
    void *context;
    char path[sizeof((struct sockaddr_un *)0)->sun_path];
    struct browser_client clients[DESK_CLIENTS_MAX];
};

struct request {
    const char *act;
    const char *prompt, *label;
    bool reasoning, strict;
    double seconds;
    struct string_list files;
};

#define OWNER struct request
static const struct field request_fields[] = {
    STRING(OWNER, act, .required = true, .max_length = 20),
    STRING(OWNER, prompt, .nullable = true, .max_length = 8 << 20),
    STRING(OWNER, label, .nullable = true, .max_length = DRIVER_LABEL_MAX - 1),
    BOOLEAN(OWNER, reasoning, .preset = 0),
    BOOLEAN(OWNER, strict, .preset = 0),
    NUMBER(OWNER, seconds, .preset = 0),
    STRINGS(OWNER, files, .max_length = WIRE_FILES_MAX),
};
#undef OWNER
static SCHEMA(request_schema, struct request, "BrowserRequest", request_fields);

static enum error lock_path(struct browser_desk *desk, struct problem *problem)
{
    char path[sizeof desk->path + 8];

    snprintf(path, sizeof path, "%s.lock", desk->path);
    desk->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (desk->lock < 0)
        return problem_set(problem, ERROR_SYSTEM, "desk", "%s: %s", path, strerror(errno));
    if (flock(desk->lock, LOCK_EX | LOCK_NB) != 0)
        return problem_set(problem, ERROR_BUSY, "desk_taken",
                           "%s: another process serves the browser", desk->path);
    return ERROR_NONE;
}

static enum error listen_at(struct browser_desk *desk, struct problem *problem)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct epoll_event event = {.events = EPOLLIN};
    mode_t mask;
    bool bound;

    memcpy(address.sun_path, desk->path, sizeof address.sun_path);
    unlink(desk->path);
    desk->epoll = epoll_create1(EPOLL_CLOEXEC);
    desk->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    mask = umask(0177);
    bound = desk->listener >= 0 &&
            bind(desk->listener, (const struct sockaddr *)&address, sizeof address) == 0;
    umask(mask);
    if (desk->epoll < 0 || !bound || listen(desk->listener, DESK_CLIENTS_MAX) != 0 ||
        epoll_ctl(desk->epoll, EPOLL_CTL_ADD, desk->listener, &event) != 0)
        return problem_set(problem, ERROR_SYSTEM, "desk", "%s: %s", desk->path, strerror(errno));
    return ERROR_NONE;
}

enum error browser_desk_open(const char *path, size_t queue_max,
                             const char *(*health)(struct arena *arena, void *context),
                             void *context, struct browser_desk **desk, struct problem *problem)
{
    struct browser_desk *made = calloc(1, sizeof *made);
    enum error error;

    if (!made)
        return problem_set(problem, ERROR_SYSTEM, "desk", "no memory");
    *made = (struct browser_desk){.epoll = -1,
                                  .listener = -1,
                                  .lock = -1,
                                  .queue_max = queue_max,
                                  .health = health,
                                  .context = context};
    if (strlen(path) >= sizeof made->path) {
        free(made);
        return problem_set(problem, ERROR_SYSTEM, "desk", "%s: too long for a socket", path);
    }
    memcpy(made->path, path, strlen(path));
    error = lock_path(made, problem);
    if (!error)
        error = listen_at(made, problem);
    if (error) {
        browser_desk_close(made);
        return error;
    }
    *desk = made;
    return ERROR_NONE;
}

static void drop(struct browser_desk *desk, struct browser_client *client)
{
    desk->queued -= client->state == CLIENT_QUEUED;
    wire_end(&client->wire);
    arena_destroy(client->arena);
    *client = (struct browser_client){.state = CLIENT_FREE};
}

void browser_desk_close(struct browser_desk *desk)
{
    if (!desk)
        return;
    for (size_t i = 0; i < DESK_CLIENTS_MAX; i++)
        if (desk->clients[i].state != CLIENT_FREE)
            drop(desk, &desk->clients[i]);
    if (desk->listener >= 0) {
        close(desk->listener);
        unlink(desk->path);
    }
    if (desk->epoll >= 0)
        close(desk->epoll);
    if (desk->lock >= 0)
        close(desk->lock);
    free(desk);
}

int browser_desk_fd(const struct browser_desk *desk)
{
    return desk->epoll;
}

static void watch(const struct browser_desk *desk, struct browser_client *client, int action)
{
    struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP |
                                          (wire_is_pushing(&client->wire) ? EPOLLOUT : 0),
                                .data.ptr = client};

    (void)epoll_ctl(desk->epoll, action, client->wire.fd, &event);
}

static void say(struct browser_desk *desk, struct browser_client *client, const char *json,
                size_t length)
{
    client->state = CLIENT_LISTENS;
    client->since = clock_monotonic_microseconds();
    if (!wire_say(&client->wire, json, length))
        drop(desk, client);
    else
        watch(desk, client, EPOLL_CTL_MOD);
}

static void refuse(struct browser_desk *desk, struct browser_client *client, int code,
                   const char *message)
{
    const struct browser_end end = {.status = RUN_FAILED,
                                    .failure_code = code,
                                    .message = message,
                                    .details = "{\"provider\":\"web_provider\"}"};

    browser_desk_answer(desk, client, &end);
}

/* Reads what is wanted: a job joins the queue, a question is answered at once. */
static void take_message(struct browser_desk *desk, struct browser_client *client, const char *json,
                         size_t length)
{
    struct request *request = ARENA_NEW(client->arena, struct request);
    struct schema_errors errors = {.arena = client->arena};
    struct json_fault fault;
    json_t *document;

    bool asks = false, hands_in = false, reads_menu = false;

    if (json_read(client->arena, json, length, JSON_DEPTH_LIMIT, &document, &fault) == ERROR_NONE &&
        !schema_decode(&request_schema, document, "request", request, &errors, client->arena)) {
        asks = strcmp(request->act, "health") == 0;
        reads_menu = strcmp(request->act, "menu") == 0;
        hands_in =
            reads_menu || (strcmp(request->act, "execute") == 0 && request->prompt &&
                           request->label && request->files.count == client->wire.in_file_count);
    }
    if (asks) {
        const char *health = desk->health(client->arena, desk->context);

        say(desk, client, health, strlen(health));
    } else if (!hands_in) {
        drop(desk, client);
    } else if (desk->queued >= desk->queue_max) {
        refuse(desk, client, FAILURE_RATE_LIMITED, "The queue of the browser is full.");
    } else {
        client->job = (struct browser_job){
            .reads_menu = reads_menu,
            .prompt = request->prompt,
            .label = reads_menu ? "" : request->label,
            .attachments = {request->files.count, request->files.items, client->wire.in_files},
            .reasoning = request->reasoning,
            .strict = request->strict,
            .seconds = request->seconds};
        client->order = ++desk->arrivals;
        client->state = CLIENT_QUEUED;
        client->since = clock_monotonic_microseconds();
        desk->queued++;
    }
}

static void serve_client(struct browser_desk *desk, struct browser_client *client)
{
    const char *json;
    size_t length;
    bool well = wire_pull(&client->wire);

    if (client->state == CLIENT_RUNS) {
        if (!well && !client->gone) {
            client->gone = true;
            (void)epoll_ctl(desk->epoll, EPOLL_CTL_DEL, client->wire.fd, NULL);
        }
        return;
    }
    if (!well || !wire_push(&client->wire)) {
        drop(desk, client);
        return;
    }
    if (client->state == CLIENT_TALKS && wire_heard(&client->wire, &json, &length))
        take_message(desk, client, json, length);
    else if (client->state == CLIENT_LISTENS)
        watch(desk, client, EPOLL_CTL_MOD);
}

/* Those who neither ask nor read make room for others. */
static void drop_slow(struct browser_desk *desk)
{
    int64_t now = clock_monotonic_microseconds();

    for (size_t i = 0; i < DESK_CLIENTS_MAX; i++) {
        struct browser_client *client = &desk->clients[i];

        if ((client->state == CLIENT_TALKS || client->state == CLIENT_LISTENS) &&
            now - client->since > PATIENCE_MICROSECONDS)
            drop(desk, client);
    }
}

static void take_in(struct browser_desk *desk)
{
    for (;;) {
        int fd = accept4(desk->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        struct browser_client *client = NULL;

        if (fd < 0)
            return;
        drop_slow(desk);
        for (size_t i = 0; i < DESK_CLIENTS_MAX && !client; i++)
            if (desk->clients[i].state == CLIENT_FREE)
                client = &desk->clients[i];
        if (client)
            *client = (struct browser_client){.state = CLIENT_TALKS,
                                              .wire = {.fd = fd},
                                              .arena = arena_create(CLIENT_MEMORY),
                                              .since = clock_monotonic_microseconds()};
        if (!client || !client->arena) {
            close(fd);
            if (client)
                client->state = CLIENT_FREE;
            continue;
        }
        watch(desk, client, EPOLL_CTL_ADD);
    }
}

void browser_desk_wait(struct browser_desk *desk, int milliseconds)
{
    struct epoll_event events[EVENTS];
    int count = epoll_wait(desk->epoll, events, EVENTS, milliseconds);

    for (int i = 0; i < count; i++) {
        struct browser_client *client = events[i].data.ptr;

        if (!client)
            take_in(desk);
        else if (client->state != CLIENT_FREE)
            serve_client(desk, client);
    }
}

void browser_desk_serve(struct browser_desk *desk)
{
    browser_desk_wait(desk, 0);
}

struct browser_client *browser_desk_take(struct browser_desk *desk, struct browser_job *job)
{
    struct browser_client *first = NULL;

    for (size_t i = 0; i < DESK_CLIENTS_MAX; i++) {
        struct browser_client *client = &desk->clients[i];

        if (client->state == CLIENT_QUEUED && (!first || client->order < first->order))
            first = client;
    }
    if (!first)
        return NULL;
    desk->queued--;
    first->state = CLIENT_RUNS;
    *job = first->job;
    job->seconds -= (double)(clock_monotonic_microseconds() - first->since) / 1e6;
    return first;
}

bool browser_desk_client_is_gone(const struct browser_desk *desk,
                                 const struct browser_client *client)
{
    (void)desk;
    return client->gone;
}

void browser_desk_answer(struct browser_desk *desk, struct browser_client *client,
                         const struct browser_end *end)
{
    struct json_writer writer;
    struct text text;

    if (client->gone) {
        drop(desk, client);
        return;
    }
    text_start(&text, client->arena, ANSWER_MAX);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    writer_key_string(&writer, "status", run_status_names[end->status]);
    writer_key_string(&writer, "failure_code", failure_name(end->failure_code));
    writer_key_string(&writer, "failure_message", end->message);
    writer_key_string(&writer, "text", end->text);
    writer_key(&writer, "details");
    writer_raw(&writer, end->details);
    writer_close_object(&writer);
    if (text.overflowed)
        drop(desk, client);
    else
        say(desk, client, text.bytes, text.length);
}
