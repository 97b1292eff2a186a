/* Server-sent events (the HTML standard, section 9.2) and NDJSON over the transport of a request.
 */
#include "http/stream.h"
#include "http/http_internal.h"
#include "shm/watch.h"

#include <string.h>

static const char *const media_types[] = {
    [STREAM_EVENTS] = "text/event-stream", [STREAM_LINES] = "application/x-ndjson"};

enum { UNSENT_MAX = 16 * 1024 /* bytes of an event that are gathered for one write */ };

static enum error open_stream(struct request *request, struct reply *reply, enum stream_kind kind,
                              bool with_first, struct stream *stream)
{
    struct serving *serving = serving_of(request);
    struct exchange *exchange = request->exchange;

    text_start(&serving->unsent, request->arena, UNSENT_MAX);
    serving->head_waiting = 0;
    *stream = (struct stream){.request = request, .kind = kind};
    if (!exchange->append)
        return problem_set(&request->problem, ERROR_UNAVAILABLE, "stream_unsupported",
                           "this stream needs a responder that stays (FastCGI)");
    if (request_gone(request))
        return problem_set(&request->problem, ERROR_UNAVAILABLE, "client_gone",
                           "the client has left");
    if (kind != STREAM_BYTES)
        reply->content_type = media_types[kind];
    reply_add_header(reply, "X-Accel-Buffering", "no");
    serving->stream_begins = true;
    compose_head(serving, -1);
    if (with_first && request->method != METHOD_HEAD && serving->head.length < UNSENT_MAX) {
        /* May run out of memory: then no stream has begun. */
        text_append(&serving->unsent, serving->head.bytes, serving->head.length);
        serving->head_waiting = serving->head.length;
        request->streaming = true;
        return ERROR_NONE;
    }
    request->streaming = true;
    stream->broken =
        !exchange->append(exchange->transport, serving->head.bytes, serving->head.length);
    return ERROR_NONE;
}

enum error stream_open(struct request *request, struct reply *reply, enum stream_kind kind,
                       struct stream *stream)
{
    return open_stream(request, reply, kind, false, stream);
}

enum error stream_open_with_first(struct request *request, struct reply *reply,
                                  enum stream_kind kind, struct stream *stream)
{
    return open_stream(request, reply, kind, kind != STREAM_BYTES, stream);
}

/* Sends a head that no event has followed. */
static void send_waiting_head(struct serving *serving)
{
    const struct exchange *exchange = serving->exchange;

    if (serving->head_waiting)
        (void)exchange->append(exchange->transport, serving->unsent.bytes, serving->head_waiting);
    serving->head_waiting = 0;
}

static void send_bytes(struct stream *stream, const char *bytes, size_t length)
{
    struct exchange *exchange = stream->request->exchange;
    struct serving *serving = serving_of(stream->request);

    if (stream->broken || !length || stream->request->method == METHOD_HEAD)
        return;
    serving->streamed += length - serving->head_waiting;
    serving->head_waiting = 0;
    watch_limit(stream->request->server->region, stream->request->server->watch,
                stream->request->server->limit); /* limits its silence, not its length */
    stream->broken = !exchange->append(exchange->transport, bytes, length);
}

static void flush(struct stream *stream)
{
    struct text *unsent = &serving_of(stream->request)->unsent;

    send_bytes(stream, unsent->bytes, unsent->length);
    text_cut(unsent, 0);
}

static void append(struct stream *stream, const char *bytes, size_t length)
{
    struct text *unsent = &serving_of(stream->request)->unsent;

    if (length > UNSENT_MAX - unsent->length)
        flush(stream);
    if (length > UNSENT_MAX)
        send_bytes(stream, bytes, length);
    else
        text_append(unsent, bytes, length);
}

static void append_string(struct stream *stream, const char *string)
{
    append(stream, string, strlen(string));
}

/* Each line of `data` with its prefix: a line end inside would begin another field. */
static void append_data(struct stream *stream, const char *data)
{
    do {
        size_t length = strcspn(data, "\r\n");

        append_string(stream, "data: ");
        append(stream, data, length);
        append_string(stream, "\n");
        data += length;
        data += *data == '\r' && data[1] == '\n' ? 2 : *data != '\0';
    } while (*data);
}

/* A field of one line; a value with a line end is left out. */
static void append_field(struct stream *stream, const char *name, const char *value)
{
    if (!value || strpbrk(value, "\r\n"))
        return;
    append_string(stream, name);
    append_string(stream, value);
    append_string(stream, "\n");
}

bool stream_event(struct stream *stream, const char *name, const char *id, const char *data)
{
    append_field(stream, "id: ", id);
    append_field(stream, "event: ", name);
    append_data(stream, data);
    append_string(stream, "\n");
    flush(stream);
    return !stream->broken;
}

bool stream_bytes(struct stream *stream, const char *bytes, size_t length)
{
    send_bytes(stream, bytes, length);
    return !stream->broken;
}

bool stream_ping(struct stream *stream, const char *word)
{
    append_string(stream, ": ");
    append_string(stream, word);
    append_string(stream, "\n\n");
    flush(stream);
    return !stream->broken;
}

bool stream_gone(struct stream *stream)
{
    stream->broken = stream->broken || request_gone(stream->request);
    return stream->broken;
}

void stream_abandon(struct serving *serving)
{
    send_waiting_head(serving);
    if (serving->exchange->end && !serving->stream_ended && !serving->suspended)
        serving->exchange->end(serving->exchange->transport);
    serving->stream_ended = true;
}

void stream_break(struct serving *serving)
{
    static const char events[] = "event: error\ndata: {\"type\":\"error\",\"detail\":\"Internal "
                                 "server error\",\"text\":\"Internal server error\"}\n\n";
    static const char line[] = "{\"type\":\"error\",\"detail\":\"Internal server error\"}\n";
    const char *last =
        strcmp(serving->reply.content_type, media_types[STREAM_LINES]) == 0 ? line : events;
    struct exchange *exchange = serving->exchange;

    serving->error_code = failure_message(serving->format, FAILURE_INTERNAL).error_code;
    send_waiting_head(serving);
    if (!serving->stream_ended)
        exchange->append(exchange->transport, last, strlen(last));
    stream_abandon(serving);
}
