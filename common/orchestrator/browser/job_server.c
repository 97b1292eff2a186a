/* The job queue. Does not depend on the browser. */
#include "orchestrator/browser/job_server.h"

#include "base/clock.h"
#include "base/log.h"
#include "net/local_socket.h"
#include "orchestrator/browser/messages.h"
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
    HEALTH_MAX = 65536,
    EVENTS = 16,
    TIMEOUT_MICROSECONDS = 10000000 /* for a whole message, from the connection or its first byte */
};

enum client_state { CLIENT_FREE, CLIENT_TALKS, CLIENT_QUEUED, CLIENT_RUNS, CLIENT_LISTENS };

struct job_client {
    enum client_state state;
    struct wire wire;
    struct arena *arena;
    struct browser_job job;
    uint64_t order; /* order of arrival */
    int64_t since;  /* monotonic microseconds */
    bool gone;      /* while its job runs */
};

struct job_server {
    int epoll, listener, lock;
    size_t queue_max, queued;
    uint64_t arrivals;
    const struct browser_health *(*health)(struct arena *arena, void *context);
    void *context;
    char path[sizeof((struct sockaddr_un *)0)->sun_path];
    struct job_client clients[JOB_CLIENTS_MAX];
};

static enum error lock_path(struct job_server *server, struct problem *problem)
{
    char path[sizeof server->path + 8];

    snprintf(path, sizeof path, "%s.lock", server->path);
    server->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (server->lock < 0)
        return problem_set(problem, ERROR_SYSTEM, "browser_socket", "%s: %s", path,
                           strerror(errno));
    if (flock(server->lock, LOCK_EX | LOCK_NB) != 0)
        return problem_set(problem, ERROR_BUSY, "browser_socket_taken",
                           "%s: another process serves the browser", server->path);
    return ERROR_NONE;
}

static enum error listen_at(struct job_server *server, struct problem *problem)
{
    struct epoll_event event = {.events = EPOLLIN};
    enum error error = local_socket_listen(server->path, SOCK_NONBLOCK, JOB_CLIENTS_MAX,
                                           &server->listener, problem);

    if (error)
        return error;
    server->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (server->epoll < 0 || epoll_ctl(server->epoll, EPOLL_CTL_ADD, server->listener, &event) != 0)
        return problem_set(problem, ERROR_SYSTEM, "browser_socket", "%s: %s", server->path,
                           strerror(errno));
    return ERROR_NONE;
}

enum error job_server_open(const char *path, size_t queue_max,
                           const struct browser_health *(*health)(struct arena *arena,
                                                                  void *context),
                           void *context, struct job_server **server, struct problem *problem)
{
    struct job_server *made = calloc(1, sizeof *made);
    enum error error;

    if (!made)
        return problem_set(problem, ERROR_SYSTEM, "browser_socket", "no memory");
    *made = (struct job_server){.epoll = -1,
                                .listener = -1,
                                .lock = -1,
                                .queue_max = queue_max,
                                .health = health,
                                .context = context};
    if (strlen(path) >= sizeof made->path) {
        free(made);
        return problem_set(problem, ERROR_SYSTEM, "browser_socket", "%s: too long for a socket",
                           path);
    }
    memcpy(made->path, path, strlen(path));
    error = lock_path(made, problem);
    if (!error)
        error = listen_at(made, problem);
    if (error) {
        job_server_close(made);
        return error;
    }
    *server = made;
    return ERROR_NONE;
}

static void drop(struct job_server *server, struct job_client *client)
{
    server->queued -= client->state == CLIENT_QUEUED;
    wire_close(&client->wire);
    arena_destroy(client->arena);
    *client = (struct job_client){.state = CLIENT_FREE};
}

void job_server_close(struct job_server *server)
{
    if (!server)
        return;
    for (size_t i = 0; i < JOB_CLIENTS_MAX; i++)
        if (server->clients[i].state != CLIENT_FREE)
            drop(server, &server->clients[i]);
    if (server->listener >= 0) {
        close(server->listener);
        unlink(server->path);
    }
    if (server->epoll >= 0)
        close(server->epoll);
    if (server->lock >= 0)
        close(server->lock);
    free(server);
}

int job_server_fd(const struct job_server *server)
{
    return server->epoll;
}

static void watch(const struct job_server *server, struct job_client *client, int action)
{
    struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP |
                                          (wire_is_sending(&client->wire) ? EPOLLOUT : 0),
                                .data.ptr = client};

    (void)epoll_ctl(server->epoll, action, client->wire.fd, &event);
}

static void send_message(struct job_server *server, struct job_client *client, const char *json,
                         size_t length)
{
    client->state = CLIENT_LISTENS;
    client->since = clock_monotonic_microseconds();
    if (!wire_send(&client->wire, json, length))
        drop(server, client);
    else
        watch(server, client, EPOLL_CTL_MOD);
}

static void refuse(struct job_server *server, struct job_client *client, int code,
                   const char *message)
{
    const struct browser_end end = {.status = RUN_FAILED,
                                    .failure_code = code,
                                    .failure_message = message,
                                    .details = "{\"provider\":\"web_provider\"}"};

    job_server_answer(server, client, &end);
}

