/* Writes the events of a task to the client as they happen: start, chunks of text, and how it
 * ended. */
#include "orchestrator-streams/event_writer.h"

#include "base/clock.h"
#include "base/fiber.h"

enum { EVENT_MAX = 64 << 20, PING_MICROSECONDS = 15000000 };

/* Called repeatedly during the wait for a model. */
static bool client_has_left(void *context)
{
    struct event_writer *events = context;
    int64_t now = clock_monotonic_microseconds();

    if (events->open && now - events->sent_at >= PING_MICROSECONDS) {
        stream_ping(&events->stream, "ping");
        events->sent_at = now;
    }
    return events->open ? stream_gone(&events->stream) : request_gone(events->request);
}

void event_writer_start(struct event_writer *events, struct request *request, struct reply *reply,
                        bool spaced)
{
    *events = (struct event_writer){.request = request, .reply = reply, .spaced = spaced};
    events->watch = (struct fetch_watch){.cancelled = client_has_left,
                                         .context = events,
                                         .fd = fiber_current() ? request_descriptor(request) : -1};
    text_start(&events->event, request->arena, EVENT_MAX);
    text_start(&events->piece, request->arena, EVENT_MAX);
}

bool event_writer_open(struct event_writer *events)
{
    if (events->open)
        return true;
    reply_add_header(events->reply, "Cache-Control", "no-cache");
    events->open =
        !stream_open_with_first(events->request, events->reply, STREAM_EVENTS, &events->stream);
    events->sent_at = clock_monotonic_microseconds();
    return events->open;
}

bool event_writer_send(struct event_writer *events, const char *name, const struct schema *schema,
                       const void *object)
{
    struct json_writer writer;

    text_cut(&events->event, 0);
    writer_start(&writer, &events->event);
    writer.spaced = events->spaced;
    schema_write(&writer, schema, object);
    events->sent_at = clock_monotonic_microseconds();
    return events->open && stream_event(&events->stream, name, NULL, events->event.bytes);
}

const char *event_writer_piece(struct event_writer *events, const char *bytes, size_t length)
{
    text_cut(&events->piece, 0);
    text_append(&events->piece, bytes, length);
    return events->piece.bytes;
}

bool event_writer_send_text(struct event_writer *events, const char *text)
{
    return events->open && stream_event(&events->stream, NULL, NULL, text);
}
