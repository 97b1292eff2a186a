/* Telling a client what happens. */
#include "orchestrator-streams/teller.h"

#include "base/clock.h"

enum { EVENT_MAX = 64 << 20, PING_MICROSECONDS = 15000000 };

/* Asked again and again while a model is waited for. */
static bool has_left(void *context)
{
    struct teller *teller = context;
    int64_t now = clock_monotonic_microseconds();

    if (teller->open && now - teller->told_at >= PING_MICROSECONDS) {
        stream_ping(&teller->stream, "ping");
        teller->told_at = now;
    }
    return teller->open ? stream_gone(&teller->stream) : request_gone(teller->request);
}

void teller_start(struct teller *teller, struct request *request, struct reply *reply)
{
    *teller = (struct teller){.request = request, .reply = reply};
    teller->watch = (struct fetch_watch){.cancelled = has_left, .context = teller, .fd = -1};
    text_start(&teller->text, request->arena, EVENT_MAX);
}

bool teller_open(struct teller *teller)
{
    if (teller->open)
        return true;
    reply_add_header(teller->reply, "Cache-Control", "no-cache");
    teller->open =
        !stream_open_with_first(teller->request, teller->reply, STREAM_EVENTS, &teller->stream);
    teller->told_at = clock_monotonic_microseconds();
    return teller->open;
}

struct json_writer *teller_begin(struct teller *teller, bool spaced)
{
    text_cut(&teller->text, 0);
    writer_start(&teller->writer, &teller->text);
    teller->writer.spaced = spaced;
    writer_open_object(&teller->writer);
    return &teller->writer;
}

bool teller_send(struct teller *teller, const char *name)
{
    writer_close_object(&teller->writer);
    teller->told_at = clock_monotonic_microseconds();
    return teller->open && stream_event(&teller->stream, name, NULL, teller->text.bytes);
}

bool teller_send_text(struct teller *teller, const char *text)
{
    return teller->open && stream_event(&teller->stream, NULL, NULL, text);
}
