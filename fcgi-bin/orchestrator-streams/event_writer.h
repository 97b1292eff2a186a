/* Server-sent events to one client: opens the stream late, sends pings while idle, and detects a
 * disconnected client. */
#ifndef ASSAY_ORCHESTRATOR_STREAMS_EVENT_WRITER_H
#define ASSAY_ORCHESTRATOR_STREAMS_EVENT_WRITER_H

#include "base/schema.h"
#include "http/stream.h"
#include "net/fetch.h"

struct event_writer {
    struct request *request;
    struct reply *reply;
    struct stream stream;
    bool open;
    bool spaced;     /* write a blank after each comma and colon */
    int64_t sent_at; /* monotonic microseconds */
    struct fetch_watch watch;
    struct text event, piece; /* name of the current event */
};

/* Sends nothing yet. The watch reports when the client has disconnected, and sends pings while
 * idle. */
void event_writer_start(struct event_writer *events, struct request *request, struct reply *reply,
                        bool spaced);

/* Writes the response head, which is sent with the first event. False when the client has already
 * disconnected. */
bool event_writer_open(struct event_writer *events);

/* Sends an object as an event; `name` NULL = data only. False when the client has disconnected. */
bool event_writer_send(struct event_writer *events, const char *name, const struct schema *schema,
                       const void *object);

/* Bytes as a text that lives until the next call. */
const char *event_writer_piece(struct event_writer *events, const char *bytes, size_t length);

/* Sends data that is not JSON. */
bool event_writer_send_text(struct event_writer *events, const char *text);

#endif
