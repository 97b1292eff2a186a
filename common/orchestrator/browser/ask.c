/* Calls of a worker to the browser's process. */
#include "orchestrator/browser/ask.h"

#include "base/clock.h"
#include "net/local_socket.h"
#include "orchestrator/browser/messages.h"
#include "orchestrator/browser/wire.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CALL_MEMORY = 128 << 20, MENU_DEPTH = 2 };

const char *browser_socket(struct arena *arena, const char *run_directory)
{
    return arena_print(arena, "%s/orch-browserd.sock", run_directory);
}

static bool connect_to(struct wire *wire, struct arena *arena, const char *run_directory)
{
    const char *path = run_directory ? browser_socket(arena, run_directory) : "";

    *wire = (struct wire){.fd = local_socket_connect(path, SOCK_NONBLOCK)};
    return wire->fd >= 0;
}

bool browser_call_begin(struct wire *call, const char *run_directory, const struct browser_job *job)
{
    const struct job_message message = {
        .act = "execute",
        .prompt = job->prompt,
        .label = job->label,
        .reasoning = job->reasoning,
        .strict = job->strict,
        .seconds = job->seconds,
        .files = {job->attachments.count, (const char **)(uintptr_t)job->attachments.names}};
    struct arena *arena = arena_create(CALL_MEMORY);
    struct json_writer writer;
    struct text text;
    bool sent = false;

    *call = (struct wire){.fd = -1};
    if (!arena)
        return false;
    text_start(&text, arena, WIRE_MESSAGE_MAX);
    writer_start(&writer, &text);
    schema_write(&writer, &job_message_schema, &message);
    if (!text.overflowed && connect_to(call, arena, run_directory))
        sent = wire_attach(call, job->attachments.files, job->attachments.count) &&
               wire_send(call, text.bytes, text.length);
    if (!sent)
        wire_close(call);
    arena_destroy(arena);
    return sent;
}

short browser_call_events(const struct wire *call)
{
    return wire_is_sending(call) ? POLLIN | POLLOUT : POLLIN;
}

/* The message in *wire, once it is whole. */
static enum browser_reply receive(struct wire *wire, struct arena *arena, json_t **document)
{
    bool well = wire_flush(wire) && wire_receive(wire);
    struct json_fault fault;
    const char *json;
    size_t length;

    if (!wire_message(wire, &json, &length))
        return well ? BROWSER_REPLY_PENDING : BROWSER_REPLY_LOST;
    return json_read(arena, json, length, JSON_DEPTH_LIMIT, document, &fault) == ERROR_NONE
               ? BROWSER_REPLY_RECEIVED
               : BROWSER_REPLY_LOST;
}

static bool read_end(struct arena *arena, const json_t *document, struct browser_end *end)
{
    struct schema_errors errors = {.arena = arena};

    *end = (struct browser_end){0};
    return !schema_decode(&job_end_schema, document, "end", end, &errors, arena);
}

enum browser_reply browser_call_poll(struct wire *call, struct arena *arena,
                                     struct browser_end *end)
{
    json_t *document = NULL;
    enum browser_reply state = call->fd < 0 ? BROWSER_REPLY_LOST : receive(call, arena, &document);

    if (state == BROWSER_REPLY_RECEIVED && !read_end(arena, document, end))
        return BROWSER_REPLY_LOST;
    return state;
}

/* The answer of the browser's process within so many seconds; NULL = none. */
static json_t *ask(struct arena *arena, const char *run_directory,
                   const struct job_message *question, double seconds)
{
    const char *json = schema_json(arena, WIRE_MESSAGE_MAX, &job_message_schema, question);
    int64_t until = clock_monotonic_microseconds() + (int64_t)(seconds * 1e6);
    enum browser_reply state = BROWSER_REPLY_PENDING;
    json_t *document = NULL;
    struct wire wire;

    if (!connect_to(&wire, arena, run_directory))
        return NULL;
    if (!wire_send(&wire, json, strlen(json)))
        state = BROWSER_REPLY_LOST;
    while (state == BROWSER_REPLY_PENDING) {
        int64_t left = until - clock_monotonic_microseconds();
        struct pollfd wait = {.fd = wire.fd, .events = POLLIN};

        if (left <= 0 || poll(&wait, 1, (int)(left / 1000 + 1)) < 0)
            break;
        state = receive(&wire, arena, &document);
    }
    wire_close(&wire);
    return state == BROWSER_REPLY_RECEIVED ? document : NULL;
}

const struct browser_health *browser_ask_health(struct arena *arena, const char *run_directory,
                                                double seconds)
{
    struct browser_health *health = ARENA_NEW(arena, struct browser_health);
    struct schema_errors errors = {.arena = arena};
    const json_t *answer =
        ask(arena, run_directory, &(struct job_message){.act = "health"}, seconds);

    return answer &&
                   !schema_decode(&browser_health_schema, answer, "health", health, &errors, arena)
               ? health
               : NULL;
}

const char *browser_ask_model_list(struct arena *arena, const char *run_directory, double seconds,
                                   struct string_list *labels)
{
    const json_t *answer = ask(arena, run_directory,
                               &(struct job_message){.act = "menu", .seconds = seconds}, seconds);
    struct browser_end end = {0};
    struct json_fault fault;
    json_t *lines = NULL;

    if (!answer)
        return "The browser's process (orch-browserd) does not answer.";
    if (!read_end(arena, answer, &end) || !end.text ||
        json_read(arena, end.text, strlen(end.text), MENU_DEPTH, &lines, &fault))
        return end.failure_message ? end.failure_message : "The menu of models was not read.";
    *labels =
        (struct string_list){.items = ARENA_ARRAY(arena, const char *, json_array_size(lines))};
    for (size_t i = 0; i < json_array_size(lines); i++)
        labels->items[labels->count++] = json_string_value(json_array_get(lines, i));
    return labels->count ? NULL : "The menu of models is empty.";
}