/* Reads a request: a job joins the queue, other requests are answered immediately. */
static void take_message(struct job_server *server, struct job_client *client, const char *json,
                         size_t length)
{
    struct job_message *request = ARENA_NEW(client->arena, struct job_message);
    struct schema_errors errors = {.arena = client->arena};
    struct json_fault fault;
    json_t *document;

    bool asks = false, is_job = false, lists_models = false;

    if (json_read(client->arena, json, length, JSON_DEPTH_LIMIT, &document, &fault) == ERROR_NONE &&
        !schema_decode(&job_message_schema, document, "request", request, &errors, client->arena)) {
        asks = strcmp(request->act, "health") == 0;
        lists_models = strcmp(request->act, "menu") == 0;
        is_job =
            lists_models || (strcmp(request->act, "execute") == 0 && request->prompt &&
                             request->label && request->files.count == client->wire.in_file_count);
    }
    if (asks) {
        const char *health = schema_json(client->arena, HEALTH_MAX, &browser_health_schema,
                                         server->health(client->arena, server->context));

        send_message(server, client, health, strlen(health));
    } else if (!is_job) {
        drop(server, client);
    } else if (server->queued >= server->queue_max) {
        refuse(server, client, FAILURE_RATE_LIMITED, "The queue of the browser is full.");
    } else {
        client->job = (struct browser_job){
            .lists_models = lists_models,
            .prompt = request->prompt,
            .label = lists_models ? "" : request->label,
            .attachments = {request->files.count, request->files.items, client->wire.in_files},
            .reasoning = request->reasoning,
            .strict = request->strict,
            .seconds = request->seconds};
        client->order = ++server->arrivals;
        client->state = CLIENT_QUEUED;
        client->since = clock_monotonic_microseconds();
        server->queued++;
    }
}

static void serve_client(struct job_server *server, struct job_client *client)
{
    const char *json;
    size_t length;
    bool well = wire_receive(&client->wire);

    if (client->state == CLIENT_RUNS) {
        if (!well && !client->gone) {
            client->gone = true;
            (void)epoll_ctl(server->epoll, EPOLL_CTL_DEL, client->wire.fd, NULL);
        }
        return;
    }
    if (!well || !wire_flush(&client->wire)) {
        drop(server, client);
        return;
    }
    if (client->state == CLIENT_TALKS && wire_message(&client->wire, &json, &length))
        take_message(server, client, json, length);
    else if (client->state == CLIENT_LISTENS)
        watch(server, client, EPOLL_CTL_MOD);
}

/* Drops clients that neither send nor read in time. */
static void drop_slow(struct job_server *server)
{
    int64_t now = clock_monotonic_microseconds();

    for (size_t i = 0; i < JOB_CLIENTS_MAX; i++) {
        struct job_client *client = &server->clients[i];

        if ((client->state == CLIENT_TALKS || client->state == CLIENT_LISTENS) &&
            now - client->since > TIMEOUT_MICROSECONDS)
            drop(server, client);
    }
}

static void accept_clients(struct job_server *server)
{
    for (;;) {
        int fd = accept4(server->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        struct job_client *client = NULL;

        if (fd < 0)
            return;
        drop_slow(server);
        for (size_t i = 0; i < JOB_CLIENTS_MAX && !client; i++)
            if (server->clients[i].state == CLIENT_FREE)
                client = &server->clients[i];
        if (client)
            *client = (struct job_client){.state = CLIENT_TALKS,
                                          .wire = {.fd = fd},
                                          .arena = arena_create(CLIENT_MEMORY),
                                          .since = clock_monotonic_microseconds()};
        if (!client || !client->arena) {
            close(fd);
            if (client)
                client->state = CLIENT_FREE;
            continue;
        }
        watch(server, client, EPOLL_CTL_ADD);
    }
}

void job_server_wait(struct job_server *server, int milliseconds)
{
    struct epoll_event events[EVENTS];
    int count = epoll_wait(server->epoll, events, EVENTS, milliseconds);

    for (int i = 0; i < count; i++) {
        struct job_client *client = events[i].data.ptr;

        if (!client)
            accept_clients(server);
        else if (client->state != CLIENT_FREE)
            serve_client(server, client);
    }
}

void job_server_serve(struct job_server *server)
{
    job_server_wait(server, 0);
}

struct job_client *job_server_take(struct job_server *server, struct browser_job *job)
{
    struct job_client *first = NULL;

    for (size_t i = 0; i < JOB_CLIENTS_MAX; i++) {
        struct job_client *client = &server->clients[i];

        if (client->state == CLIENT_QUEUED && (!first || client->order < first->order))
            first = client;
    }
    if (!first)
        return NULL;
    server->queued--;
    first->state = CLIENT_RUNS;
    *job = first->job;
    job->seconds -= (double)(clock_monotonic_microseconds() - first->since) / 1e6;
    return first;
}

bool job_server_client_is_gone(const struct job_server *server, const struct job_client *client)
{
    (void)server;
    return client->gone;
}

void job_server_answer(struct job_server *server, struct job_client *client,
                       const struct browser_end *end)
{
    struct json_writer writer;
    struct text text;

    if (client->gone) {
        drop(server, client);
        return;
    }
    text_start(&text, client->arena, WIRE_MESSAGE_MAX);
    writer_start(&writer, &text);
    schema_write(&writer, &job_end_schema, end);
    if (text.overflowed)
        drop(server, client);
    else
        send_message(server, client, text.bytes, text.length);
}
