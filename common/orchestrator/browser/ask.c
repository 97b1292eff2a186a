/* The one call of a worker to the browser's process. */
#include "orchestrator/browser/ask.h"

#include "base/clock.h"
#include "orchestrator/browser/wire.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { ASK_MEMORY = 128 << 20, MENU_DEPTH = 2 };

static struct wire call = {.fd = -1};

const char *browser_socket(struct arena *arena, const char *run_directory)
{
    return arena_print(arena, "%s/orch-browserd.sock", run_directory);
}

static bool connect_to(struct wire *wire, struct arena *arena, const char *run_directory)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const char *path = run_directory ? browser_socket(arena, run_directory) : "";

    if (!*path || strlen(path) >= sizeof address.sun_path)
        return false;
    memcpy(address.sun_path, path, strlen(path));
    *wire = (struct wire){.fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
    if (wire->fd >= 0 && connect(wire->fd, (const struct sockaddr *)&address, sizeof address) == 0)
        return true;
    wire_close(wire);
    return false;
}

bool browser_call_begin(const char *run_directory, const struct browser_job *job)
{
    struct arena *arena = arena_create(ASK_MEMORY);
    struct json_writer writer;
    struct text text;
    bool sent = false;

    browser_call_end();
    if (!arena)
        return false;
    text_start(&text, arena, WIRE_MESSAGE_MAX);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    writer_key_string(&writer, "act", "execute");
    writer_key_string(&writer, "prompt", job->prompt);
    writer_key_string(&writer, "label", job->label);
    writer_key_boolean(&writer, "reasoning", job->reasoning);
    writer_key_boolean(&writer, "strict", job->strict);
    writer_key_number(&writer, "seconds", job->seconds);
    writer_key(&writer, "files");
    writer_open_array(&writer);
    for (size_t i = 0; i < job->attachments.count; i++)
        writer_string(&writer, job->attachments.names[i]);
    writer_close_array(&writer);
    writer_close_object(&writer);
    if (!text.overflowed && connect_to(&call, arena, run_directory))
        sent = wire_attach(&call, job->attachments.files, job->attachments.count) &&
               wire_send(&call, text.bytes, text.length);
    if (!sent)
        browser_call_end();
    arena_destroy(arena);
    return sent;
}

int browser_call_fd(void)
{
    return call.fd;
}

short browser_call_events(void)
{
    return wire_is_sending(&call) ? POLLIN | POLLOUT : POLLIN;
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

static const char *text_in(const json_t *document, const char *key)
{
    return json_string_value(json_object_get(document, key));
}

enum browser_reply browser_call_poll(struct arena *arena, struct browser_end *end)
{
    json_t *document = NULL;
    enum browser_reply state = call.fd < 0 ? BROWSER_REPLY_LOST : receive(&call, arena, &document);
    struct json_writer writer;
    struct text details;

    if (state != BROWSER_REPLY_RECEIVED)
        return state;
    text_start(&details, arena, WIRE_MESSAGE_MAX);
    writer_start(&writer, &details);
    writer_value(&writer, json_object_get(document, "details"));
    *end = (struct browser_end){
        .status = name_find(run_status_names, text_in(document, "status")),
        .failure_code = name_find(failure_code_names, text_in(document, "failure_code")),
        .message = text_in(document, "failure_message"),
        .text = text_in(document, "text"),
        .details = details.bytes};
    return BROWSER_REPLY_RECEIVED;
}

void browser_call_end(void)
{
    wire_close(&call);
}

/* What the browser's process answers to a question within so many seconds; NULL = nothing. */
static json_t *ask(struct arena *arena, const char *run_directory, const char *question,
                   double seconds)
{
    int64_t until = clock_monotonic_microseconds() + (int64_t)(seconds * 1e6);
    enum browser_reply state = BROWSER_REPLY_PENDING;
    json_t *document = NULL;
    struct wire wire;

    if (!connect_to(&wire, arena, run_directory))
        return NULL;
    if (!wire_send(&wire, question, strlen(question)))
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

json_t *browser_ask_health(struct arena *arena, const char *run_directory, double seconds)
{
    return ask(arena, run_directory, "{\"act\":\"health\"}", seconds);
}

const char *browser_ask_model_list(struct arena *arena, const char *run_directory, double seconds,
                                   struct string_list *labels)
{
    const json_t *answer =
        ask(arena, run_directory,
            arena_print(arena, "{\"act\":\"menu\",\"seconds\":%.3f}", seconds), seconds);
    const char *text = text_in(answer, "text"), *message = text_in(answer, "failure_message");
    struct json_fault fault;
    json_t *lines = NULL;

    if (!answer)
        return "The browser's process (orch-browserd) does not answer.";
    if (!text || json_read(arena, text, strlen(text), MENU_DEPTH, &lines, &fault))
        return message ? message : "The menu of models was not read.";
    *labels =
        (struct string_list){.items = ARENA_ARRAY(arena, const char *, json_array_size(lines))};
    for (size_t i = 0; i < json_array_size(lines); i++)
        labels->items[labels->count++] = json_string_value(json_array_get(lines, i));
    return labels->count ? NULL : "The menu of models is empty.";
}
