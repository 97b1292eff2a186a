/* Telling a client what happens. */
#include "orchestrator-streams/event_writer.h"

#include "base/clock.h"

enum { EVENT_MAX = 64 << 20, PING_MICROSECONDS = 15000000 };

/* Asked again and again while a model is waited for. */
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

void event_writer_start(struct event_writer *events, struct request *request, struct reply *reply)
{
    *events = (struct event_writer){.request = request, .reply = reply};
    events->watch = (struct fetch_watch){.cancelled = client_has_left, .context = events, .fd = -1};
    text_start(&events->text, request->arena, EVENT_MAX);
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

struct json_writer *event_writer_begin(struct event_writer *events, bool spaced)
{
    text_cut(&events->text, 0);
    writer_start(&events->writer, &events->text);
    events->writer.spaced = spaced;
    writer_open_object(&events->writer);
    return &events->writer;
}

bool event_writer_send(struct event_writer *events, const char *name)
{
    writer_close_object(&events->writer);
    events->sent_at = clock_monotonic_microseconds();
    return events->open && stream_event(&events->stream, name, NULL, events->text.bytes);
}

bool event_writer_send_text(struct event_writer *events, const char *text)
{
    return events->open && stream_event(&events->stream, NULL, NULL, text);
}
